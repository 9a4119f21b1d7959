/**
 * Links to pages that the visitor may not open: they stay as text. A link without `href` is a placeholder
 * (HTML standard, 4.5.1), so what a page says is whole, and nothing on it leads to "Access denied".
 */
import type { Scope } from "../../core/auth/scopes.ts";
import { hasScope } from "../layout.tsx";
import type { Markup, View } from "../view.ts";

/** The paths of the pages that need a scope for reading. */
const pathsOf: Partial<Record<Scope, RegExp>> = {
  "feed:read": /^\/(feed|tasks|runs|usage)\b|^\/projects(?!\/[^/]+\/(sets|review)\b)/,
  "assets:read": /^\/(assets|review)\b|^\/projects\/[^/]+\/(sets|review)\b/,
  "memory:read": /^\/memory\b/,
};

/** @param html of a page, or a part of one */
export function withoutClosedLinks(view: View, html: string | Markup): string | Markup {
  if (!view.visitor.signedIn) return html;
  const closed = (Object.entries(pathsOf) as [Scope, RegExp][]).flatMap(([scope, paths]) =>
    hasScope(view, scope) ? [] : [paths],
  );
  // Most roles read everything: their pages are sent as they are.
  if (closed.length === 0) return html;
  const text = typeof html === "string" ? html : new TextDecoder().decode(html);
  return text.replace(/(<a\b[^>]*?)\shref="(\/[^"]*)"/g, (link, start, path) =>
    closed.some((paths) => paths.test(path)) ? start : link,
  );
}
