/** Sessions of the pages: a random id in a cookie, and a row that names the token it was opened with. */
import type { Context } from "../context.ts";
import { secondMicros } from "../lib/time.ts";
import { anonymous, type Caller, callerFrom, callerOfSession } from "./caller.ts";
import { cookieReader, makeId, setCookie } from "./cookie.ts";
import { csrfOf } from "./csrf.ts";
import type { Scope } from "./scopes.ts";
import { hashToken } from "./token.ts";

const sessionSeconds = 12 * 3_600;

/** Who looks at a page. */
export interface Visitor {
  caller: Caller;
  /** What the forms of this browser send along; null where it has neither a session nor asked for a form. */
  csrf: string | null;
  signedIn: boolean;
}

type Needs = Pick<Context, "config" | "data" | "secret" | "now" | "audit">;

/** Mock mode shows its assets to everyone. */
const mockVisitor: Caller = {
  ...anonymous,
  scopes: new Set<Scope>(["feed:read", "memory:read", "assets:read"]),
};

interface SignInOptions {
  /** Hash of the session that the same browser had, which ends. */
  before?: string | undefined;
  /**
   * Is told whether the token is valid, before anything comes of it; throws where this client may not sign in
   * now.
   */
  admit?(isValid: boolean): Promise<void>;
}

/**
 * Opens a session for a token.
 * @returns the caller and the `Set-Cookie` value; null where the token is not valid
 */
export async function signIn(
  { config, data, now }: Pick<Needs, "config" | "data" | "now">,
  token: string,
  { before, admit }: SignInOptions = {},
): Promise<{ caller: Caller; cookie: string } | null> {
  const caller = await callerFrom(`Bearer ${token}`, config, data, now());
  await admit?.(caller.name !== null);
  if (caller.name === null) return null;
  const id = makeId();
  const opened_at = now();
  const row = { hash: hashToken(id), actor: `human:${caller.name}`, token: hashToken(token), opened_at };
  await data.atomically(async (writes) => {
    if (before !== undefined) await writes.removeSession(before);
    await writes.addSession({ ...row, expires_at: opened_at + sessionSeconds * secondMicros });
  });
  return { caller, cookie: setCookie(config.siteUrl, "session", id, sessionSeconds) };
}

/**
 * Ends the session of the caller, where there is one. @returns the `Set-Cookie` value that clears its cookie
 */
export async function signOut(
  { config, data }: Pick<Needs, "config" | "data">,
  { session }: Caller,
): Promise<string> {
  if (session !== undefined) await data.atomically((writes) => writes.removeSession(session));
  return setCookie(config.siteUrl, "session", "", 0);
}

/** A session ends with its twelve hours, with its token, and when its owner signs out. */
export async function visitorFrom(ctx: Needs, cookies: string | null): Promise<Visitor> {
  const read = cookieReader(ctx.config.siteUrl, cookies);
  const session = read("session");
  const caller = session === null ? null : await callerOfSession(hashToken(session), ctx);
  ctx.audit.recordTokenUse(caller?.hash);
  if (session !== null && caller) return { caller, csrf: csrfOf(ctx.secret, session), signedIn: true };
  const form = read("form");
  return {
    caller: ctx.config.mock ? mockVisitor : anonymous,
    csrf: form === null ? null : csrfOf(ctx.secret, form),
    signedIn: false,
  };
}

const removedAtOnce = 1_000;

/** Removes the rows of expired sessions, some in each transaction. @returns how many rows */
export async function removeExpiredSessions({ data, now }: Pick<Context, "data" | "now">): Promise<number> {
  for (let removed = 0; ; ) {
    const some = await data.atomically((writes) => writes.removeExpiredSessions(now(), removedAtOnce));
    removed += some;
    if (some < removedAtOnce) return removed;
  }
}
