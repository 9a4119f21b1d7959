/** @jsxImportSource preact */
/** The document around every page of a share link: without navigation, and without a name in its title. */
import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Config } from "../../core/config.ts";
import { contentSecurityPolicy } from "../site/content-security-policy.ts";
import { type ScriptName, staticUrl } from "../static-files.ts";

interface DocumentProps {
  title: string;
  scripts?: readonly ScriptName[];
  children: ComponentChildren;
}

/**
 * The header `Referrer-Policy: no-referrer` is for clients that do not read the page. The element replaces
 * it, because with that policy browsers send their forms with `Origin: null` (Fetch, 3.2.4): it still keeps
 * the path, which can be the secret, out of every `Referer`.
 */
const originOnly = <meta name="referrer" content="strict-origin" />;

const Document = ({ title, scripts = [], children }: DocumentProps) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex" />
      {originOnly}
      <title>{`${title} · svc`}</title>
      <link rel="icon" href={staticUrl("icon.svg")} type="image/svg+xml" />
      <link rel="stylesheet" href={staticUrl("style.css")} />
      {scripts.map((name) => (
        <script key={name} type="module" src={staticUrl(name)} />
      ))}
    </head>
    <body>
      <header class="bar">
        <div class="bar-in">
          <span class="brand">
            <img src={staticUrl("icon.svg")} alt="" width="20" height="20" />
            svc
          </span>
        </div>
      </header>
      <main id="content">{children}</main>
    </body>
  </html>
);

interface ResponseOptions extends DocumentProps {
  status?: number;
  headers?: Record<string, string>;
  /** Other origins that the scripts may connect to. */
  connectOrigins?: string[];
}

/** The headers of every answer below `/s`, also of those without a page. */
export const shareHeaders = {
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "x-robots-tag": "noindex",
  "x-content-type-options": "nosniff",
};

export const shareResponse = (
  config: Config,
  { status = 200, headers = {}, connectOrigins = [], ...page }: ResponseOptions,
): Response =>
  new Response(`<!doctype html>${renderToString(<Document {...page} />)}`, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": contentSecurityPolicy(config, connectOrigins),
      ...shareHeaders,
      ...headers,
    },
  });
