/** Sessions of the pages: a signed cookie that names the token somebody signed in with. Nothing is kept of it here. */
import type { Context } from "../context.ts";
import type { Micros } from "../time.ts";
import { secondMicros } from "../time.ts";
import { anonymous, type Caller, callerFrom, callerOfHash } from "./caller.ts";
import { constantTimeEqual } from "./constant-time.ts";
import type { Scope } from "./scopes.ts";
import { hashToken } from "./token.ts";

export const sessionSeconds = 12 * 3_600;

/** Who looks at a page. */
export interface Visitor {
  caller: Caller;
  /** To be sent with whatever this session writes. */
  csrf: string;
  signedIn: boolean;
}

type Needs = Pick<Context, "config" | "data" | "secret" | "now" | "audit">;

/** Mock mode shows its assets to everyone. */
const mockVisitor: Caller = { ...anonymous, scopes: new Set<Scope>(["feed:read", "memory:read", "assets:read"]) };

const mac = (secret: string, purpose: string, text: string): string =>
  new Bun.CryptoHasher("sha256", `svc ${purpose} ${secret}`).update(text).digest("base64url");

/** `__Host-` binds the cookie to the site and to https; plain http, at home, has no such name. */
const cookieName = (siteUrl: string): string => (siteUrl.startsWith("https:") ? "__Host-svc_session" : "svc_session");

/** Whoever signs in, and the `Set-Cookie` of it; null where nobody knows the token. */
export async function signIn(
  { config, data, secret, now }: Omit<Needs, "audit">,
  token: string,
): Promise<{ caller: Caller; cookie: string } | null> {
  const caller = await callerFrom(`Bearer ${token}`, config, data, now());
  if (caller.name === null) return null;
  const expires = Math.floor(now() / secondMicros) + sessionSeconds;
  const nonce = crypto.getRandomValues(new Uint8Array(9)).toBase64({ alphabet: "base64url" });
  const body = `${hashToken(token)}.${expires}.${nonce}`;
  return { caller, cookie: cookieOf(config.siteUrl, `${body}.${mac(secret, "session", body)}`, sessionSeconds) };
}

export const signOut = ({ config }: Pick<Context, "config">): string => cookieOf(config.siteUrl, "", 0);

function cookieOf(siteUrl: string, value: string, seconds: number): string {
  const secure = siteUrl.startsWith("https:") ? "; Secure" : "";
  return `${cookieName(siteUrl)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
}

/** A session ends with its twelve hours, and with its token. */
export async function visitorFrom(ctx: Needs, cookies: string | null): Promise<Visitor> {
  const session = new Bun.CookieMap(cookies ?? "").get(cookieName(ctx.config.siteUrl)) ?? "";
  const caller = await callerOf(ctx, session, ctx.now());
  ctx.audit.used(caller?.hash);
  if (caller) return { caller: { ...caller, actor: `human:${caller.name}` }, csrf: csrfOf(ctx.secret, session), signedIn: true };
  return { caller: ctx.config.mock ? mockVisitor : anonymous, csrf: csrfOf(ctx.secret, ""), signedIn: false };
}

async function callerOf({ config, data, secret }: Omit<Needs, "audit">, session: string, now: Micros): Promise<Caller | null> {
  const [hash, expires = "", nonce = "", signature = ""] = session.split(".") as [string, ...string[]];
  if (!constantTimeEqual(mac(secret, "session", `${hash}.${expires}.${nonce}`), signature) || Number(expires) * secondMicros <= now)
    return null;
  return config.tokens.get(hash) ?? callerOfHash(hash, data, now);
}

const csrfOf = (secret: string, session: string): string => mac(secret, "csrf", session).slice(0, 32);

export const fitsCsrf = (visitor: Visitor, given: string): boolean => constantTimeEqual(visitor.csrf, given);
