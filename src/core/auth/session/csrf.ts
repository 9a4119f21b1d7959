/** CSRF tokens: an HMAC of the session or form cookie, which other sites cannot compute. */
import type { CoreContext } from "../../context.ts";
import { constantTimeEqual } from "../../lib/constant-time.ts";
import { makeId, setCookie } from "./cookie.ts";

/** The CSRF token of a cookie ID. */
export const csrfOf = (secret: string, id: string): string =>
  new Bun.CryptoHasher("sha256", `svc csrf ${secret}`).update(id).digest("base64url").slice(0, 32);

/** Whether the token sent with a form is the visitor's. False for a browser without a cookie. */
export const isValidCsrf = ({ csrf }: { csrf: string | null }, given: string): boolean =>
  csrf !== null && constantTimeEqual(csrf, given);

/** The CSRF token and `Set-Cookie` value for a form shown to a browser without a session. */
export function issueFormToken({ config, secret }: Pick<CoreContext, "config" | "secret">): {
  csrf: string;
  cookie: string;
} {
  const id = makeId();
  return { csrf: csrfOf(secret, id), cookie: setCookie(config.siteUrl, "form", id, null) };
}
