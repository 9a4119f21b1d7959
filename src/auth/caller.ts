/** Authentication and authorization: from a bearer token to the caller and its scopes. */
import type { Config } from "../config.ts";
import type { Context } from "../context.ts";
import type { Data } from "../data.ts";
import type { Micros } from "../lib/time.ts";
import { Problem } from "../problem.ts";
import type { SessionRow, TokenRow, Via } from "../rows.ts";
import { rolesWith } from "./roles.ts";
import { allScopes, publicScopes, type Scope } from "./scopes.ts";
import { hasChecksum, hashToken } from "./token.ts";

export interface Caller {
  /** Name of the token; null for an anonymous caller. */
  name: string | null;
  scopes: ReadonlySet<Scope>;
  /** The actor, if it is not the token itself: the user of the website or the command line. */
  actor?: string;
  /** Slugs of the only projects it can read and write; null for all. */
  projects: readonly string[] | null;
  /** Null if it never expires. */
  expiresAt: Micros | null;
  /** Hash of a token in the database, to check later that it is still valid. */
  hash?: string;
  /** Hash of the session ID, to check later that the session is still open. */
  session?: string;
  /** Where the request came from, for the audit log. */
  source?: CallSource;
  /** The request had a token, but it is unknown, revoked or expired. */
  isInvalid?: true;
}

export interface CallSource {
  via: Via;
  address?: string;
  /** Request ID. */
  request?: string;
}

export const anonymous: Caller = { name: null, scopes: new Set(), projects: null, expiresAt: null };

/** The command line on the server: access to the database grants every scope. */
export const adminCaller: Caller = {
  name: "operator",
  scopes: new Set(allScopes),
  projects: null,
  expiresAt: null,
};

const bearer = /^bearer +([\x21-\x7e]+) *$/i;

/**
 * The caller of an `Authorization` header (RFC 6750, 2.1). Does not throw for an invalid token: whether one
 * is needed is up to `authorize`.
 */
export async function callerFrom(
  header: string | null,
  config: Config,
  data: Data,
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

const callerOfHash = async (hash: string, data: Data, now: Micros): Promise<Caller | null> =>
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
  return { name: row.name, scopes: new Set(row.scopes), projects: row.projects, expiresAt, hash };
}

type Needs = Pick<Context, "config" | "data" | "now">;

/**
 * The caller of a session opened with a sign-in link: whoever could read the database made the link, so it is
 * an admin. Its name is an actor, which no token can be named like.
 */
export const linkSessionCaller = ({ hash, actor, expires_at }: SessionRow): Caller => ({
  ...adminCaller,
  ...{ name: actor, actor, expiresAt: expires_at, session: hash },
});

/** The caller of a session, by the hash of its ID; null if the session or its token is no longer valid. */
export async function callerOfSession(session: string, { config, data, now }: Needs): Promise<Caller | null> {
  const row = await data.session(session);
  if (!row || row.expires_at <= now()) return null;
  if (row.token === null) return linkSessionCaller(row);
  const caller = config.tokens.get(row.token) ?? callerOfRow(row.tokenRow, row.token, now());
  return caller && { ...caller, actor: row.actor, session };
}

/**
 * Whether a caller that was authenticated earlier would still be: its token or session may have been revoked
 * or have expired while a stream was open.
 */
export async function isStillAuthorized({ hash, session }: Caller, ctx: Needs): Promise<boolean> {
  if (session !== undefined) return (await callerOfSession(session, ctx)) !== null;
  return hash === undefined || (await callerOfHash(hash, ctx.data, ctx.now())) !== null;
}

/** The token lacks the scope (403), or the request has no token (401). */
export class MissingScope extends Problem {
  constructor(
    readonly scope: Scope | "public",
    status: 401 | 403,
    detail: string,
    headers: Record<string, string>,
  ) {
    super(status, detail, headers);
  }
}

/** Whether the caller has the scope, or public read grants it. */
export const isAllowed = (
  caller: Caller,
  scope: Scope | "public",
  config: Pick<Config, "publicRead">,
): boolean =>
  scope === "public" || caller.scopes.has(scope) || (config.publicRead && publicScopes.has(scope));

/** @throws {Problem} 401 or 403 with a `WWW-Authenticate` challenge (RFC 6750, 3; RFC 9728, 5.1) */
export function authorize(caller: Caller, scope: Scope | "public", config: Config): void {
  if (isAllowed(caller, scope, config)) return;
  const metadata = `scope="${scope}", resource_metadata="${config.siteUrl}/.well-known/oauth-protected-resource"`;
  const challenge = (error: string) => ({ "www-authenticate": `Bearer realm="svc", ${error}${metadata}` });
  if (caller.name !== null)
    throw new MissingScope(
      scope,
      403,
      `This token lacks the scope ${scope}. Ask an admin for a token with ${rolesWith(scope)}.`,
      challenge('error="insufficient_scope", '),
    );
  throw caller.isInvalid
    ? new Problem(
        401,
        "This token is not valid. It may have been revoked or have expired.",
        challenge('error="invalid_token", error_description="Unknown token", '),
      )
    : new MissingScope(
        scope,
        401,
        `A token with the scope ${scope} is required. ` +
          `Ask an admin for one with ${rolesWith(scope)}, and send it as \`Authorization: Bearer <token>\`.`,
        challenge(""),
      );
}
