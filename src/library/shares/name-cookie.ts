/** Remembers the name that a person typed, so that the next form of the share has it already. */
import type { LibraryContext } from "../context.ts";
import type { ShareRow } from "./rows.ts";
import { sessionSeconds, sharePath } from "./secret.ts";

const cookieName = "svc_share_name";

/** The `Set-Cookie` value; sent to its share only, and for as long as a session lasts. */
export function nameCookie(
  { config }: Pick<LibraryContext, "config">,
  { id }: Pick<ShareRow, "id">,
  typed: string,
): string {
  const secure = config.siteUrl.startsWith("https:") ? "; Secure" : "";
  return (
    `${cookieName}=${encodeURIComponent(typed)}; Path=${sharePath}/${id}; HttpOnly; SameSite=Lax; ` +
    `Max-Age=${sessionSeconds}${secure}`
  );
}

/** The name in a `Cookie` header; empty without one. It is what a browser sent: text, not a proof. */
export const rememberedName = (cookies: string | null): string =>
  new Bun.CookieMap(cookies ?? "").get(cookieName) ?? "";
