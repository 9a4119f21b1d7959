/** The part of the data port that keeps tokens, sessions and sign-in links. */
import type { Micros } from "../lib/time.ts";
import type { NewToken, TokenRow } from "../rows.ts";

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

export interface AuthReads {
  /** The token with this hash, current or replaced by a rotation; also when revoked or expired. */
  token(hash: string): Promise<TokenRow | null>;
  tokens(): Promise<TokenRow[]>;
  /** Also when revoked or expired. */
  tokenNamed(name: string): Promise<TokenRow | null>;
  /** The session with this id hash, also when expired, and the database token it was opened with. */
  session(hash: string): Promise<(SessionRow & { tokenRow: TokenRow | null }) | null>;
  /** The unused sign-in link with this hash, also when expired. */
  signInLink(hash: string): Promise<SignInLinkRow | null>;
}

export interface AuthWrites {
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
  touchTokens(hashes: string[], at: Micros): Promise<void>;
  /** Records that agents use these tokens, unless that is known. */
  markAgentTokens(hashes: string[], at: Micros): Promise<void>;
  addSession(session: SessionRow): Promise<void>;
  removeSession(hash: string): Promise<void>;
  extendSession(hash: string, until: Micros): Promise<void>;
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
