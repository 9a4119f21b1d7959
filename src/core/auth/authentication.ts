/** Authentication: from a bearer token or a session to the caller. */
import type { Config } from "../config.ts";
import type { CoreContext } from "../context.ts";
import type { Micros } from "../lib/time.ts";
import type { CoreData } from "../port.ts";
import type { SessionRow, TokenRow } from "../rows.ts";
import { adminCaller, anonymous, type Caller } from "./caller.ts";
import { identityCaller } from "./oidc/recheck.ts";
import { covers } from "./permissions.ts";
import { hasChecksum, hashToken } from "./token.ts";

/**
 * `OTEL_EXPORTER_OTLP_HEADERS` is percent-encoded (OTLP exporter specification), but Claude Code sends it as
 * it is written: `Bearer%20<token>`.
 */
const bearer = /^bearer(?: +|%20)([\x21-\x7e]+) *$/i;

/**
 * The caller of an `Authorization` header (RFC 6750, 2.1). Does not throw for an invalid token: whether one
 * is needed is up to `authorize`.
 */
export async function callerFrom(
  header: string | null,
  config: Config,
  data: CoreData,
  now: Micros,
): Promise<Caller> {
  if (header === null) return anonymous;
  const token = bearer.exec(header)?.[1];
  if (!token) return { ...anonymous, isInvalid: true };
  const hash = hashToken(token);
  const configured = config.tokens.get(hash);
  if (configured) return configured;
  return (hasChecksum(token) && (await callerOfHash(hash, data, now))) || { ...anonymous, isInvalid: true };
}

const callerOfHash = async (hash: string, data: CoreData, now: Micros): Promise<Caller | null> =>
  callerOfRow(await data.token(hash), hash, now);

/** @param hash of the token that was sent: the current one, or the previous one after a rotation */
function callerOfRow(row: TokenRow | null, hash: string, now: Micros): Caller | null {
  if (!row || row.revoked_at !== null) return null;
  // After a rotation, the previous secret expires earlier than the token.
  const expiries = [row.expires_at, row.hash === hash ? null : (row.previous_until ?? 0)].filter(
    (at) => at !== null,
  );
  const expiresAt = expiries.length > 0 ? Math.min(...expiries) : null;
  if (expiresAt !== null && expiresAt <= now) return null;
  return {
    name: row.name,
    scopes: new Set(row.scopes),
    projects: row.projects,
    expiresAt,
    hash,
    ...(row.role !== null && { role: row.role }),
    ...(row.review_role !== null && { reviewRole: row.review_role }),
    ...(row.owner !== null && { person: row.owner }),
    ...(row.team !== null && { team: row.team }),
  };
}

/** The caller of a token, by its current secret; null unless it is valid. */
export const callerOfToken = (row: TokenRow | null, now: Micros): Caller | null =>
  row && callerOfRow(row, row.hash, now);

/** The tokens of the database, also revoked and expired ones. For admins. */
export const listTokens = ({ data }: Pick<CoreContext, "data">): Promise<TokenRow[]> => data.tokens();

type Needs = Pick<CoreContext, "config" | "data" | "secret" | "now" | "log">;

/**
 * The caller of a session without a token, opened with a sign-in link: only someone who can read the database
 * can create such a link, so it is an admin. Its name is an actor, which no token can have as its name.
 */
export const linkSessionCaller = ({ hash, actor, expires_at }: SessionRow): Caller => ({
  ...adminCaller,
  name: actor,
  actor,
  expiresAt: expires_at,
  session: hash,
});

export type FoundSession = SessionRow & { tokenRow: TokenRow | null };

/** The caller of a session, by the hash of its ID; null if the session or its token is no longer valid. */
async function callerOfSession(session: string, ctx: Needs): Promise<Caller | null> {
  const row = await ctx.data.session(session);
  return row && row.expires_at > ctx.now() ? sessionCaller(row, ctx) : null;
}

/** The caller of a session, also when that has expired; null if its token is no longer valid. */
export async function sessionCaller(row: FoundSession, ctx: Needs): Promise<Caller | null> {
  const { config, now } = ctx;
  const { hash: session, identity } = row;
  if (identity !== null) return identityCaller(ctx, row, identity);
  if (row.token === null) return linkSessionCaller(row);
  const caller = config.tokens.get(row.token) ?? callerOfRow(row.tokenRow, row.token, now());
  if (!caller || row.created_with === null) return caller && { ...caller, actor: row.actor, session };
  const creators = await creatorsOf(row.created_with, ctx);
  return creators && { ...caller, actor: row.actor, session, createdWith: row.created_with };
}

/**
 * The tokens and the session with which a sign-in link was created, from their hashes. The link, and the
 * session that it opened, end with each of them: null once one is not valid.
 */
export async function creatorsOf(hashes: string, ctx: Needs): Promise<Caller[] | null> {
  const { config, data, now } = ctx;
  const creators: Caller[] = [];
  for (const hash of hashes.split(" ")) {
    const creator =
      config.tokens.get(hash) ??
      (await callerOfHash(hash, data, now())) ??
      (await callerOfSession(hash, ctx));
    if (!creator) return null;
    creators.push(creator);
  }
  return creators;
}

/**
 * Whether a caller that was authenticated earlier would still be: its token or session may have been revoked
 * or have expired while a stream was open.
 */
export async function isStillAuthorized(
  caller: Pick<Caller, "hash" | "session" | "scopes" | "projects">,
  ctx: Needs,
): Promise<boolean> {
  const { hash, session } = caller;
  if (session !== undefined) {
    const current = await callerOfSession(session, ctx);
    // At an identity provider, a group and with it the permissions can change.
    return current !== null && covers(current, caller);
  }
  return hash === undefined || (await callerOfHash(hash, ctx.data, ctx.now())) !== null;
}
