/** The cookies of the site. */

/**
 * `session` signs a browser in. `form` ties the sign-in form of a browser that has no session to that
 * browser, so that no other site can post one (double submit).
 */
export type CookieName = "session" | "form";

/**
 * `__Host-` binds a cookie to the host and to https (RFC 6265bis, 4.1.3.2); plain http, at home, has no such
 * name.
 */
const nameOf = (siteUrl: string, name: CookieName): string =>
  siteUrl.startsWith("https:") ? `__Host-svc_${name}` : `svc_${name}`;

/** A `Set-Cookie` value. @param seconds how long the browser keeps it; null: until the browser is closed */
export function setCookie(siteUrl: string, name: CookieName, value: string, seconds: number | null): string {
  const age = seconds === null ? "" : `; Max-Age=${seconds}`;
  const secure = siteUrl.startsWith("https:") ? "; Secure" : "";
  return `${nameOf(siteUrl, name)}=${value}; Path=/; HttpOnly; SameSite=Lax${age}${secure}`;
}

/**
 * Reads ids of ours from a `Cookie` header; null for everything else, so that garbage never reaches the
 * database.
 */
export function cookieReader(siteUrl: string, header: string | null): (name: CookieName) => string | null {
  const cookies = new Bun.CookieMap(header ?? "");
  return (name) => {
    const value = cookies.get(nameOf(siteUrl, name));
    return value && idShape.test(value) ? value : null;
  };
}

const idShape = /^[\w-]{43}$/;

/** 256 random bits. */
export const makeId = (): string =>
  crypto.getRandomValues(new Uint8Array(32)).toBase64({ alphabet: "base64url", omitPadding: true });
