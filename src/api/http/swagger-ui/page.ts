/**
 * The API explorer: Swagger UI from `@elysiajs/swagger` with our OpenAPI document. The plugin loads its
 * script from a CDN; here it is embedded, so the page works offline and its CSP allows no other host.
 */
import style from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import script from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import { paths } from "../../../core/info.ts";
import { perObject } from "../../../core/lib/cache.ts";
import { compressStoredFor } from "../../../core/lib/http/compression.ts";
import { notFound } from "../../../core/problem.ts";
import { pathOf } from "../api-middleware.ts";
import { explorerHtml } from "./explorer-html.ts";
import { tryScript } from "./script.ts";
import ownStyle from "./theme.css" with { type: "file" };

interface StaticFile {
  type: string;
  file?: string;
  text?: string;
}

const files: Record<string, StaticFile> = {
  "swagger-ui.js": { type: "text/javascript; charset=utf-8", file: script },
  "swagger-ui.css": { type: "text/css; charset=utf-8", file: style },
  "try.css": { type: "text/css; charset=utf-8", file: ownStyle },
  "try.js": { type: "text/javascript; charset=utf-8", text: tryScript },
};

/** The same bytes each time, so that they are compressed once. */
const bytesOf = perObject(async ({ file, text }: StaticFile) =>
  text ? new TextEncoder().encode(text) : Bun.file(file as string).bytes(),
);
let page: Promise<{ html: string; policy: string }> | undefined;

/** The HTML page. */
export async function tryPage(): Promise<Response> {
  page ??= makePage();
  const { html, policy } = await page;
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "referrer-policy": "same-origin",
  };
  return new Response(html, {
    headers: { ...headers, "content-security-policy": policy, "x-content-type-options": "nosniff" },
  });
}

/** A script or stylesheet of the page. */
export async function tryFile(request: Request): Promise<Response> {
  const path = pathOf(request.url);
  const name = path.slice(path.lastIndexOf("/") + 1);
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (!file) throw notFound(`Path not found: ${path}`);
  const { body, encoding } = compressStoredFor(request, await bytesOf(file));
  const headers = {
    "content-type": file.type,
    "cache-control": "public, max-age=3600",
    vary: "Accept-Encoding",
  };
  return new Response(body, { headers: { ...headers, ...encoding, "x-content-type-options": "nosniff" } });
}

async function makePage(): Promise<{ html: string; policy: string }> {
  const original = await explorerHtml();
  const html = original
    .replace(
      /<script src="https:[^"]*" crossorigin><\/script>/,
      `<script src="${paths.try}/try.js"></script><script src="${paths.try}/swagger-ui.js"></script>`,
    )
    .replace("</head>", `<link rel="stylesheet" href="${paths.try}/try.css" /></head>`)
    .replace("<body>", `<body><header class="try"><a href="${paths.docs}">API reference</a></header>`);
  const inline = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, text = ""]) => `'sha256-${new Bun.CryptoHasher("sha256").update(text).digest("base64")}'`,
  );
  // Swagger UI sets inline styles.
  const policy =
    `default-src 'none'; script-src 'self' ${inline.join(" ")}; ` +
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  return { html, policy };
}
