/** The document around every page, and that of guests: people with a share link, whose page leads nowhere else. */
import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import { iconName } from "./icons/icon-with-count.ts";
import type { Theme } from "./settings/theme.ts";
import { type ScriptName, staticUrl } from "./static-files.ts";
import type { Page } from "./view.ts";

/** Delays the first paint until the script has run (HTML standard, 4.12.1); Preact has no type for it yet. */
const renderBlocking = { blocking: "render" };

/** Up to the edges of the screen, and above an open keyboard: style sheets add the safe-area insets. */
const viewport =
  "width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content";

interface DocumentProps {
  page: Page;
  theme?: Theme | undefined;
  head: ComponentChildren;
  scripts: readonly ScriptName[];
  /** The bar at the top. */
  bar: ComponentChildren;
  children: ComponentChildren;
}

export const Document = ({ page, theme, head, scripts, bar, children }: DocumentProps) => (
  <html lang="en" data-theme={theme}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content={viewport} />
      <meta name="color-scheme" content={theme ?? "light dark"} />
      {head}
      <title>{`${attentionPrefix(page)}${page.title} · svc`}</title>
      <link rel="icon" href={staticUrl(iconName(page.attention))} type="image/svg+xml" />
      <link rel="stylesheet" href={staticUrl("style.css")} />
      <script type="module" src={staticUrl("times.js")} {...renderBlocking} />
      {scripts.map((name) => (
        <script key={name} type="module" src={staticUrl(name)} />
      ))}
    </head>
    <body>
      {bar}
      {children}
    </body>
  </html>
);

export const Brand = () => (
  <>
    <img src={staticUrl("icon.svg")} alt="" width="20" height="20" />
    svc
  </>
);

/**
 * The header `Referrer-Policy: no-referrer` is for clients that do not read the page. The element replaces
 * it, because with that policy browsers send their forms with `Origin: null` (Fetch, 3.2.4): it still keeps
 * the path, which can be the secret of a share link, out of every `Referer`.
 */
const originOnly = <meta name="referrer" content="strict-origin" />;

export const renderGuestPage = (page: Page): string =>
  `<!doctype html>${renderToString(
    <Document
      page={page}
      head={
        <>
          <meta name="robots" content="noindex" />
          {originOnly}
        </>
      }
      scripts={page.islands ?? []}
      bar={
        <header class="bar">
          <div class="bar-in">
            <span class="brand">
              <Brand />
            </span>
          </div>
        </header>
      }
    >
      <main id="content">{page.body}</main>
    </Document>,
  )}`;

/** `(7) `, up to 99. */
const attentionPrefix = ({ attention = 0 }: Page): string =>
  attention === 0 ? "" : `(${attention > 99 ? "99+" : attention}) `;
