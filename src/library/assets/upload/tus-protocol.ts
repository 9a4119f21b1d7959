/**
 * The methods of a signed upload URL, for the routes and for OpenAPI: one PUT of the whole file, and tus 1.0.
 * https://tus.io/protocols/resumable-upload
 */
import type { Status } from "../../../core/problem.ts";
import { checksumAlgorithms } from "./append.ts";

export const tusVersion = "1.0.0";
export const tusExtensions = "creation,creation-with-upload,expiration,checksum,termination";
export const pieceType = "application/offset+octet-stream";
const algorithms = checksumAlgorithms.join(",");

export interface HeaderText {
  description: string;
  example?: string | number;
}

/** Header → what it says. Numbers are bytes. */
export const tusHeaders = {
  "Tus-Resumable": { description: "Version of the protocol.", example: tusVersion },
  "Tus-Version": { description: "Supported versions.", example: tusVersion },
  "Tus-Extension": { description: "Supported extensions.", example: tusExtensions },
  "Tus-Max-Size": { description: "Largest file, in bytes.", example: 2_147_483_648 },
  "Tus-Checksum-Algorithm": { description: "Algorithms of `Upload-Checksum`.", example: algorithms },
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
  Location: {
    description: "The URL of the upload: this one.",
  },
} as const satisfies Record<string, HeaderText>;
export type TusHeader = keyof typeof tusHeaders;

export interface UploadMethod {
  id: string;
  summary: string;
  description: string;
  requires: TusHeader[];
  accepts: TusHeader[];
  /** Media type of the body; null without one. */
  body: { type: string; isRequired: boolean } | null;
  status: 200 | 201 | 204;
  returns: TusHeader[];
  errors: Status[];
}

/** Errors of every method that reads the URL. */
const common: Status[] = [403, 404, 405, 500, 501, 503];
const tusCommon: Status[] = [...common, 410, 412];
const progress: TusHeader[] = ["Tus-Resumable", "Upload-Offset", "Upload-Expires"];

/** The methods in the order of `Allow`. */
export const uploadMethods = {
  PUT: {
    id: "putUpload",
    summary: "Send a reserved file in one request",
    description:
      "The `upload_url` of a store that presigns none, such as a disk, with the reserved content type. It " +
      "accepts one file; returns its size and SHA-256.",
    requires: [],
    accepts: [],
    body: { type: "*/*", isRequired: true },
    status: 200,
    returns: [],
    errors: [...common, 400, 409, 413, 415],
  },
  POST: {
    id: "createResumableUpload",
    summary: "Begin a resumable upload",
    description:
      "tus 1.0 at the `resumable_url` of a reserved upload. A repeated call with the same length returns " +
      "the current offset. A body of type `application/offset+octet-stream` is the first piece.",
    requires: ["Tus-Resumable", "Upload-Length"],
    accepts: ["Upload-Metadata", "Upload-Checksum"],
    body: { type: pieceType, isRequired: false },
    status: 201,
    returns: ["Location", ...progress],
    errors: [...tusCommon, 400, 409, 413, 429, 460, 507],
  },
  HEAD: {
    id: "getResumableUpload",
    summary: "Get the offset of a resumable upload",
    description: "Where to continue. Ends a request that is still sending, as its connection may be dead.",
    requires: ["Tus-Resumable"],
    accepts: [],
    body: null,
    status: 200,
    returns: [...progress, "Upload-Length"],
    errors: tusCommon,
  },
  PATCH: {
    id: "appendToResumableUpload",
    summary: "Send a piece of a resumable upload",
    description:
      "The bytes from `Upload-Offset` on, of any length. What has arrived is stored even if the connection " +
      "breaks. Once the offset is the length of the file, finalize the upload.",
    requires: ["Tus-Resumable", "Upload-Offset"],
    accepts: ["Upload-Checksum"],
    body: { type: pieceType, isRequired: true },
    status: 204,
    returns: progress,
    errors: [...tusCommon, 400, 409, 413, 415, 460],
  },
  DELETE: {
    id: "cancelResumableUpload",
    summary: "Cancel a resumable upload",
    description: "Deletes the reservation and what was received, also of an upload in parts.",
    requires: ["Tus-Resumable"],
    accepts: [],
    body: null,
    status: 204,
    returns: ["Tus-Resumable"],
    errors: tusCommon,
  },
  OPTIONS: {
    id: "describeResumableUploads",
    summary: "Get what resumable uploads support",
    description: "Versions, extensions, and the largest file; also answers the preflight of a browser.",
    requires: [],
    accepts: [],
    body: null,
    status: 204,
    returns: ["Tus-Resumable", "Tus-Version", "Tus-Extension", "Tus-Max-Size", "Tus-Checksum-Algorithm"],
    errors: [403],
  },
} as const satisfies Record<string, UploadMethod>;

/** The methods of every signed upload URL, separated by commas. */
export const allowedMethods = Object.keys(uploadMethods).join(", ");
