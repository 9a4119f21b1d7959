/** The response of a page: its headers, its Markdown, and the error page. */

import type { Scope } from "../../core/auth/scopes.ts";
import type { Config } from "../../core/config.ts";
import { paths } from "../../core/info.ts";
import { prefersType } from "../../core/lib/http/accept.ts";
import { compressFor } from "../../core/lib/http/compression.ts";
import { corkedBody } from "../../core/lib/http/corked-body.ts";
import { Problem } from "../../core/problem.ts";
import { countInbox } from "../../overview/inbox/inbox.ts";
import { problemPage } from "../error-page.tsx";
import { hasScope, renderPage } from "../layout.tsx";
import { loadSavedViews } from "../lists/saved-views.tsx";
import type { Markup, Page, View } from "../view.ts";

/** A page, an HTML fragment, or a complete response such as a CSV download. */
export type Result = Page | string | Response;

/** Answers with a page, and with the error page for a Problem. */
export async function respond(
  view: View,
  request: Request,
  work: () => Result | Promise<Result>,
): Promise<Response> {
  try {
    const result = await work();
    if (result instanceof Response) return result;
    return typeof result === "string"
      ? html(view, request, result)
      : pageResponse(view, request, await withVisitor(view, result));
  } catch (error) {
    return errorPage(view, request, error);
  }
}

/** Renders a problem as an error page. Any other error is thrown again. */
export async function errorPage(view: View, request: Request, error: unknown): Promise<Response> {
  if (!(error instanceof Problem)) throw error;
  const page = await problemPage(view, error);
  // Of a database that does not answer, there is no count either.
  const counted = await withVisitor(view, page).catch(() => page);
  const response = pageResponse(view, request, counted);
  for (const [name, value] of Object.entries(error.headers ?? {})) response.headers.set(name, value);
  return response;
}

/** With what is the visitor's own: the number of items that need them, and their views of the list. */
async function withVisitor(view: View, page: Page): Promise<Page> {
  const { visitor, ctx } = view;
  if (!visitor.signedIn) return page;
  const [inboxCount, savedViews] = await Promise.all([
    page.inboxCount ?? (hasScope(view, "feed:read") ? countInbox(ctx, visitor.caller) : undefined),
    loadSavedViews(view),
  ]);
  return { ...page, ...(inboxCount !== undefined && { inboxCount }), savedViews };
}

function pageResponse(view: View, request: Request, page: Page): Response {
  const plain =
    page.markdown !== undefined && prefersType(request.headers.get("accept"), "text/markdown", "text/html");
  const response = plain
    ? new Response(page.markdown?.text, {
        headers: { "content-type": "text/markdown; charset=utf-8", "x-content-type-options": "nosniff" },
      })
    : html(view, request, renderPage(view, page), page);
  if (page.markdown) {
    response.headers.append("vary", "Accept");
    response.headers.append("link", `<${page.markdown.path}>; rel="alternate"; type="text/markdown"`);
  }
  return response;
}

/** The Link header of the home page (RFC 8288): where clients find the API, the docs, and the catalogs. */
const discoveryLinks = [
  [paths.apiCatalog, "api-catalog", "application/linkset+json"],
  [paths.openapi, "service-desc", "application/json"],
  [paths.docs, "service-doc", "text/html"],
  [paths.llms, "describedby", "text/plain"],
  [paths.aiCatalog, "ai-catalog", "application/ai-catalog+json"],
]
  .map(([path, relation, type]) => `<${path}>; rel="${relation}"; type="${type}"`)
  .join(", ");

function html(
  view: View,
  request: Request,
  whole: string | Markup,
  { status = 200, connectOrigins = [], cookie }: Partial<Page> = {},
): Response {
  const text = withoutClosedLinks(view, whole);
  const { body, encoding } = text.length > 1024 ? compressFor(request, text) : { body: text, encoding: {} };
  return new Response(corkedBody(body), {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": contentSecurityPolicy(view.ctx.config, connectOrigins),
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      vary: "Accept-Encoding, Cookie",
      ...(view.url.pathname === "/" && { link: discoveryLinks }),
      ...(cookie && { "set-cookie": cookie }),
      ...encoding,
    },
  });
}

/**
 * The Content-Security-Policy of a page: no inline scripts and no third-party hosts. Uploaded files come from
 * the content origin, which may be the site itself.
 */
export function contentSecurityPolicy({ siteUrl, contentUrl }: Config, connectOrigins: string[]): string {
  const named = (origin: string) => (origin === siteUrl ? "'self'" : origin);
  const listed = (...sources: string[]) => [...new Set(sources)].join(" ");
  const content = named(contentUrl);
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src ${listed("'self'", ...connectOrigins.map(named))}`,
    "worker-src 'self'",
    `img-src ${listed("'self'", content, "data:")}`,
    `media-src ${content}`,
    `frame-src ${listed("'self'", content)}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** The paths of the pages that need a scope for reading. */
const pathsOf: Partial<Record<Scope, RegExp>> = {
  "feed:read": /^\/(feed|tasks|runs|usage)\b|^\/projects(?!\/[^/]+\/(sets|review)\b)/,
  "assets:read": /^\/(assets|review)\b|^\/projects\/[^/]+\/(sets|review)\b/,
  "memory:read": /^\/memory\b/,
};

/**
 * Leaves links to pages that the visitor may not open as text. A link without `href` is a placeholder (HTML
 * standard, 4.5.1), so what a page says is whole, and nothing on it leads to "Access denied".
 * @param html of a page, or a part of one
 */
function withoutClosedLinks(view: View, html: string | Markup): string | Markup {
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
