/** The secret of a share link, and the cookie of a browser that has opened it. */

import { type Verifying, validSecrets } from "../../core/auth/secret.ts";
import { makeId } from "../../core/auth/session/cookie.ts";
import { csrfOf } from "../../core/auth/session/csrf.ts";
import { hashToken } from "../../core/auth/token.ts";
import { constantTimeEqual } from "../../core/lib/constant-time.ts";
import { type Micros, secondMicros } from "../../core/lib/time.ts";
import type { LibraryContext } from "../context.ts";
import type { ShareRow } from "./rows.ts";

export const sharePath = "/s";

/** 256 bits in base64url, and its SHA-256, which is what is stored. */
export function generateShareSecret(): { secret: string; hash: string } {
  const secret = makeId();
  return { secret, hash: hashToken(secret) };
}

/** Tells a secret from the id of a share, a ULID. */
export const isShareSecret = (text: string): boolean => /^[\w-]{43}$/.test(text);

/** A path without the secret of a share link, for logs and error responses. */
export const redactShareSecret = (path: string): string => path.replace(/^\/s\/[^/]{27,}/, "/s/…");

/** How long a browser can use a share before it has to open the link again. */
export const sessionSeconds = 12 * 3_600;

type Needs = Pick<LibraryContext, "config" | "secret">;

/** The session of a browser in a share: stateless, as the share itself is checked on every request. */
export interface ShareSession {
  /** Differs between browsers. */
  nonce: string;
  csrf: string;
}

const signatureOf = (secret: string, { id, hash }: ShareRow, expires: number, nonce: string): string =>
  new Bun.CryptoHasher("sha256", `svc share ${secret}`)
    .update(JSON.stringify([id, hash, expires, nonce]))
    .digest("base64url");

/** `__Secure-` instead of `__Host-`, which needs the path `/`: this cookie is sent to its share only. */
const cookieName = (siteUrl: string): string =>
  siteUrl.startsWith("https:") ? "__Secure-svc_share" : "svc_share";

/** The `Set-Cookie` value for a browser that has opened the share. */
export function shareCookie({ config, secret }: Needs, share: ShareRow, now: Micros): string {
  const nowSeconds = Math.floor(now / secondMicros);
  const expires = Math.min(nowSeconds + sessionSeconds, Math.floor(share.expires_at / secondMicros));
  const nonce = makeId();
  const value = `${expires}.${nonce}.${signatureOf(secret, share, expires, nonce)}`;
  const secure = config.siteUrl.startsWith("https:") ? "; Secure" : "";
  return (
    `${cookieName(config.siteUrl)}=${value}; Path=${sharePath}/${share.id}; HttpOnly; SameSite=Lax; ` +
    `Max-Age=${Math.max(0, expires - nowSeconds)}${secure}`
  );
}

/** The session that a `Cookie` header proves; null if the browser has not opened this share lately. */
export function shareSession(
  ctx: Needs & Verifying,
  share: ShareRow,
  cookies: string | null,
  now: Micros,
): ShareSession | null {
  const value = new Bun.CookieMap(cookies ?? "").get(cookieName(ctx.config.siteUrl)) ?? "";
  const [, expires, nonce, received] = /^([1-9]\d{0,11})\.([\w-]{43})\.([\w-]{43})$/.exec(value) ?? [];
  if (!expires || !nonce || !received) return null;
  const isSigned = validSecrets(ctx).some((secret) =>
    constantTimeEqual(signatureOf(secret, share, Number(expires), nonce), received),
  );
  if (!isSigned || Number(expires) * secondMicros <= now) return null;
  return { nonce, csrf: csrfOf(ctx.secret, value) };
}
