/** Answers of the API as OpenAPI describes them: their header fields, and a problem for every status. */
import type { Config } from "../config.ts";
import { paths } from "../info.ts";
import type { JsonSchema } from "../lib/json-schema.ts";
import { type Status, statuses } from "../problem.ts";

const text = (description: string, example: string) => ({ description, schema: { type: "string" }, example });

export const headerComponents = {
  RateLimitPolicy: text("Quota, and its window in seconds.", '"default";q=60;w=60'),
  RateLimit: text("What is left of the quota, and the seconds until the window ends.", '"default";r=59;t=60'),
  RetryAfter: { description: "Seconds to wait.", schema: { type: "integer", minimum: 1 }, example: 17 },
  Challenge: text(
    "The scheme, and for a bearer token the scope that is needed and where the resource is described.",
    'Bearer realm="svc", scope="feed:read"',
  ),
  Allow: text("The methods of this path.", "GET, HEAD, OPTIONS"),
  CacheControl: text(
    "Answers are about now, and some hold signed addresses: they are not stored.",
    "no-store",
  ),
  RequestId: text("Name of the request in the audit: the one that it brought, else one of ours.", "run-7"),
  Revalidated: text(
    "Whoever asked may keep the answer, and asks whether it still holds before using it again.",
    "private, no-cache",
  ),
  ETag: text("The answer, known again by its bytes; to be sent as `If-None-Match`.", 'W/"2b8k1d0q7z5xw"'),
  Vary: text("Each token has answers of its own.", "Authorization"),
  Deprecation: text("Since when the operation is deprecated (RFC 9745).", "@1798761600"),
  Sunset: text("When the operation stops answering (RFC 8594).", "Thu, 01 Apr 2027 00:00:00 GMT"),
  DeprecationLink: text(
    "The versioning policy, and what to use instead.",
    `<${paths.versioning}>; rel="deprecation"; type="text/html", <${paths.api}/info>; rel="successor-version"`,
  ),
};

const to = (name: keyof typeof headerComponents) => ({ $ref: `#/components/headers/${name}` });

const limitHeaders = (config: Config): JsonSchema =>
  config.rateLimit ? { "RateLimit-Policy": to("RateLimitPolicy"), RateLimit: to("RateLimit") } : {};

export const deprecationHeaders = {
  Deprecation: to("Deprecation"),
  Sunset: to("Sunset"),
  Link: to("DeprecationLink"),
};

/** Of every answer below the base of the API. */
export const apiHeaders = (config: Config): JsonSchema => ({
  ...limitHeaders(config),
  "Cache-Control": to("CacheControl"),
  "X-Request-Id": to("RequestId"),
});

/** Of answers that are the same until rows change. */
export const revalidatedHeaders = { ETag: to("ETag"), "Cache-Control": to("Revalidated"), Vary: to("Vary") };

const ownHeaders: Partial<Record<Status, JsonSchema>> = {
  401: { "WWW-Authenticate": to("Challenge") },
  403: { "WWW-Authenticate": to("Challenge") },
  405: { Allow: to("Allow") },
  429: { "Retry-After": to("RetryAfter") },
  503: { "Retry-After": to("RetryAfter") },
};

/** @param headers besides those that the status has anyway */
export const problemAnswer = (
  status: Status,
  { siteUrl }: Config,
  headers: JsonSchema,
  instance = `${paths.api}/feed`,
): JsonSchema => ({
  description: statuses[status][1],
  headers: { ...headers, ...ownHeaders[status] },
  content: {
    "application/problem+json": {
      schema: { $ref: "#/components/schemas/Problem" },
      example: {
        type: siteUrl + paths.errors,
        title: statuses[status][0],
        status,
        detail: statuses[status][1],
        instance,
      },
    },
  },
});

const nameOf = (status: Status): string => statuses[status][0].replaceAll(" ", "");

export const problemComponents = (config: Config): JsonSchema =>
  Object.fromEntries(
    (Object.keys(statuses).map(Number) as Status[]).map((status) => [
      nameOf(status),
      problemAnswer(status, config, apiHeaders(config)),
    ]),
  );

export const toProblem = (status: Status): JsonSchema => ({
  $ref: `#/components/responses/${nameOf(status)}`,
});
