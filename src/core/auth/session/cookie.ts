/** Cookies of the website. */

/**
 * `session` identifies a signed-in browser. `form` protects the sign-in form from CSRF while there is no
 * session (double-submit cookie). `oidc` holds the sign-in that a browser began at the identity provider.
 * `theme` is how pages look in it.
 */
export type CookieName = "session" | "form" | "oidc" | "theme";

/**
 * `__Host-` binds a cookie to the host and to https (RFC 6265bis, 4.1.3.2). It is not valid over plain http.
 */
const nameOf = (siteUrl: string, name: CookieName): string =>
  siteUrl.startsWith("https:") ? `__Host-svc_${name}` : `svc_${name}`;

/**
 * A `Set-Cookie` value. @param seconds Max-Age; null for a session cookie, deleted when the browser closes
 */
export function setCookie(siteUrl: string, name: CookieName, value: string, seconds: number | null): string {
  const age = seconds === null ? "" : `; Max-Age=${seconds}`;
  const secure = siteUrl.startsWith("https:") ? "; Secure" : "";
  return `${nameOf(siteUrl, name)}=${value}; Path=/; HttpOnly; SameSite=Lax${age}${secure}`;
}

/**
 * Returns a reader of IDs from a `Cookie` header. It returns null for a missing or malformed ID, so that
 * garbage never reaches the database.
 */
export function cookieReader(siteUrl: string, header: string | null): (name: CookieName) => string | null {
  const cookies = new Bun.CookieMap(header ?? "");
  return (name) => {
    const value = cookies.get(nameOf(siteUrl, name));
    return value && idShape.test(value) ? value : null;
  };
}

const idShape = /^[\w-]{43}$/;

/** A word from a `Cookie` header, which anyone may have written; null if it is missing. */
export const cookieWord = (siteUrl: string, name: CookieName, header: string | null): string | null =>
  header === null ? null : new Bun.CookieMap(header).get(nameOf(siteUrl, name));

/** A sealed value from a `Cookie` header; null if it is missing or malformed. */
export function sealedCookie(siteUrl: string, name: CookieName, header: string | null): string | null {
  const value = new Bun.CookieMap(header ?? "").get(nameOf(siteUrl, name));
  return value && /^[\w-]{1,4000}$/.test(value) ? value : null;
}

/** A random ID of 256 bits, in base64url. */
export const makeId = (): string =>
  crypto.getRandomValues(new Uint8Array(32)).toBase64({ alphabet: "base64url", omitPadding: true });
