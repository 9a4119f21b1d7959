/** The rows of tokens, sessions, and the audit log, with times in microseconds (`Micros`). */

import type { Via } from "./auth/caller.ts";
import type { Role, Scope } from "./auth/scopes.ts";
import type { Micros } from "./lib/time.ts";

/** The slugs a caller may read; null allows all. */
export type Projects = readonly string[] | null;

export interface TokenRow {
  name: string;
  hash: string;
  scopes: Scope[];
  projects: string[] | null;
  created_at: Micros;
  expires_at: Micros | null;
  revoked_at: Micros | null;
  /** Rounded to a quarter of an hour. */
  last_used_at: Micros | null;
  /** The secret replaced by a rotation, valid until `previous_until`. */
  previous_hash: string | null;
  previous_until: Micros | null;
  /** What its reviews count for; null: for the role of its scopes. */
  review_role: string | null;
  /** The role that it was given; null if it was created with scopes. */
  role: Role | null;
  /** When a hook or an MCP session of an agent first used it. */
  agent_at: Micros | null;
  /** The person whose work it does, and their team. */
  owner: string | null;
  team: string | null;
}

export type NewToken = Pick<TokenRow, "name" | "hash" | "scopes" | "projects" | "created_at" | "expires_at"> &
  Partial<Pick<TokenRow, "review_role" | "role" | "owner" | "team">>;

/** A person who owns tokens, or whose email addresses and logins are known. */
export interface PersonRow {
  id: string;
  name: string | null;
  team: string | null;
  created_at: Micros;
  removed_at: Micros | null;
  /** Sorted; see people/schema.ts. */
  identities: string[];
}

/** Events of an identity of no person; "" is all that the project does not keep. */
export interface UnmappedRow {
  /** "" for events without one. */
  project: string;
  identity: string;
  events: number;
  last_at: Micros;
}

/** The person of an identity, and their team. */
export interface IdentityOwner {
  person: string;
  team: string | null;
}

/**
 * One request that wrote, or the refused requests of one client in one minute. Never the content of a
 * request.
 */
export interface AuditRow {
  id: number;
  at: Micros;
  /** A token name, a local user, or `bot:svc` for the service itself; null for an unauthenticated request. */
  who: string | null;
  via: Via;
  /** The name of the operation, tool, or command. */
  what: string;
  project: string | null;
  /** Id or name of the object acted on. */
  target: string | null;
  /** 200, or the status of the problem. */
  status: number;
  /** Client IP address of a refused request without a known user. */
  address: string | null;
  request: string | null;
  count: number;
}

export type NewAudit = Omit<AuditRow, "id" | "count"> & { count?: number; slot?: string };

/** The requests of one client in its current rate-limit window. */
export interface ClientWindow {
  used: number;
  endsAt: Micros;
}

/** A signed-in browser. */
export interface SessionRow {
  /** Hash of the session id in the cookie. */
  hash: string;
  /** The user, such as `human:ana`. */
  actor: string;
  /** Hash of the token that it acts with; the session ends with it. Null: an admin without one. */
  token: string | null;
  /** Signed in with a link. */
  from_link: boolean;
  /** Hashes of the tokens that created its link, separated by spaces; the session ends with each of them. */
  created_with: string | null;
  opened_at: Micros;
  expires_at: Micros;
  /** Where a new link can be sent once it has expired. */
  email: string | null;
  /** Who signed in at the identity provider, sealed (see auth/oidc/identity.ts). Null: by a token or a link. */
  identity: string | null;
  /** When the provider was last asked about them. */
  checked_at: Micros | null;
  /** What its browser said of itself when it signed in. */
  device: string | null;
  /** Last use, rounded to a quarter of an hour. */
  used_at: Micros | null;
}

/** Under which name a person of an identity provider acts. */
export interface IdentityRow {
  issuer: string;
  /** The person at the provider: never given to another. */
  subject: string;
  actor: string;
  created_at: Micros;
}

/** Whose sessions and sign-in links are meant. */
export interface Access {
  actor: string;
  /** Names of tokens. */
  tokens: readonly string[];
  /** The hashes of their secrets. */
  hashes: readonly string[];
}

/** A one-time sign-in link that has not been used, by the hash of its secret. */
export interface SignInLinkRow extends Pick<SessionRow, "hash" | "actor" | "expires_at" | "email"> {
  /** Name of the token that it signs in with; null: as an admin without one. */
  token: string | null;
  /**
   * Hash of the token that created it, and of those that created the link of its session, separated by
   * spaces; the link ends with each of them. Null: created by someone with access to the database.
   */
  created_with: string | null;
}
