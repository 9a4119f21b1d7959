/** The Content-Security-Policy of the pages. */
import type { Config } from "../../core/config.ts";

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
