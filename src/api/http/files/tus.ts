/**
 * The tus 1.0 protocol at a signed upload URL: creation with upload, expiration, checksum and termination.
 * https://tus.io/protocols/resumable-upload
 */

import { mediaTypeOf, uncompressedChunks } from "../../../core/lib/http/request-body.ts";
import { badRequest, methodNotAllowed, Problem, unsupportedMediaType } from "../../../core/problem.ts";
import { appendPiece, type Checksum, checksumAlgorithms } from "../../../library/assets/upload/append.ts";
import {
  cancelResumable,
  readProgress,
  startResumable,
  type UploadLink,
  type UploadProgress,
} from "../../../library/assets/upload/resumable.ts";
import {
  allowedMethods,
  pieceType,
  tusExtensions,
  tusVersion,
  type UploadMethod,
  uploadMethods,
} from "../../../library/assets/upload/tus-protocol.ts";
import type { Context } from "../../context.ts";
import { type Connection, pathOf } from "../api-middleware.ts";
import { isHead } from "../head-requests.ts";
import { withoutIdleTimeout } from "../limits/idle-timeout.ts";
import type { RouteHandler } from "../plain-route.ts";

/** Sent by clients beyond the headers of the protocol that apply here. */
const toleratedHeaders = [
  "Content-Type",
  "Upload-Defer-Length",
  "X-HTTP-Method-Override",
  "X-Requested-With",
];
const methods: UploadMethod[] = Object.values(uploadMethods);
const allowedHeaders = new Set([
  ...methods.flatMap(({ requires, accepts }) => [...requires, ...accepts]),
  ...toleratedHeaders,
]);
const exposedHeaders = new Set(methods.flatMap(({ returns }) => returns));

/** Method → handler. @param linkOf reads the signed URL; throws if it is malformed */
export function tusRoutes(
  ctx: Context,
  linkOf: (request: Request) => UploadLink,
): Record<string, RouteHandler> {
  const handlers: Record<string, RouteHandler> = {
    POST: (request, connection) => create(ctx, linkOf(request), request, connection),
    PATCH: (request, connection) => append(ctx, linkOf(request), request, connection),
    async HEAD(request) {
      const progress = await readProgress(ctx, linkOf(request));
      const headers = { ...progressHeaders(progress), "upload-length": String(progress.length) };
      return new Response(null, { headers });
    },
    async DELETE(request) {
      await cancelResumable(ctx, linkOf(request));
      return new Response(null, { status: 204 });
    },
    OPTIONS(request) {
      linkOf(request);
      return discovery(ctx);
    },
  };
  const answer: RouteHandler = async (request, connection) => {
    const method = methodOf(request);
    try {
      const handler = handlers[method];
      if (!handler) throw methodNotAllowed(method, allowedMethods);
      if (method !== "OPTIONS") requireTusVersion(request);
      return withTusHeaders(await handler(request, connection));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const headers = { ...error.headers, ...tusHeaders, ...anyOrigin };
      throw new Problem(error.status, error.detail, headers, { cause: error.cause });
    }
  };
  // HEAD arrives as GET, see `asGet`.
  return { POST: answer, PATCH: answer, DELETE: answer, GET: answer, OPTIONS: answer };
}

/** The method, or the one that a client behind a proxy without PATCH names instead. */
function methodOf(request: Request): string {
  if (isHead(request)) return "HEAD";
  const override = request.method === "POST" && request.headers.get("x-http-method-override");
  return override ? override.toUpperCase() : request.method;
}

/** Begins the upload, and appends the body if there is one. */
async function create(
  ctx: Context,
  link: UploadLink,
  request: Request,
  connection: Connection | null,
): Promise<Response> {
  const length = lengthOf(request.headers.get("upload-length"));
  if (length === null) throw badRequest("Send the size of the file in bytes as Upload-Length.");
  const hasBody = mediaTypeOf(request) === pieceType;
  let progress = await startResumable(ctx, link, length);
  if (hasBody) {
    const piece = { offset: 0, checksum: checksumOf(request), ...bodyOf(request) };
    progress = await withoutIdleTimeout(request, connection, () => appendPiece(ctx, link, piece));
  }
  const location = ctx.config.contentUrl + pathOf(request.url);
  return new Response(null, { status: 201, headers: { ...progressHeaders(progress), location } });
}

async function append(
  ctx: Context,
  link: UploadLink,
  request: Request,
  connection: Connection | null,
): Promise<Response> {
  if (mediaTypeOf(request) !== pieceType)
    throw unsupportedMediaType(`Send the bytes as Content-Type: ${pieceType}.`);
  const offset = lengthOf(request.headers.get("upload-offset"));
  if (offset === null)
    throw badRequest("Upload-Offset must be a number of bytes. HEAD returns the current one.");
  const piece = { offset, checksum: checksumOf(request), ...bodyOf(request) };
  const progress = await withoutIdleTimeout(request, connection, () => appendPiece(ctx, link, piece));
  return new Response(null, { status: 204, headers: progressHeaders(progress) });
}

const bodyOf = (request: Request) => ({
  body: uncompressedChunks(request),
  length: lengthOf(request.headers.get("content-length")),
});

const lengthOf = (text: string | null): number | null =>
  text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;

function checksumOf({ headers }: Request): Checksum | null {
  const text = headers.get("upload-checksum");
  if (text === null) return null;
  const [, algorithm = "", digest = ""] = /^(\w+) ([\w+/]+={0,2})$/.exec(text.trim()) ?? [];
  if (!(checksumAlgorithms as readonly string[]).includes(algorithm))
    throw badRequest(
      `Upload-Checksum must be an algorithm (${checksumAlgorithms.join(", ")}) and a Base64 digest.`,
    );
  return { algorithm: algorithm as Checksum["algorithm"], digest: Buffer.from(digest, "base64") };
}

const progressHeaders = ({ offset, until }: UploadProgress): Record<string, string> => ({
  "upload-offset": String(offset),
  "upload-expires": new Date(until / 1000).toUTCString(),
});

function requireTusVersion({ headers }: Request): void {
  if (headers.get("tus-resumable") !== tusVersion)
    throw new Problem(412, `Send Tus-Resumable: ${tusVersion}.`, { "tus-version": tusVersion });
}

/** The signed URL is the credential, as with a bucket: pages of any origin may upload to it. */
const anyOrigin = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": [...exposedHeaders].join(", "),
};

const tusHeaders = {
  "tus-resumable": tusVersion,
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

/** Adds the CORS headers that tus clients in browsers need. */
export function allowAnyOrigin(response: Response): Response {
  for (const [name, value] of Object.entries(anyOrigin)) response.headers.set(name, value);
  return response;
}

function withTusHeaders(response: Response): Response {
  for (const [name, value] of Object.entries(tusHeaders)) response.headers.set(name, value);
  return allowAnyOrigin(response);
}

/** OPTIONS: what the server supports, and the answer to a preflight request (Fetch Standard, 3.2). */
const discovery = ({ config }: Context): Response =>
  new Response(null, {
    status: 204,
    headers: {
      "tus-version": tusVersion,
      "tus-extension": tusExtensions,
      "tus-max-size": String(config.uploadBytesMax),
      "tus-checksum-algorithm": checksumAlgorithms.join(","),
      "access-control-allow-methods": allowedMethods,
      "access-control-allow-headers": [...allowedHeaders].join(", "),
      "access-control-max-age": "86400",
    },
  });
