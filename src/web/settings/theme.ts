/** The theme that a browser chose; without one, pages follow its system. */
import { cookieWord, setCookie } from "../../core/auth/session/cookie.ts";
import type { Config } from "../../core/config.ts";

export const themes = ["light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** As long as browsers keep a cookie at most (RFC 6265bis, 5.5). */
const cookieSeconds = 400 * 86_400;

const isTheme = (word: string | null): word is Theme => themes.some((theme) => theme === word);

export function themeFrom(siteUrl: string, cookies: string | null): Theme | undefined {
  const word = cookieWord(siteUrl, "theme", cookies);
  return isTheme(word) ? word : undefined;
}

/** @returns the `Set-Cookie` value of the theme that a form chose; any other word follows the system again */
export function submitTheme({ siteUrl }: Config, form: ReadonlyMap<string, string>): string {
  const chosen = form.get("theme") ?? null;
  return isTheme(chosen)
    ? setCookie(siteUrl, "theme", chosen, cookieSeconds)
    : setCookie(siteUrl, "theme", "", 0);
}
