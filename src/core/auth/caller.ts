/** Who calls, and what it may do. */
import type { Micros } from "../lib/time.ts";
import { allScopes, type Role, type Scope } from "./scopes.ts";

/**
 * How a request came in: with a token, a browser session, MCP over HTTP or stdio, the command line, a signed
 * URL (`address`), a share link, a GitHub webhook, or from the service itself.
 */
export const vias = [
  "api",
  "session",
  "mcp",
  "stdio",
  "cli",
  "address",
  "share",
  "webhook",
  "service",
] as const;
export type Via = (typeof vias)[number];

export interface Caller {
  /** Name of the token; null for an anonymous caller. */
  name: string | null;
  scopes: ReadonlySet<Scope>;
  /** The actor, if it is not the token itself: the user of the website or the command line. */
  actor?: string;
  /** The person whose work it does, and their team. */
  person?: string;
  team?: string;
  /** The role that its token was given; absent if it was given scopes. */
  role?: Role;
  /** The role that its reviews count for; absent: the role of its token. */
  reviewRole?: string;
  /** Of a share link: the voter (see `voterOf`) that created it. Both together have one approval. */
  vouchedBy?: string;
  /** Slugs of the only projects it can read and write; null for all. */
  projects: readonly string[] | null;
  /** Null if it never expires. */
  expiresAt: Micros | null;
  /** Hash of a token in the database, to check later that it is still valid. */
  hash?: string;
  /** Hash of the session ID, to check later that the session is still open. */
  session?: string;
  /**
   * Of a session: the hashes of the tokens that created its sign-in link, separated by spaces, or its own if
   * an identity provider opened it.
   */
  createdWith?: string;
  /** Where the request came from, for the audit log. */
  source?: CallSource;
  /** The request had a token, but it is unknown, revoked or expired. */
  isInvalid?: true;
}

/** What of a caller tells which projects it may read. */
export type Viewer = Pick<Caller, "projects">;

export interface CallSource {
  via: Via;
  address?: string;
  /** The `User-Agent` header of a browser. */
  userAgent?: string;
  /** Request ID. */
  request?: string;
}

export const anonymous: Caller = { name: null, scopes: new Set(), projects: null, expiresAt: null };

/** The service itself, in events and in the audit log. */
export const ownActor = "bot:svc";

/** The command line on the server: access to the database grants every scope. */
export const adminCaller: Caller = {
  name: "operator",
  scopes: new Set(allScopes),
  projects: null,
  expiresAt: null,
};
