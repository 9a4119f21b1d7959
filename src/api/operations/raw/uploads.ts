/** The signed upload URL: one PUT of the whole file, or a resumable upload. The URL is the credential. */
import { Type } from "@sinclair/typebox";
import { uploadChunks } from "../../../core/lib/http/request-body.ts";
import type { Status } from "../../../core/problem.ts";
import { signedFilePath } from "../../../library/assets/files/signed-urls.ts";
import { AssetId } from "../../../library/assets/schema.ts";
import { checksumAlgorithms } from "../../../library/assets/upload/append.ts";
import { receiveUpload } from "../../../library/assets/upload/direct.ts";
import type { Context } from "../../context.ts";
import { readSigned } from "../../http/files/routes.ts";
import { withoutIdleTimeout } from "../../http/limits/idle-timeout.ts";
import { binary, jsonContent, type RawField, type RawHandler, type RawOperation } from "./raw-operation.ts";
import { append, cancel, create, getOffset, pieceType, readLink, tusExtensions, tusVersion } from "./tus.ts";

export const signedUploadPath = `${signedFilePath}/upload/{id}/{signature}`;

/** Header of tus → what it says. Numbers are bytes. */
const tusHeaders = {
  "Tus-Resumable": { description: "Version of the protocol.", example: tusVersion },
  "Tus-Version": { description: "Supported versions.", example: tusVersion },
  "Tus-Extension": { description: "Supported extensions.", example: tusExtensions },
  "Tus-Max-Size": { description: "Largest file, in bytes.", example: 2_147_483_648 },
  "Tus-Checksum-Algorithm": {
    description: "Algorithms of `Upload-Checksum`.",
    example: checksumAlgorithms.join(","),
  },
  "Upload-Length": { description: "Size of the file in bytes.", example: 52_428_800 },
  "Upload-Offset": {
    description: "Bytes received so far: where the next piece begins.",
    example: 16_777_216,
  },
  "Upload-Expires": {
    description: "When the unfinished upload is deleted.",
    example: "Wed, 25 Nov 2026 09:30:00 GMT",
  },
  "Upload-Metadata": {
    description: "Accepted and ignored: the reservation has the metadata.",
    example: "filename aGFyYm9yLnBuZw==",
  },
  "Upload-Checksum": {
    description:
      "Algorithm and Base64 digest of the body. With it, the body counts as a whole or not at all.",
    example: "sha256 uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=",
  },
  Location: { description: "The URL of the upload: this one." },
} satisfies Record<string, RawField>;
type TusHeader = keyof typeof tusHeaders;

const described = (names: readonly TusHeader[]): Record<string, RawField> =>
  Object.fromEntries(names.map((name) => [name, tusHeaders[name]]));

const parameters = (requires: readonly TusHeader[], accepts: readonly TusHeader[]) =>
  Object.fromEntries(
    [...requires, ...accepts].map((name) => [
      name,
      { in: "header" as const, required: requires.includes(name), ...tusHeaders[name] },
    ]),
  );

/** Errors of every method that reads the URL. */
const common: Status[] = [403, 404, 405, 500, 501, 503];
const tusCommon: Status[] = [...common, 410, 412];
const progress: TusHeader[] = ["Tus-Resumable", "Upload-Offset", "Upload-Expires"];

const signedUrl = {
  tag: "assets",
  path: signedUploadPath,
  server: { of: "contentUrl", description: "The origin of files: the signed URL is the credential." },
  security: {},
  prepare: takeMethodOverride,
  finish: allowAnyOrigin,
} as const;
const urlParameters = {
  id: {
    in: "path" as const,
    required: true,
    description: "Id of the reserved upload.",
    schema: Type.String({ pattern: AssetId.pattern as string }),
  },
  signature: {
    in: "path" as const,
    required: true,
    description: "Expiry and signature, as in the returned URL.",
    schema: Type.String({ pattern: "^\\d{1,15}-[\\w-]{1,64}$" }),
  },
};

const putUpload: RawOperation = {
  ...signedUrl,
  id: "putUpload",
  method: "PUT",
  summary: "Send a reserved file in one request",
  description:
    "The `upload_url` of a store that presigns none, such as a disk, with the reserved content type. It " +
    "accepts one file; returns its size and SHA-256.",
  parameters: urlParameters,
  body: { content: { "*/*": binary } },
  responses: {
    200: {
      description: "Send a reserved file in one request.",
      content: jsonContent(
        Type.Object({
          size: Type.Integer({ format: "int64", description: "In bytes." }),
          sha256: Type.String({ description: "In hex." }),
        }),
        { size: 18, sha256: "7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069" },
      ),
    },
  },
  errors: [...common, 400, 409, 413, 415],
  handler: (ctx) => async (request, connection) => {
    const { id, sealed } = readSigned(request);
    const upload = {
      id,
      signedExpiry: sealed,
      body: uploadChunks(request),
      type: request.headers.get("content-type"),
      length: request.headers.get("content-length"),
    };
    const result = await withoutIdleTimeout(request, connection, () => receiveUpload(ctx, upload));
    return Response.json(result, {
      headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" },
    });
  },
};

const tusRow = { ...signedUrl, errorHeaders: described(["Tus-Resumable"]), finish };

const createResumableUpload: RawOperation = {
  ...tusRow,
  id: "createResumableUpload",
  method: "POST",
  summary: "Begin a resumable upload",
  description:
    "tus 1.0 at the `resumable_url` of a reserved upload. A repeated call with the same length returns " +
    "the current offset. A body of type `application/offset+octet-stream` is the first piece. " +
    "`Upload-Concat`, with which clients send parts in parallel, is a 400.",
  parameters: {
    ...urlParameters,
    ...parameters(["Tus-Resumable", "Upload-Length"], ["Upload-Metadata", "Upload-Checksum"]),
  },
  body: { isOptional: true, content: { [pieceType]: binary } },
  responses: {
    201: { description: "Begin a resumable upload.", headers: described(["Location", ...progress]) },
  },
  errors: [...tusCommon, 400, 409, 413, 429, 460, 507],
  handler: create,
};

const getResumableUpload: RawOperation = {
  ...tusRow,
  id: "getResumableUpload",
  method: "HEAD",
  summary: "Get the offset of a resumable upload",
  description: "Where to continue. Ends a request that is still sending, as its connection may be dead.",
  parameters: { ...urlParameters, ...parameters(["Tus-Resumable"], []) },
  responses: {
    200: {
      description: "Get the offset of a resumable upload.",
      headers: described([...progress, "Upload-Length"]),
    },
  },
  errors: tusCommon,
  handler: getOffset,
};

const appendToResumableUpload: RawOperation = {
  ...tusRow,
  id: "appendToResumableUpload",
  method: "PATCH",
  summary: "Send a piece of a resumable upload",
  description:
    "The bytes from `Upload-Offset` on, of any length. What has arrived is stored even if the connection " +
    "breaks. Once the offset is the length of the file, finalize the upload.",
  parameters: { ...urlParameters, ...parameters(["Tus-Resumable", "Upload-Offset"], ["Upload-Checksum"]) },
  body: { content: { [pieceType]: binary } },
  responses: { 204: { description: "Send a piece of a resumable upload.", headers: described(progress) } },
  errors: [...tusCommon, 400, 409, 413, 415, 460],
  handler: append,
};

const cancelResumableUpload: RawOperation = {
  ...tusRow,
  id: "cancelResumableUpload",
  method: "DELETE",
  summary: "Cancel a resumable upload",
  description: "Deletes the reservation and what was received, also of an upload in parts.",
  parameters: { ...urlParameters, ...parameters(["Tus-Resumable"], []) },
  responses: { 204: { description: "Cancel a resumable upload.", headers: described(["Tus-Resumable"]) } },
  errors: tusCommon,
  handler: cancel,
};

const describeResumableUploads: RawOperation = {
  ...tusRow,
  id: "describeResumableUploads",
  method: "OPTIONS",
  summary: "Get what resumable uploads support",
  description: "Versions, extensions, and the largest file; also answers the preflight of a browser.",
  parameters: urlParameters,
  responses: {
    204: {
      description: "Get what resumable uploads support.",
      headers: described([
        "Tus-Resumable",
        "Tus-Version",
        "Tus-Extension",
        "Tus-Max-Size",
        "Tus-Checksum-Algorithm",
      ]),
    },
  },
  errors: [403],
  handler: discovery,
};

/** The methods in the order of `Allow`. */
export const uploads: readonly RawOperation[] = [
  putUpload,
  createResumableUpload,
  getResumableUpload,
  appendToResumableUpload,
  cancelResumableUpload,
  describeResumableUploads,
];

/** Sent by clients beyond the headers of the protocol that apply here. */
const toleratedHeaders = [
  "Content-Type",
  "Upload-Concat",
  "Upload-Defer-Length",
  "X-HTTP-Method-Override",
  "X-Requested-With",
];
const allowedHeaders = new Set([
  ...uploads.flatMap(({ parameters = {} }) =>
    Object.entries(parameters).flatMap(([name, one]) => (one.in === "header" ? name : [])),
  ),
  ...toleratedHeaders,
]);
const exposedHeaders = new Set(
  uploads.flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ headers = {} }) => Object.keys(headers)),
  ),
);

/** OPTIONS: what the server supports, and the answer to a preflight request (Fetch Standard, 3.2). */
function discovery({ config }: Context): RawHandler {
  return (request) => {
    readLink(request);
    return new Response(null, {
      status: 204,
      headers: {
        "tus-version": tusVersion,
        "tus-extension": tusExtensions,
        "tus-max-size": String(config.uploadBytesMax),
        "tus-checksum-algorithm": checksumAlgorithms.join(","),
        "access-control-allow-methods": uploads.map(({ method }) => method).join(", "),
        "access-control-allow-headers": [...allowedHeaders].join(", "),
        "access-control-max-age": "86400",
      },
    });
  };
}

/** A client behind a proxy without PATCH names its method in a header. */
function takeMethodOverride(request: Request): void {
  const override = request.method === "POST" && request.headers.get("x-http-method-override");
  if (override) Object.defineProperty(request, "method", { value: override.toUpperCase() });
}

/** Pages of any origin may upload to a signed URL, as with a bucket. */
function allowAnyOrigin(response: Response): Response {
  response.headers.set("access-control-allow-origin", "*");
  response.headers.set("access-control-expose-headers", [...exposedHeaders].join(", "));
  return response;
}

function finish(response: Response): Response {
  response.headers.set("tus-resumable", tusVersion);
  response.headers.set("cache-control", "no-store");
  response.headers.set("x-content-type-options", "nosniff");
  return allowAnyOrigin(response);
}
