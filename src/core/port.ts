/**
 * The port to the database, as far as `core` knows it. Each room adds its own reads and writes to those of
 * the rooms below (`src/<room>/port.ts`); `src/api/port.ts` is the whole. `db/` has one implementation for
 * SQLite and Postgres.
 *
 * `projects` lists the projects the caller may read; null allows all. Outcomes that a caller can cause are
 * returned as values. When the database is unavailable, every method throws a Problem 503. Timestamps
 * (`Micros`) are microseconds since 1970.
 */

import type { Micros } from "./lib/time.ts";
import type { AffectedRow, Maintenance, RewritePosition, RewriteStep, Rewriting } from "./maintenance.ts";
import type {
  Access,
  AuditRow,
  ClientWindow,
  IdentityOwner,
  IdentityRow,
  NewAudit,
  NewToken,
  PersonRow,
  SessionRow,
  SignInLinkRow,
  TokenRow,
  UnmappedRow,
} from "./rows.ts";

export interface CoreReads {
  /** The value of an internal setting; null when it is not set. */
  setting(name: string): Promise<string | null>;
  /** When the database was created. */
  createdAt(): Promise<Micros>;
  /** Audit log, newest first, not older than `since`, and of ids below `before`. */
  audit(query: {
    since?: Micros;
    who?: string;
    what?: string[];
    before?: number;
    limit: number;
  }): Promise<AuditRow[]>;

  /**
   * The token with this hash, current or replaced by a rotation; also when revoked or expired. Its team is
   * that of its owner if it has none itself, and its owner null once removed.
   */
  token(hash: string): Promise<TokenRow | null>;
  tokens(): Promise<TokenRow[]>;
  /** Also when revoked or expired. */
  tokenNamed(name: string): Promise<TokenRow | null>;
  /** By id, removed ones included. */
  people(): Promise<PersonRow[]>;
  /** Also when removed. */
  person(id: string): Promise<PersonRow | null>;
  /** `human:<name>` of all who sign in with an identity provider, or whose events are in the feed. */
  humanActors(): Promise<string[]>;
  /** Of these identities those that are someone's, with their owners. */
  personsOf(identities: readonly string[]): Promise<Map<string, IdentityOwner>>;
  /** Most events first. */
  unmappedIdentities(): Promise<UnmappedRow[]>;
  /** The session with this id hash, also when expired, and the database token it was opened with. */
  session(hash: string): Promise<(SessionRow & { tokenRow: TokenRow | null }) | null>;
  /** The sessions of a user, also expired ones, the latest opened first. */
  sessionsOf(actor: string): Promise<(SessionRow & { tokenRow: TokenRow | null })[]>;
  /** The person of an identity provider. */
  identity(issuer: string, subject: string): Promise<IdentityRow | null>;
  /** The person who acts under this name. */
  identityNamed(actor: string): Promise<IdentityRow | null>;
  /** How many sessions and unused sign-in links of someone are valid at `now`. */
  countSessions(of: Access, now: Micros): Promise<{ sessions: number; sign_in_links: number }>;
  /** The unused sign-in link with this hash, also when expired. */
  signInLink(hash: string): Promise<SignInLinkRow | null>;
}

export interface CoreWrites extends CoreReads {
  /** The rows that a rewriting changes. */
  affectedRows(rewriting: Rewriting): AsyncIterable<AffectedRow>;
  /** Changes these rows, and all that is derived from them. @returns how many */
  rewriteRows(rewriting: Rewriting): Promise<number>;
  /**
   * Changes the next rows after a position, a bounded number of them, for a rewriting that is no single
   * transaction. @returns how many, and where to go on: null at the end
   */
  rewriteSome(rewriting: Rewriting, after: RewritePosition | null): Promise<RewriteStep>;
  /** Stores the value, replacing any previous one. */
  setSetting(name: string, value: string): Promise<void>;
  /** Adds an audit row, or adds to the count of the row with the same slot. */
  addAudit(row: NewAudit): Promise<void>;
  /**
   * Deletes a bounded number of the oldest audit rows: those before `before`, then those beyond `most` rows,
   * counted separately for bulk rows (appends, webhooks, and refused requests) and for all others. @returns
   * how many were deleted
   */
  trimAudit(before: Micros, most: number): Promise<number>;

  /** False when the name exists, even for a revoked token: names are never reused. */
  addToken(token: NewToken): Promise<boolean>;
  /** False when there is no unrevoked token of this name. */
  revokeToken(name: string, at: Micros): Promise<boolean>;
  /**
   * Replaces the secret of a token; the previous one stays valid until `previousUntil`. False when there is
   * no valid token of this name.
   */
  rotateToken(name: string, hash: string, at: Micros, previousUntil: Micros | null): Promise<boolean>;
  /** Sets what the reviews of a token count for; null: for the role of its scopes. */
  setReviewRole(name: string, role: string | null): Promise<void>;
  /** Sets whose work a token does. */
  setTokenOwner(name: string, owner: string | null, team: string | null): Promise<void>;
  /** Adds a person, or replaces the row of the one with this id. */
  savePerson(person: Omit<PersonRow, "identities">): Promise<void>;
  /** Links those that are no one's. */
  linkIdentities(person: string, identities: readonly string[]): Promise<void>;
  unlinkIdentities(person: string, identities: readonly string[]): Promise<void>;
  /** Adds to the counts of these rows. */
  countUnmapped(rows: readonly UnmappedRow[]): Promise<void>;
  /** Forgets what is kept of these identities, or without them of all of a project. */
  forgetUnmapped(of: { identities: readonly string[] } | { project: string }): Promise<void>;
  touchTokens(hashes: string[], at: Micros): Promise<void>;
  /** Records that agents use these tokens, unless that is known. */
  markAgentTokens(hashes: string[], at: Micros): Promise<void>;
  addSession(session: SessionRow): Promise<void>;
  removeSession(hash: string): Promise<void>;
  extendSession(hash: string, until: Micros): Promise<void>;
  /** Records when these sessions were last used. */
  touchSessions(hashes: string[], at: Micros): Promise<void>;
  /**
   * Records that the identity provider is asked about a session now. False if another process recorded that
   * since `before`.
   */
  claimCheck(hash: string, before: Micros | null, at: Micros): Promise<boolean>;
  /** Stores what the identity provider told. */
  setIdentity(hash: string, identity: string): Promise<void>;
  addIdentity(identity: IdentityRow): Promise<void>;
  /** Deletes all sessions and sign-in links of someone. */
  endSessions(of: Access): Promise<void>;
  /**
   * Deletes sessions that have expired at `now`; those that a link with a token opened, `rememberedMicros`
   * later. @returns how many, at most `limit`
   */
  removeExpiredSessions(now: Micros, rememberedMicros: Micros, limit: number): Promise<number>;
  /** Also deletes the links that have expired at `now`. */
  addSignInLink(link: SignInLinkRow, now: Micros): Promise<void>;
  /** How many unused sign-in links, valid at `now`, have this email address, in any case. */
  countSignInLinks(email: string, now: Micros): Promise<number>;
  /** Deletes a sign-in link when it is used. Null when it was used before, or has expired at `now`. */
  takeSignInLink(hash: string, now: Micros): Promise<SignInLinkRow | null>;
  /** Deletes all sign-in links and the sessions opened with one. @returns how many sessions */
  removeLinkSessions(): Promise<number>;
}

/** The `sslmode` of a Postgres connection. */
export type TlsMode = "disable" | "prefer" | "require" | "verify-ca" | "verify-full";

/** The connection to a database server. */
export interface Connection {
  tls: TlsMode;
  /** Over a Unix socket or a loopback address. */
  isLocal: boolean;
  /** The log has a partition for each year. */
  isPartitioned?: boolean;
}

export interface CoreData extends CoreReads, Maintenance {
  /** The connection to the database server; null when the database is a local file. */
  connection: Connection | null;
  /** Changes with each commit of any process; null when reading it costs as much as the cached read. */
  dataVersion(): number | null;
  /** Gives back the memory of pages of a local file, which are read again when they are needed. */
  releaseMemory(): void;
  /**
   * Changes with each commit that may have changed a token: every one of another process, and those of this
   * one that did more than append. Null when reading it costs as much as the token.
   */
  tokensVersion(): number | null;
  /**
   * Whether this process is the leader for a background job. The first call makes it a candidate; it takes
   * over when the leader exits or goes silent. Two leaders can overlap for a moment, so jobs must be
   * idempotent.
   */
  isLeader(job: string): boolean;
  /**
   * Adds requests to the rate-limit windows that all processes share. @returns the total of each window and
   * when it ends. Null on SQLite, where a single process serves the database and counts in memory.
   */
  countRequests:
    | ((
        counts: ReadonlyMap<string, number>,
        now: Micros,
        length: Micros,
      ) => Promise<Map<string, ClientWindow>>)
    | null;
  close(): Promise<void>;
  /**
   * Runs `work` in one transaction under the write lock that all processes share. When `work` throws,
   * everything is rolled back. Its reads see its own writes. It must await nothing but the database, since
   * it blocks all other writers. It may be called again after a serialization failure.
   */
  atomically<T>(work: (writes: CoreWrites) => Promise<T>, options?: TransactionOptions): Promise<T>;
}

export interface TransactionOptions {
  /** It may take minutes, on a connection of its own; other writers wait. */
  isLong?: boolean;
}
