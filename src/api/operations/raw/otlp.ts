/** The OTLP/HTTP receiver (OTLP specification 1.x), and tokens in its path for senders without headers. */
import { Type } from "@sinclair/typebox";
import { actionOf } from "../../../core/audit/action.ts";
import type { Caller } from "../../../core/auth/caller.ts";
import { paths } from "../../../core/info.ts";
import { mediaTypeOf } from "../../../core/lib/http/request-body.ts";
import { forbidden, notFound, type ProblemDocument } from "../../../core/problem.ts";
import { ingest } from "../../../integrations/telemetry/ingest.ts";
import { encodingOf, statusBody, successBody, withBody } from "../../../integrations/telemetry/otlp/body.ts";
import { readRecords } from "../../../integrations/telemetry/otlp/read-records.ts";
import { type Signal, signalNames, signals } from "../../../integrations/telemetry/otlp/schema.ts";
import type { Context } from "../../context.ts";
import { pathOf } from "../../http/api-middleware.ts";
import { bearer, binary, type Content, type RawHandler, type RawOperation } from "./raw-operation.ts";

const encoded = (schema: object, example: object = {}): Content => ({
  "application/x-protobuf": binary,
  "application/json": { schema: Type.Unsafe<object>(schema), example },
});

const bodyOf = (signal: Signal): Content => {
  const name = signals[signal].request.byNumber.get(1)?.jsonName as string;
  // The JSON mapping of proto3: null is an absent field.
  const list = { type: ["array", "null"], items: { type: "object" } };
  return encoded({ type: "object", properties: { [name]: list } });
};

const resultOf = (signal: Signal): Content => {
  const { rejected } = signals[signal];
  return encoded({
    type: "object",
    properties: {
      partialSuccess: {
        type: "object",
        required: [rejected, "errorMessage"],
        properties: {
          [rejected]: { type: "string", pattern: "^\\d+$", description: "How many." },
          errorMessage: { type: "string", description: "Why." },
        },
      },
    },
  });
};

/** In the encoding of the request; a problem document if that encoding is unknown. */
const errorContent = encoded(
  Type.Object(
    {
      code: Type.Integer({ description: "Code of google.rpc.", examples: [3] }),
      message: Type.String({ description: "What went wrong and what to do about it." }),
    },
    { $id: "Status", description: "An error of the OTLP receiver (google.rpc.Status)." },
  ),
  { code: 3, message: "The body is not valid JSON." },
);

const server = {
  of: "siteUrl",
  description: "The site root: telemetry is not part of the versioned API.",
} as const;

const signalOf = (signal: Signal): RawOperation => ({
  id: `receive${(signal[0] as string).toUpperCase()}${signal.slice(1)}`,
  tag: "feed",
  method: "POST",
  path: `${paths.otlp}/v1/${signal}`,
  server,
  summary: `Receive OpenTelemetry ${signal}`,
  description:
    `OTLP/HTTP 1.x in protobuf or JSON, also with \`Content-Encoding: gzip\`. What ${signal} say ` +
    "about runs and usage becomes events; everything else is dropped. Errors are a " +
    "`google.rpc.Status` in the encoding of the request. Sending a request again adds nothing.\n\n" +
    "Scope `telemetry:write` or `feed:write`.",
  // SDKs send logs once a second, and what a 429 delays for longer than they wait is lost.
  token: { scope: "telemetry:write", limit: { name: "telemetry", counter: "telemetry", factor: 10 } },
  security: { bearer },
  body: { content: bodyOf(signal) },
  responses: {
    200: {
      description: "Received. `partialSuccess` says what was rejected; do not send it again.",
      content: resultOf(signal),
    },
  },
  errors: [400, 401, 403, 405, 413, 415, 429, 501, 503],
  errorContent,
  handler: (ctx) => (request, _, caller) => receive(ctx, request, caller, signal),
  finish: asStatus,
});

const endpoints = signalNames.map((signal) => `${paths.otlp}/v1/${signal}`).join(", ");

const unknownPath: RawHandler = ({ url }) => {
  throw notFound(`Path not found: ${pathOf(url)}. Send telemetry to ${endpoints}.`);
};

export const otlp: readonly RawOperation[] = [
  ...signalNames.map(signalOf),
  {
    id: "receiveUnknownSignal",
    tag: "feed",
    method: "ALL",
    path: `${paths.otlp}/*`,
    server,
    unlisted: true,
    summary: "Say where telemetry belongs",
    description: "Every other path of the receiver.",
    security: {},
    responses: {},
    errors: [404],
    handler: () => unknownPath,
    finish: asStatus,
  },
];

async function receive(ctx: Context, request: Request, caller: Caller, signal: Signal): Promise<Response> {
  if (pathTokens.has(request) && !isTelemetryOnly(caller))
    throw forbidden(
      "Only a token of the role telemetry can stand in the URL. Send this one in the Authorization header.",
    );
  const action = actionOf(caller, "receiveTelemetry");
  const result = await withBody(request, (reader) =>
    ingest(ctx, readRecords(reader, signal), caller, action),
  );
  const encoding = encodingOf(request) as NonNullable<ReturnType<typeof encodingOf>>;
  return new Response(successBody(encoding, signal, result), {
    headers: { "content-type": encoding, "cache-control": "no-store" },
  });
}

const isTelemetryOnly = ({ scopes }: Caller): boolean => scopes.size === 1 && scopes.has("telemetry:write");

/** Seconds. Long enough for a restart, and shorter than the ten seconds that SDKs keep trying. */
const retrySeconds = "2";

/**
 * The response with its problem document as a `google.rpc.Status`, in the encoding of the request. An
 * unexpected error becomes a 503: after a 500, senders drop the data.
 */
async function asStatus(response: Response, request: Request): Promise<Response> {
  const encoding = encodingOf(request);
  if (mediaTypeOf(response) !== "application/problem+json") return response;
  const { headers } = response;
  const problem = (await response.json()) as ProblemDocument;
  const status = problem.status === 500 ? 503 : problem.status;
  if (status === 503 && !headers.has("retry-after")) headers.set("retry-after", retrySeconds);
  headers.set("content-type", encoding ?? "application/problem+json");
  const body = encoding ? statusBody(encoding, { ...problem, status }) : JSON.stringify(problem);
  return new Response(body, { status, headers });
}

/** Requests that had their token in the path. */
const pathTokens = new WeakSet<Request>();

const pathTokenPrefix = `${paths.otlp}/t/`;

/**
 * Moves a token from the path of a request to its `Authorization` header, before anything else sees the URL:
 * `/api/otlp/t/<token>/v1/logs` becomes `/api/otlp/v1/logs`, in every log, error, and metric.
 */
export function takePathToken(request: Request): void {
  const { url } = request;
  const start = url.indexOf("/", url.indexOf("//") + 2);
  if (!url.startsWith(pathTokenPrefix, start)) return;
  const [token = ""] = url.slice(start + pathTokenPrefix.length).split(/[/?#]/, 1);
  const rest = url.slice(start + pathTokenPrefix.length + token.length);
  const headers = new Headers(request.headers);
  headers.set("authorization", `Bearer ${token}`);
  // Not a new Request: that would buffer the whole body in memory.
  Object.defineProperties(request, {
    url: { value: url.slice(0, start) + paths.otlp + rest, configurable: true },
    headers: { value: headers },
  });
  pathTokens.add(request);
}
