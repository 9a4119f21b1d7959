/**
 * What proves that a form comes from a page that this browser was given: a MAC of its cookie, which other
 * sites cannot read.
 */
import type { Context } from "../context.ts";
import { constantTimeEqual } from "./constant-time.ts";
import { makeId, setCookie } from "./cookie.ts";

export const csrfOf = (secret: string, id: string): string =>
  new Bun.CryptoHasher("sha256", `svc csrf ${secret}`).update(id).digest("base64url").slice(0, 32);

/** False for a browser without a cookie, whatever it sends. */
export const isValidCsrf = ({ csrf }: { csrf: string | null }, given: string): boolean =>
  csrf !== null && constantTimeEqual(csrf, given);

/**
 * For a form that is shown to a browser without a session: its token, and the `Set-Cookie` value that goes
 * with it.
 */
export function issueFormToken({ config, secret }: Pick<Context, "config" | "secret">): {
  csrf: string;
  cookie: string;
} {
  const id = makeId();
  return { csrf: csrfOf(secret, id), cookie: setCookie(config.siteUrl, "form", id, null) };
}
