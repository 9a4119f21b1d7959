/**
 * Style sheet, icon, and scripts of the pages: embedded as text and served under one version.
 */
import { Cache } from "../core/lib/cache.ts";
import { compressStoredFor } from "../core/lib/http/compression.ts";
import { lazy } from "../core/lib/lazy.ts";
import { readerFiles, readerVersion } from "./assets/pdf-reader.ts";
import type { IconName } from "./icons/icon-with-count.ts";
import { modelViewerFiles, modelViewerVersion } from "./models/model-viewer.ts";
import { siteTexts } from "./site-texts.ts";

export type ScriptName = `${string}.js`;
export type StaticFileName = ScriptName | "style.css" | IconName;

const mimeTypes: Record<string, string> = {
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  js: "text/javascript; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
};

/** Paths of large scripts of packages, which are read when they are first asked for. */
const embeddedFiles = { ...readerFiles, ...modelViewerFiles };

/** Response bodies by file name: the same bytes each time, so that they are compressed once. */
const bodies = new Cache<string, Uint8Array<ArrayBuffer>>({ max: 100, bytesMax: 128 * 2 ** 20 });

const version = lazy(() =>
  Bun.hash([...Object.values(siteTexts), readerVersion, modelViewerVersion].join("\n"))
    .toString(36)
    .slice(0, 10),
);

const prefix = "/site/";

/**
 * The URL of a static file. Its version changes when any file does, so that browsers may cache each forever
 * and never mix files of two versions. @throws for a name that is not served
 */
export function staticUrl(name: StaticFileName): string {
  if (!Object.hasOwn(siteTexts, name)) throw new Error(`no static file is named ${name}`);
  return `${prefix}${version()}/${name}`;
}

async function loadBody(name: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const loaded = bodies.get(name);
  if (loaded) return loaded;
  const text = Object.hasOwn(siteTexts, name) ? siteTexts[name] : undefined;
  const file = Object.hasOwn(embeddedFiles, name) ? embeddedFiles[name] : undefined;
  if (text === undefined && file === undefined) return null;
  const body = text === undefined ? await Bun.file(file as string).bytes() : new TextEncoder().encode(text);
  bodies.set(name, body);
  return body;
}

export async function staticFileResponse(path: string, request: Request): Promise<Response | null> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const found = await loadBody(name);
  if (!found) return null;
  const { body, encoding } = compressStoredFor(request, found);
  const headers = {
    "content-type": mimeTypes[name.split(".").at(-1) as string] as string,
    "cache-control": "public, max-age=31536000, immutable",
    vary: "Accept-Encoding",
    "x-content-type-options": "nosniff",
    // A worker has the policy of its own script: the PDF worker may load scripts and connect to nothing.
    "content-security-policy": "default-src 'none'; script-src 'self'",
    ...encoding,
  };
  return new Response(body, { headers });
}
