/** OpenAPI components of responses: headers, and a problem response for every error status. */
import type { TSchema } from "@sinclair/typebox";
import type { Config } from "../../core/config.ts";
import type { DescriptionContext } from "../../core/context.ts";
import { paths } from "../../core/info.ts";
import type { JsonSchema } from "../../core/lib/json-schema.ts";
import { type Status, statuses } from "../../core/problem.ts";

const stringHeader = (description: string, example: string) => ({
  description,
  schema: { type: "string" },
  example,
});

export const headerComponents = {
  RateLimitPolicy: stringHeader("Quota, and its window in seconds.", '"default";q=60;w=60'),
  RateLimit: stringHeader("Remaining quota, and seconds until the window ends.", '"default";r=59;t=60'),
  RetryAfter: {
    description: "Seconds to wait before the next request.",
    schema: { type: "integer", minimum: 1 },
    example: 17,
  },
  Challenge: stringHeader(
    "Authentication scheme; for a bearer token, also the required scope and the URL of the resource " +
      "metadata.",
    'Bearer realm="svc", scope="feed:read"',
  ),
  Allow: stringHeader("Methods allowed on this path.", "GET, HEAD, OPTIONS"),
  CacheControl: stringHeader(
    "Do not store the response: it shows the current state, and may contain signed URLs.",
    "no-store",
  ),
  RequestId: stringHeader("Request id in the audit log: the one you sent, else a generated one.", "run-7"),
  Revalidated: stringHeader(
    "You may cache the response, but revalidate it before you use it again.",
    "private, no-cache",
  ),
  ETag: stringHeader(
    "Identifies this version of the response; send it as `If-None-Match`.",
    'W/"2b8k1d0q7z5xw"',
  ),
  Vary: stringHeader("Responses differ by token and by compression.", "Authorization, Accept-Encoding"),
  Deprecation: stringHeader("When the operation was deprecated (RFC 9745).", "@1798761600"),
  Sunset: stringHeader("When the operation stops working (RFC 8594).", "Thu, 01 Apr 2027 00:00:00 GMT"),
  DeprecationLink: stringHeader(
    "The versioning policy, and the replacement.",
    `<${paths.versioning}>; rel="deprecation"; type="text/html", <${paths.api}/info>; ` +
      `rel="successor-version"`,
  ),
};

const headerRef = (name: keyof typeof headerComponents) => ({ $ref: `#/components/headers/${name}` });

const rateLimitHeaderRefs = (config: Config): JsonSchema =>
  config.rateLimit
    ? { "RateLimit-Policy": headerRef("RateLimitPolicy"), RateLimit: headerRef("RateLimit") }
    : {};

export const deprecationHeaderRefs = {
  Deprecation: headerRef("Deprecation"),
  Sunset: headerRef("Sunset"),
  Link: headerRef("DeprecationLink"),
};

/** Headers of every response under the API's base path. */
export const apiHeaderRefs = (config: Config): JsonSchema => ({
  ...rateLimitHeaderRefs(config),
  "Cache-Control": headerRef("CacheControl"),
  "X-Request-Id": headerRef("RequestId"),
});

/** Headers of responses that change only when rows do. */
export const etagHeaderRefs = {
  ETag: headerRef("ETag"),
  "Cache-Control": headerRef("Revalidated"),
  Vary: headerRef("Vary"),
};

const statusHeaderRefs: Partial<Record<Status, JsonSchema>> = {
  401: { "WWW-Authenticate": headerRef("Challenge") },
  403: { "WWW-Authenticate": headerRef("Challenge") },
  405: { Allow: headerRef("Allow") },
  429: { "Retry-After": headerRef("RetryAfter") },
  503: { "Retry-After": headerRef("RetryAfter") },
};

/** @param headers in addition to those of the status */
export const problemResponse = (
  status: Status,
  { siteUrl }: Config,
  headers: JsonSchema,
  instance = `${paths.api}/feed`,
): JsonSchema => ({
  description: statuses[status][1],
  headers: { ...headers, ...statusHeaderRefs[status] },
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

const componentName = (status: Status): string => statuses[status][0].replaceAll(" ", "");

export const problemResponses = (config: Config): JsonSchema =>
  Object.fromEntries(
    (Object.keys(statuses).map(Number) as Status[]).map((status) => [
      componentName(status),
      problemResponse(status, config, apiHeaderRefs(config)),
    ]),
  );

export const problemResponseRef = (status: Status): JsonSchema => ({
  $ref: `#/components/responses/${componentName(status)}`,
});

/** Context for functions that describe a part of the document. */
export interface Describer {
  site: DescriptionContext;
  /** Converts a schema; one with a name (`$id`) becomes a component. */
  schema(type: TSchema): JsonSchema;
  /** Adds a component once and returns a reference to it. */
  component(name: string, describe: () => JsonSchema): JsonSchema;
}
