/** The OTLP/HTTP receiver (OTLP specification 1.x), and tokens in its path for senders without headers. */
import { actionOf } from "../../core/audit/action.ts";
import { authorize } from "../../core/auth/authorization.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { paths } from "../../core/info.ts";
import { mediaTypeOf } from "../../core/lib/http/request-body.ts";
import {
  forbidden,
  methodNotAllowed,
  notFound,
  notImplemented,
  type ProblemDocument,
} from "../../core/problem.ts";
import { ingest } from "../../integrations/telemetry/ingest.ts";
import { encodingOf, withBody } from "../../integrations/telemetry/otlp/body.ts";
import { readRecords } from "../../integrations/telemetry/otlp/read-records.ts";
import { statusBody, successBody } from "../../integrations/telemetry/otlp/response.ts";
import { type Signal, signalNames } from "../../integrations/telemetry/otlp/schema.ts";
import type { Context } from "../context.ts";
import { apiMiddleware, type Connection, pathOf } from "./api-middleware.ts";

const endpoints = signalNames.map((signal) => `${paths.otlp}/v1/${signal}`).join(", ");

/** Path of each signal, and of everything else below → its handler. */
export function otlpRoutes(
  ctx: Context,
): Record<string, (request: Request, connection: Connection | null) => Promise<Response>> {
  // SDKs send logs once a second, and what a 429 delays for longer than they wait is lost.
  const middleware = apiMiddleware(ctx, { name: "telemetry", counter: "telemetry", factor: 10 });
  const routeOf = (signal: Signal) => async (request: Request, connection: Connection | null) =>
    asStatus(
      request,
      await middleware(request, connection, (caller) => receive(ctx, request, caller, signal)),
    );
  return {
    ...Object.fromEntries(signalNames.map((signal) => [`${paths.otlp}/v1/${signal}`, routeOf(signal)])),
    [`${paths.otlp}/*`]: async (request, connection) =>
      asStatus(
        request,
        await middleware(request, connection, () => {
          throw notFound(`Path not found: ${pathOf(request.url)}. Send telemetry to ${endpoints}.`);
        }),
      ),
  };
}

async function receive(ctx: Context, request: Request, caller: Caller, signal: Signal): Promise<Response> {
  if (request.method !== "POST") throw methodNotAllowed(request.method, "POST");
  authorize(caller, "telemetry:write", ctx.config);
  if (pathTokens.has(request) && !isTelemetryOnly(caller))
    throw forbidden(
      "Only a token of the role telemetry can stand in the URL. Send this one in the Authorization header.",
    );
  if (ctx.config.mock) throw notImplemented("This deployment shows demo data and takes no writes.");
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
async function asStatus(request: Request, response: Response): Promise<Response> {
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
