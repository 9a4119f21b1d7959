/**
 * Expected errors, as problem documents (RFC 9457). Any other error is a bug: logged once, and answered 500.
 */
import { type Static, Type } from "@sinclair/typebox";
import { Uri } from "./wire.ts";

export const ProblemDocument = Type.Object(
  {
    type: Uri({ description: "URL of the errors section of the API guide." }),
    title: Type.String({ description: "Reason phrase of the status code." }),
    status: Type.Integer(),
    detail: Type.Optional(Type.String({ description: "What went wrong and what to do about it." })),
    instance: Type.Optional(Type.String({ description: "Path of the request." })),
  },
  { $id: "Problem", description: "An error (RFC 9457)." },
);
export type ProblemDocument = Static<typeof ProblemDocument>;

/** Status code → its reason phrase (RFC 9110), and when this service returns it. */
export const statuses = {
  400: [
    "Bad Request",
    "The request is malformed, or one of its fields is not valid. `detail` names the field.",
  ],
  401: [
    "Unauthorized",
    "The request needs a valid token. It has none, or the token is unknown, revoked, or expired.",
  ],
  // The details are at the calls of `forbidden`; MCP words a missing scope in
  // src/api/mcp/tools/tool-errors.ts.
  403: ["Forbidden", "The token lacks the required scope, or the host or origin is not allowed."],
  404: ["Not Found", "The path, project, asset, or upload does not exist, or this token cannot access it."],
  405: [
    "Method Not Allowed",
    "The path does not support this method. `Allow` lists the methods it supports.",
  ],
  409: ["Conflict", "The request conflicts with the current state, for example with an earlier change."],
  410: [
    "Gone",
    "The operation was removed; it returns 410 for at least 30 days after its sunset. Or a resumable " +
      "upload has expired.",
  ],
  412: ["Precondition Failed", "A request of a resumable upload lacks `Tus-Resumable: 1.0.0`."],
  413: ["Content Too Large", "The request body is too large for this operation."],
  415: ["Unsupported Media Type", "This operation does not accept the content type of the request body."],
  429: [
    "Too Many Requests",
    "The rate limit is exceeded. `Retry-After` gives the number of seconds to wait.",
  ],
  460: [
    "Checksum Mismatch",
    "A piece of a resumable upload does not have its `Upload-Checksum`. Send it again.",
  ],
  500: ["Internal Server Error", "An unexpected error. The server log has the cause."],
  501: ["Not Implemented", "The operation needs a database, store, or secret that is not configured here."],
  503: [
    "Service Unavailable",
    "The database or the file store is unavailable. `Retry-After` gives the number of seconds to wait.",
  ],
  507: ["Insufficient Storage", "The disk has no space for a resumable upload of this size."],
} as const;
export type Status = keyof typeof statuses;

/** An error with a status. @param detail tells the client what happened and what to do */
export class Problem extends Error {
  override name = "Problem";
  constructor(
    readonly status: Status,
    public detail: string,
    readonly headers: Record<string, string> = {},
    options?: ErrorOptions,
  ) {
    super(detail, options);
  }
}

export const badRequest = (detail: string) => new Problem(400, detail);
export const forbidden = (detail: string, headers?: Record<string, string>) =>
  new Problem(403, detail, headers);
/** Kinds of resources that can be missing, or hidden from the caller. */
export type Resource = "project" | "asset" | "model" | "upload";

/** Paths of the API, relative to `/api/v1`, that list the resources of a kind. */
const collections: Partial<Record<Resource, string>> = { project: "/projects" };

export class NotFound extends Problem {
  constructor(
    detail: string,
    readonly resource?: Resource,
  ) {
    super(404, detail);
  }

  /** Where the ids that exist are listed: each surface names it in its own way. */
  get collection(): string | undefined {
    return this.resource && collections[this.resource];
  }
}

export const notFound = (detail: string, resource?: Resource) => new NotFound(detail, resource);

/** A 404 for a project that does not exist or that the caller cannot see. */
export const noProject = (slug: string) => notFound(`No project with slug '${slug}'.`, "project");

/** A 404 for an asset that does not exist or that the caller cannot see. */
export const noAsset = (id: string) => notFound(`No asset with id '${id}'.`, "asset");
export const noWebhook = (id: string) => notFound(`No webhook with id '${id}'.`);
/** @param method of the request @param allow the methods of the path, separated by commas */
export const methodNotAllowed = (method: string, allow: string) =>
  new Problem(405, `${method} is not allowed for this path. Allowed: ${allow}.`, { allow });
export const conflict = (detail: string) => new Problem(409, detail);
export const gone = (detail: string) => new Problem(410, detail);
export const tooLarge = (detail: string) => new Problem(413, detail);

/** A 413 that names the limit. @param maxBytes the limit in bytes */
export const fileTooLarge = (maxBytes: number) =>
  tooLarge(`The file is larger than the ${maxBytes} bytes allowed here.`);
export const unsupportedMediaType = (detail: string) => new Problem(415, detail);
export const notImplemented = (detail: string) => new Problem(501, detail);

/** A 503 that asks clients to retry after two seconds. @param cause for the log only */
export const unavailable = (detail: string, cause?: unknown) =>
  new Problem(503, detail, { "retry-after": "2" }, { cause });
