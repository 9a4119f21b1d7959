/** Refusals, by name. Whatever else is thrown is a bug: logged once, answered 500. Shape: RFC 9457. */
import { type Static, Type } from "@sinclair/typebox";
import { Uri } from "./wire.ts";

export const ProblemDocument = Type.Object(
  {
    type: Uri({ description: "The errors section of the API guide." }),
    title: Type.String({ description: "Reason phrase of the status." }),
    status: Type.Integer(),
    detail: Type.Optional(Type.String({ description: "What went wrong, for a person." })),
    instance: Type.Optional(Type.String({ description: "Path of the request." })),
  },
  { $id: "Problem", description: "An error (RFC 9457)." },
);
export type ProblemDocument = Static<typeof ProblemDocument>;

/** Status → reason phrase in the spelling of RFC 9110, and when this service answers so. */
export const statuses = {
  400: [
    "Bad Request",
    "The request cannot be understood or breaks a rule of its fields; `detail` names the field.",
  ],
  401: [
    "Unauthorized",
    "A token is required and the request has none, or one that is unknown, revoked or expired.",
  ],
  403: ["Forbidden", "The token lacks the required scope, or the host or origin is not served."],
  404: ["Not Found", "No such path, project, asset or upload, or none that this token may see."],
  405: ["Method Not Allowed", "The path is known, the method is not; `Allow` lists those that are."],
  409: ["Conflict", "The state of the thing does not allow it, or somebody else was first."],
  410: ["Gone", "A retired operation, for at least 30 days after its sunset."],
  413: ["Content Too Large", "The body is larger than this operation takes."],
  415: ["Unsupported Media Type", "The body is of a type this operation does not take."],
  429: ["Too Many Requests", "The rate limit is used up; `Retry-After` says for how many seconds."],
  500: ["Internal Server Error", "A fault of the service; the log of the server tells more."],
  501: ["Not Implemented", "This deployment lacks what the operation needs (a database, a store, a secret)."],
  503: [
    "Service Unavailable",
    "The database or the store does not answer; `Retry-After` says when to try again.",
  ],
} as const;
export type Status = keyof typeof statuses;

export class Problem extends Error {
  override name = "Problem";
  constructor(
    readonly status: Status,
    readonly detail: string,
    readonly headers: Record<string, string> = {},
    options?: ErrorOptions,
  ) {
    super(detail, options);
  }
}

export const badRequest = (detail: string) => new Problem(400, detail);
/** What a caller can name that does not exist, or that it may not see. */
export type Thing = "project" | "asset" | "model" | "upload";

export class NotFound extends Problem {
  constructor(
    detail: string,
    readonly thing?: Thing,
  ) {
    super(404, detail);
  }
}

export const notFound = (detail: string, thing?: Thing) => new NotFound(detail, thing);
export const noProject = (slug: string) => notFound(`No project with slug '${slug}'.`, "project");
export const noAsset = (id: string) => notFound(`No asset with id '${id}'.`, "asset");
export const conflict = (detail: string) => new Problem(409, detail);
export const tooLarge = (detail: string) => new Problem(413, detail);
export const wrongMedia = (detail: string) => new Problem(415, detail);
export const notImplemented = (detail: string) => new Problem(501, detail);
export const unavailable = (detail: string, cause?: unknown) =>
  new Problem(503, detail, { "retry-after": "2" }, { cause });
