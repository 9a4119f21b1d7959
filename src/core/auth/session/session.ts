/**
 * Sessions of the website: a random ID in a cookie, and a row that names the token whose permissions it has,
 * or none for an admin who signed in with a link.
 */
import type { CoreContext } from "../../context.ts";
import { dayMicros, secondMicros } from "../../lib/time.ts";
import type { CoreReads, CoreWrites } from "../../port.ts";
import type { SessionRow } from "../../rows.ts";
import { callerFrom, type FoundSession, sessionCaller } from "../authentication.ts";
import { anonymous, type Caller } from "../caller.ts";
import { signOutCookie } from "../oidc/sign-out.ts";
import { covers } from "../permissions.ts";
import { roles, type Scope } from "../scopes.ts";
import type { Verifying } from "../secret.ts";
import { hashToken } from "../token.ts";
import { cookieReader, makeId, sealedCookie, setCookie } from "./cookie.ts";
import { csrfOf } from "./csrf.ts";
import { deviceOf } from "./device.ts";

const sessionSeconds = 12 * 3_600;
/** From the last use, of a reader or reviewer who came by a link: they have no token to sign in again. */
export const linkSessionDays = 30;
const linkSessionMicros = linkSessionDays * dayMicros;
/** As long as browsers keep a cookie at most (RFC 6265bis, 5.5): the row decides when the session ends. */
const linkCookieSeconds = 400 * 86_400;
/** After it has expired, the sign-in page says for so long whom to ask for a new link. */
export const sessionNoticeDays = 90;

/** Whether a session lasts from its last use: someone who may do no more than a reviewer came by a link. */
export const lastsFromLastUse = (caller: Caller): boolean =>
  covers({ scopes: new Set(roles.reviewer.scopes), projects: null }, caller);

/** The visitor of a page. */
export interface Visitor {
  caller: Caller;
  /** The session of this browser that has expired. */
  expired?: FoundSession;
  /** CSRF token for the forms of this browser; null if it has neither a session nor a form cookie. */
  csrf: string | null;
  /** What it began at an identity provider, sealed. */
  begun: string | null;
  signedIn: boolean;
}

type Needs = Pick<CoreContext, "config" | "data" | "secret" | "now" | "audit" | "log">;

/** In mock mode, anyone can read the assets. */
const mockVisitor: Caller = {
  ...anonymous,
  scopes: new Set<Scope>(["feed:read", "memory:read", "assets:read"]),
};

export interface SignInOptions {
  /** Hash of the browser's previous session, which is removed. */
  before?: string | undefined;
  /** The `User-Agent` header of the browser. */
  userAgent?: string | undefined;
  /** Called once the token was checked; throws if the client has to wait after too many failures. */
  admit?(isValid: boolean): Promise<void>;
}

export interface SignedIn {
  caller: Caller;
  /** The `Set-Cookie` value. */
  cookie: string;
}

/**
 * Opens a session for a token.
 * @returns the caller and the `Set-Cookie` value; null if the token is not valid
 */
export async function signIn(
  ctx: Pick<Needs, "config" | "data" | "now">,
  token: string,
  { before, userAgent, admit }: SignInOptions = {},
): Promise<SignedIn | null> {
  const caller = await callerFrom(`Bearer ${token}`, ctx.config, ctx.data, ctx.now());
  await admit?.(caller.name !== null);
  if (caller.name === null) return null;
  const opening = {
    actor: `human:${caller.name}`,
    token: hashToken(token),
    from_link: false,
    created_with: null,
    email: null,
    identity: null,
    checked_at: null,
    device: deviceOf(userAgent),
    before,
  };
  const { cookie } = await ctx.data.atomically((writes) => addSession(ctx, writes, opening, caller));
  return { caller, cookie };
}

type NewSession = Omit<SessionRow, "hash" | "opened_at" | "expires_at" | "used_at"> &
  Pick<SignInOptions, "before">;

/** Adds a session in a transaction. @returns its row, and the `Set-Cookie` value */
export async function addSession(
  { config, now }: Pick<Needs, "config" | "now">,
  writes: CoreWrites,
  { before, ...opening }: NewSession,
  caller: Caller,
): Promise<{ session: SessionRow; cookie: string }> {
  const id = makeId();
  const opened_at = now();
  const row = { ...opening, hash: hashToken(id), opened_at };
  const isLong = opening.from_link && lastsFromLastUse(caller);
  const expires_at = opened_at + (isLong ? linkSessionMicros : sessionSeconds * secondMicros);
  const session = { ...row, expires_at, used_at: opened_at };
  if (before !== undefined) await writes.removeSession(before);
  await writes.addSession(session);
  if (!(await hasSignedIn({ data: writes }))) await writes.setSetting(firstSignIn, String(opened_at));
  return {
    session,
    cookie: setCookie(config.siteUrl, "session", id, isLong ? linkCookieSeconds : sessionSeconds),
  };
}

/** Name of the setting that holds the time of the first sign-in. */
const firstSignIn = "first_sign_in";

/** Whether anyone has signed in to this deployment before. */
export const hasSignedIn = async ({ data }: { data: CoreReads }): Promise<boolean> =>
  (await data.setting(firstSignIn)) !== null;

/**
 * Removes the caller's session, if any.
 * @returns the `Set-Cookie` value that clears its cookie, and if an identity provider opened it, the one for
 *   the sign-out there
 */
export async function signOut(
  ctx: Pick<Needs, "config" | "data"> & Verifying,
  { session }: Caller,
): Promise<{ cookie: string; providerCookie: string | null }> {
  const row = session === undefined ? null : await ctx.data.session(session);
  if (row) await ctx.data.atomically((writes) => writes.removeSession(row.hash));
  return {
    cookie: setCookie(ctx.config.siteUrl, "session", "", 0),
    providerCookie: row?.identity ? signOutCookie(ctx, row.identity) : null,
  };
}

/** The visitor of a request. A session lasts until sign-out, its time, or the end of its token. */
export async function visitorFrom(ctx: Needs, cookies: string | null): Promise<Visitor> {
  const read = cookieReader(ctx.config.siteUrl, cookies);
  const begun = ctx.config.oidc && sealedCookie(ctx.config.siteUrl, "oidc", cookies);
  const session = read("session");
  const row = session === null ? null : await ctx.data.session(hashToken(session));
  const isExpired = row !== null && row.expires_at <= ctx.now();
  const caller = row && !isExpired ? await sessionCaller(row, ctx) : null;
  ctx.audit.recordTokenUse(caller?.hash);
  ctx.audit.recordSessionUse(caller?.session);
  if (row && session !== null && caller) {
    await extendSession(ctx, row, caller);
    return { caller, csrf: csrfOf(ctx.secret, session), begun, signedIn: true };
  }
  const form = read("form");
  return {
    caller: ctx.config.mock ? mockVisitor : anonymous,
    csrf: form === null ? null : csrfOf(ctx.secret, form),
    begun,
    signedIn: false,
    ...(isExpired && { expired: row }),
  };
}

/** Lets a session last from now, once a day. A disk that takes no writes must not keep it from reading. */
async function extendSession({ data, now, log }: Needs, row: SessionRow, caller: Caller): Promise<void> {
  const until = now() + linkSessionMicros;
  if (!row.from_link || row.token === null || until - row.expires_at < dayMicros || !lastsFromLastUse(caller))
    return;
  await data
    .atomically((writes) => writes.extendSession(row.hash, until))
    .catch((error) => log("warn", "cannot extend a session", { error: String(error) }));
}
