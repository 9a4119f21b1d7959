/** The one place that sends bytes of users: their headers, ranges and conditions (RFC 9110, 13 and 14). */
import type { Sendable } from "../assets/files.ts";
import { dispositionOf } from "../assets/response-headers.ts";
import type { Config } from "../config.ts";
import { etagMatches } from "../lib/etag.ts";
import { notFound, unavailable } from "../problem.ts";
import type { ByteRange } from "../stores/store.ts";
import { isHead } from "./head-requests.ts";

export interface FileResponseOptions {
  config: Config;
  cacheControl: string;
  /** Where a page may load from: its own files and nothing else. */
  origin: string;
}

export async function fileResponse(
  request: Request,
  file: Sendable,
  options: FileResponseOptions,
): Promise<Response> {
  const headers = headersOf(file, options);
  if (etagMatches(request.headers.get("if-none-match"), headers.etag as string))
    return new Response(null, { status: 304, headers });
  const asksOnly = isHead(request);
  const size = (!asksOnly && file.size) || (await sizeOf(file));
  const range = rangeOf(request, headers.etag as string, size);
  if (range === "unsatisfiable")
    return new Response(null, { status: 416, headers: { ...headers, "content-range": `bytes */${size}` } });
  const whole = { status: 200, headers: { ...headers, "content-length": String(size) } };
  const answer = range ? partOf(whole, range, size) : whole;
  if (asksOnly) return new Response(null, answer);
  const stored = await file.store.get(file.key, range ?? undefined);
  if (!stored) throw gone();
  if (stored.size === size) return new Response((range && stored.file) || stored.body, answer);
  await stored.body.cancel();
  throw unavailable("The store reported two sizes for the same object. Try again.");
}

/** Of a file that could not be sent, though it had been there. */
export function streamProblem(error: unknown): unknown {
  const { code } = error as { code?: string };
  if (code === "ENOENT") return gone();
  return code === undefined ? error : unavailable("Cannot read this file from the store.", error);
}

const gone = () => notFound("This file does not exist or has been deleted.");

async function sizeOf({ store, key }: Sendable): Promise<number> {
  const info = await store.stat(key);
  if (!info) throw gone();
  return info.size;
}

const partOf = (
  { headers }: { headers: Record<string, string> },
  { start, end }: ByteRange,
  size: number,
) => ({
  status: 206,
  headers: {
    ...headers,
    "content-length": String(end - start),
    "content-range": `bytes ${start}-${end - 1}/${size}`,
  },
});

function headersOf(
  file: Sendable,
  { config, cacheControl, origin }: FileResponseOptions,
): Record<string, string> {
  return {
    "content-type":
      /^text\//.test(file.type) && !file.type.includes("charset") ? `${file.type}; charset=utf-8` : file.type,
    "content-disposition": dispositionOf(file.type, file.filename, file.page),
    "content-security-policy": policyOf(file, origin),
    "cross-origin-resource-policy": "cross-origin",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "accept-ranges": "bytes",
    "cache-control": cacheControl,
    etag: `"${file.etag}"`,
    ...readableBy(file, config),
  };
}

/**
 * A page has an origin of its own, so to a browser its scripts, fonts and data are those of another one.
 * Whoever knows its signed address reads it anyway; cookies play no part.
 */
function readableBy({ page }: Sendable, { contentUrl, siteUrl }: Config): Record<string, string> {
  if (page) return { "access-control-allow-origin": "*" };
  return contentUrl === siteUrl ? {} : { "access-control-allow-origin": siteUrl };
}

/**
 * An origin of its own, without cookies and storage; a page may run scripts there and load its own files,
 * nothing may call out.
 */
function policyOf({ page }: Sendable, origin: string): string {
  if (!page) return "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:";
  return `sandbox allow-scripts; default-src ${origin} 'unsafe-inline' 'unsafe-eval' data: blob:; form-action 'none'; base-uri 'none'; frame-src 'none'; worker-src blob:`;
}

/** One range, honoured; several, or one that If-Range makes void, are answered with the whole. */
function rangeOf(request: Request, etag: string, size: number): ByteRange | null | "unsatisfiable" {
  const field = request.headers.get("range");
  const condition = request.headers.get("if-range");
  if (field === null || (condition !== null && condition.trim() !== etag)) return null;
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
