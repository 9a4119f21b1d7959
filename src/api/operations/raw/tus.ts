/**
 * The methods of the tus 1.0 protocol at a signed upload URL: creation with upload, expiration, checksum and
 * termination. https://tus.io/protocols/resumable-upload
 */
import { mediaTypeOf, uncompressedChunks } from "../../../core/lib/http/request-body.ts";
import { badRequest, Problem, unsupportedMediaType } from "../../../core/problem.ts";
import { appendPiece, type Checksum, checksumAlgorithms } from "../../../library/assets/upload/append.ts";
import {
  cancelResumable,
  readProgress,
  startResumable,
  type UploadLink,
  type UploadProgress,
} from "../../../library/assets/upload/resumable.ts";
import type { Context } from "../../context.ts";
import { type Connection, pathOf } from "../../http/api-middleware.ts";
import { readSigned } from "../../http/files/routes.ts";
import { withoutIdleTimeout } from "../../http/limits/idle-timeout.ts";
import type { RawHandler } from "./raw-operation.ts";

export const tusVersion = "1.0.0";
export const tusExtensions = "creation,creation-with-upload,expiration,checksum,termination";
export const pieceType = "application/offset+octet-stream";

type TusHandler = (
  ctx: Context,
  link: UploadLink,
  request: Request,
  connection: Connection | null,
) => Promise<Response>;

/** @param handle gets the signed URL, whose expiry and signature it checks */
export const tus =
  (handle: TusHandler) =>
  (ctx: Context): RawHandler =>
  (request, connection) => {
    const link = readLink(request);
    if (request.headers.get("tus-resumable") !== tusVersion)
      throw new Problem(412, `Send Tus-Resumable: ${tusVersion}.`, { "tus-version": tusVersion });
    return handle(ctx, link, request, connection);
  };

export function readLink(request: Request): UploadLink {
  const { id, sealed } = readSigned(request);
  return { id, signedExpiry: sealed };
}

/** Begins the upload, and appends the body if there is one. */
export const create = tus(async (ctx, link, request, connection) => {
  if (request.headers.has("upload-concat"))
    throw badRequest(
      "Upload-Concat is not supported: parts of a file cannot be sent in parallel. Send it as one upload.",
    );
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
});

export const append = tus(async (ctx, link, request, connection) => {
  if (mediaTypeOf(request) !== pieceType)
    throw unsupportedMediaType(`Send the bytes as Content-Type: ${pieceType}.`);
  const offset = lengthOf(request.headers.get("upload-offset"));
  if (offset === null)
    throw badRequest("Upload-Offset must be a number of bytes. HEAD returns the current one.");
  const piece = { offset, checksum: checksumOf(request), ...bodyOf(request) };
  const progress = await withoutIdleTimeout(request, connection, () => appendPiece(ctx, link, piece));
  return new Response(null, { status: 204, headers: progressHeaders(progress) });
});

export const getOffset = tus(async (ctx, link) => {
  const progress = await readProgress(ctx, link);
  const headers = { ...progressHeaders(progress), "upload-length": String(progress.length) };
  return new Response(null, { headers });
});

export const cancel = tus(async (ctx, link) => {
  await cancelResumable(ctx, link);
  return new Response(null, { status: 204 });
});

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
