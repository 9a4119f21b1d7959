/** The pages. */
import type { Config } from "../config.ts";
import { paths } from "../info.ts";
import style from "./style.css" with { type: "text" };

const policy = "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const page = (html: string): Response =>
  new Response(html, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "cache-control": "no-cache",
    },
  });

export const webRoutes = (config: Config): Record<string, () => Response | Promise<Response>> => ({
  "/": () => new Response(null, { status: 302, headers: { location: paths.docs } }),
  // The renderer is loaded when a page is asked for, not when the server starts.
  [paths.docs]: async () => page((await import("./docs.tsx")).docsPage(config)),
  "/style.css": () =>
    new Response(style, {
      headers: { "content-type": "text/css; charset=utf-8", "cache-control": "no-cache", "x-content-type-options": "nosniff" },
    }),
});
