/**
 * The only place that sends uploaded files: headers, conditional and range requests (RFC 9110, 13 and 14).
 */

import type { Config } from "../../../core/config.ts";
import { etagMatches } from "../../../core/lib/http/etag.ts";
import { notFound, unavailable } from "../../../core/problem.ts";
import type { ByteRange } from "../../../files/stores/store.ts";
import type { ServableFile } from "../../../library/assets/files/resolve.ts";
import {
  attachmentOf,
  contentTypeOf,
  dispositionOf,
} from "../../../library/assets/files/response-headers.ts";
import { isHead } from "../head-requests.ts";

export interface FileResponseOptions {
  config: Config;
  cacheControl: string;
  /** The only origin and path an HTML bundle may load from: its own files. */
  origin: string;
}

/** A file that requests may read, with what does not depend on the range they ask for. */
export interface ReadyFile {
  file: ServableFile;
  /** In bytes. */
  size: number;
  headers: Headers;
}

/**
 * Sends a stored file: 200, 206, 304 or 416.
 * @param remember called with a file that further requests of its URL may be sent from
 * @throws {Problem} 404 if the file is gone, 503 if the store fails, or the file is not what was reviewed
 */
export async function fileResponse(
  request: Request,
  file: ServableFile,
  options: FileResponseOptions,
  remember?: (ready: ReadyFile) => void,
): Promise<Response> {
  const headers = new Headers(headersOf(file, options));
  const unchanged = notModified(request, headers);
  if (unchanged) return unchanged;
  const isHeadRequest = isHead(request);
  const size = (!isHeadRequest && file.size) || (await sizeOf(file));
  if (!isHeadRequest) await file.verify?.();
  headers.set("content-type", await contentTypeOf(file.store, { ...file, size }));
  const ready = { file, size, headers };
  if (!isHeadRequest) remember?.(ready);
  return readyResponse(request, ready);
}

/** Sends what the request asks of a file. @throws {Problem} 404 if it is gone, 503 if the store fails */
export async function readyResponse(request: Request, { file, size, headers }: ReadyFile): Promise<Response> {
  const unchanged = notModified(request, headers);
  if (unchanged) return unchanged;
  const range = rangeOf(request, headers, size);
  if (range === "unsatisfiable")
    return new Response(null, {
      status: 416,
      headers: withHeaders(headers, { "content-range": `bytes */${size}` }),
    });
  const full = { status: 200, headers: withHeaders(headers, { "content-length": String(size) }) };
  const init = range ? partialResponse(headers, range, size) : full;
  if (isHead(request)) return new Response(null, init);
  const stored = await file.store.get(file.key, range ?? undefined);
  if (!stored) throw gone();
  if (stored.size !== size) {
    await stored.body.cancel();
    throw unavailable("The store reported two sizes for the same object. Try again.");
  }
  if (!stored.readNow) return new Response((range && stored.file) || stored.body, init);
  const bytes = stored.readNow();
  if (!bytes) throw gone();
  return new Response(bytes, init);
}

/** The same of a small range, without waiting; null if that takes more than reading it. */
export function smallRangeResponse(request: Request, { file, size, headers }: ReadyFile): Response | null {
  if (request.headers.has("if-none-match")) return null;
  const range = rangeOf(request, headers, size);
  if (range === null || range === "unsatisfiable") return null;
  const bytes = file.store.readNow?.(file.key, range);
  return bytes ? new Response(bytes, partialResponse(headers, range, size)) : null;
}

const notModified = (request: Request, headers: Headers): Response | null =>
  etagMatches(request.headers.get("if-none-match"), headers.get("etag") as string)
    ? new Response(null, { status: 304, headers })
    : null;

/**
 * The problem for a file that failed while it was being sent: 404 if it is gone, 503 for other I/O errors.
 */
export function streamProblem(error: unknown): unknown {
  const { code } = error as { code?: string };
  if (code === "ENOENT") return gone();
  return code === undefined ? error : unavailable("Cannot read this file from the store.", error);
}

const gone = () => notFound("This file does not exist or has been deleted.");

async function sizeOf({ store, key }: ServableFile): Promise<number> {
  const info = await store.stat(key);
  if (!info) throw gone();
  return info.size;
}

const partialResponse = (headers: Headers, { start, end }: ByteRange, size: number) => ({
  status: 206,
  headers: withHeaders(headers, {
    "content-length": String(end - start),
    "content-range": `bytes ${start}-${end - 1}/${size}`,
  }),
});

/** A copy with further headers: half of the CPU of making all of them again. */
function withHeaders(headers: Headers, more: Record<string, string>): Headers {
  const all = new Headers(headers);
  for (const name in more) all.set(name, more[name] as string);
  return all;
}

function headersOf(
  file: ServableFile,
  { config, cacheControl, origin }: FileResponseOptions,
): Record<string, string> {
  return {
    "content-disposition": file.isDownload
      ? attachmentOf(file.filename)
      : dispositionOf(file.type, file.filename, file.isPage),
    "content-security-policy": policyOf(file, origin),
    "cross-origin-resource-policy": "cross-origin",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "accept-ranges": "bytes",
    "cache-control": cacheControl,
    etag: `"${file.etag}"`,
    ...corsHeaders(file, config),
  };
}

/**
 * CORS headers. An HTML bundle is sandboxed into an opaque origin, so loading its own scripts, fonts and data
 * is cross-origin. `*` is safe: the signed URL is the credential, and cookies are not used.
 */
function corsHeaders(
  { isPage: page }: ServableFile,
  { contentUrl, siteUrl }: Config,
): Record<string, string> {
  if (page) return { "access-control-allow-origin": "*" };
  return contentUrl === siteUrl ? {} : { "access-control-allow-origin": siteUrl };
}

/**
 * The CSP sandboxes files into an opaque origin without cookies or storage. An HTML bundle can run scripts
 * and load its own files, but cannot make requests anywhere else.
 */
function policyOf({ isPage: page }: ServableFile, origin: string): string {
  if (!page) return "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:";
  return (
    `sandbox allow-scripts; default-src ${origin} 'unsafe-inline' 'unsafe-eval' data: blob:; ` +
    "form-action 'none'; base-uri 'none'; frame-src 'none'; worker-src blob:"
  );
}

/** The requested byte range; null (send the whole file) for several ranges or a failed `If-Range`. */
function rangeOf(request: Request, headers: Headers, size: number): ByteRange | null | "unsatisfiable" {
  const field = request.headers.get("range");
  const condition = request.headers.get("if-range");
  if (field === null || (condition !== null && condition.trim() !== headers.get("etag"))) return null;
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(field.trim()) ?? [];
  if (first === "" && last === "") return null;
  if (first === "")
    return Number(last) === 0 || size === 0
      ? "unsatisfiable"
      : { start: Math.max(0, size - Number(last)), end: size };
  if (last !== "" && Number(last) < Number(first)) return null;
  if (Number(first) >= size) return "unsatisfiable";
  return { start: Number(first), end: Math.min(size, last === "" ? size : Number(last) + 1) };
}
