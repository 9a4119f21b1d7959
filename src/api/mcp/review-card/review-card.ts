/**
 * The review card: what a chat that speaks MCP Apps (SEP-1865) shows for an asset, instead of its JSON. One
 * HTML file without an SDK, since hosts let the frame load nothing else.
 */
import type { ReadResourceResult } from "@modelcontextprotocol/server";
import type { Config } from "../../../core/config.ts";
// @ts-expect-error a browser script, which is imported as text
import script from "./browser.ts" with { type: "text" };
import style from "./card.css" with { type: "text" };

export const reviewCardUri = "ui://svc/review-card";
const mimeType = "text/html;profile=mcp-app";

/** The `_meta` of a tool whose result the card shows. Older hosts know the flat name. */
export const reviewCardMeta = {
  ui: { resourceUri: reviewCardUri },
  "ui/resourceUri": reviewCardUri,
} as const;

/** The card as a resource. It holds no data: the host gives it the result of the call. */
export function readReviewCard({ siteUrl }: Pick<Config, "siteUrl">): ReadResourceResult {
  const contents = { uri: reviewCardUri, mimeType, text: cardHtml(siteUrl) };
  return { contents: [{ ...contents, _meta: { ui: { prefersBorder: true } } }] };
}

function cardHtml(siteUrl: string): string {
  const transpiler = new Bun.Transpiler({ loader: "ts", target: "browser", minifyWhitespace: true });
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Review</title><style>${style}</style></head>
<body data-site="${Bun.escapeHTML(siteUrl)}">
<header><h1 id="title">Loading…</h1><span id="status"></span></header>
<p id="about"></p>
<img id="picture" alt="" hidden>
<blockquote id="note" hidden></blockquote>
<ul id="places"></ul>
<a id="desk" target="_blank" rel="noopener" hidden>Open on the desk</a>
<footer>A person decides on the review desk. An agent cannot.</footer>
<script type="module">${transpiler.transformSync(script as unknown as string)}</script>
</body>
</html>`;
}
