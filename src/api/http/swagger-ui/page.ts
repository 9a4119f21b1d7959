/**
 * The API explorer: Swagger UI with our OpenAPI document. Its script is embedded, so the page works offline
 * and its CSP allows no other host.
 */
import style from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import script from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import { perObject } from "../../../core/lib/cache.ts";
import { compressStoredFor } from "../../../core/lib/http/compression.ts";
import { notFound } from "../../../core/problem.ts";
import { pathOf } from "../api-middleware.ts";
import { explorerHtml, startScript } from "./explorer-html.ts";
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
const startHash = new Bun.CryptoHasher("sha256").update(startScript).digest("base64");
// Swagger UI sets inline styles.
const policy =
  `default-src 'none'; script-src 'self' 'sha256-${startHash}'; ` +
  "style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The HTML page. */
export function tryPage(): Response {
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "referrer-policy": "same-origin",
  };
  return new Response(explorerHtml, {
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
