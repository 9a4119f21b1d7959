/** OpenAPI components of responses: headers, and a problem response for every error status. */
import type { Config } from "../config.ts";
import { paths } from "../info.ts";
import type { JsonSchema } from "../lib/json-schema.ts";
import { type Status, statuses } from "../problem.ts";

const text = (description: string, example: string) => ({ description, schema: { type: "string" }, example });

export const headerComponents = {
  RateLimitPolicy: text("Quota, and its window in seconds.", '"default";q=60;w=60'),
  RateLimit: text("Remaining quota, and seconds until the window ends.", '"default";r=59;t=60'),
  RetryAfter: {
    description: "Seconds to wait before the next request.",
    schema: { type: "integer", minimum: 1 },
    example: 17,
  },
  Challenge: text(
    "Authentication scheme; for a bearer token, also the required scope and the URL of the resource metadata.",
    'Bearer realm="svc", scope="feed:read"',
  ),
  Allow: text("Methods allowed on this path.", "GET, HEAD, OPTIONS"),
  CacheControl: text(
    "Do not store the response: it shows the current state, and may contain signed URLs.",
    "no-store",
  ),
  RequestId: text("Request id in the audit log: the one you sent, else a generated one.", "run-7"),
  Revalidated: text(
    "You may cache the response, but revalidate it before you use it again.",
    "private, no-cache",
  ),
  ETag: text("Identifies this version of the response; send it as `If-None-Match`.", 'W/"2b8k1d0q7z5xw"'),
  Vary: text("Responses differ by token.", "Authorization"),
  Deprecation: text("When the operation was deprecated (RFC 9745).", "@1798761600"),
  Sunset: text("When the operation stops working (RFC 8594).", "Thu, 01 Apr 2027 00:00:00 GMT"),
  DeprecationLink: text(
    "The versioning policy, and the replacement.",
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

/** Headers of every response under the API's base path. */
export const apiHeaders = (config: Config): JsonSchema => ({
  ...limitHeaders(config),
  "Cache-Control": to("CacheControl"),
  "X-Request-Id": to("RequestId"),
});

/** Headers of responses that change only when rows do. */
export const revalidatedHeaders = { ETag: to("ETag"), "Cache-Control": to("Revalidated"), Vary: to("Vary") };

const ownHeaders: Partial<Record<Status, JsonSchema>> = {
  401: { "WWW-Authenticate": to("Challenge") },
  403: { "WWW-Authenticate": to("Challenge") },
  405: { Allow: to("Allow") },
  429: { "Retry-After": to("RetryAfter") },
  503: { "Retry-After": to("RetryAfter") },
};

/** @param headers in addition to those of the status */
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
