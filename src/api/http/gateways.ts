/**
 * The paths of LiteLLM and Langfuse: senders that report to them report here when their URL is changed.
 * Langfuse's SDKs sign in with Basic: any public key, and the token as the secret key.
 */
import { actionOf } from "../../core/audit/action.ts";
import { authorize } from "../../core/auth/authorization.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { paths } from "../../core/info.ts";
import { TimeSlices } from "../../core/lib/time-slices.ts";
import { methodNotAllowed, notImplemented } from "../../core/problem.ts";
import {
  type IngestionEvent,
  openGenerations,
  readBatch,
} from "../../integrations/telemetry/gateways/langfuse.ts";
import { mapRow, readRows } from "../../integrations/telemetry/gateways/litellm.ts";
import { appendMapped, summaryOf } from "../../integrations/telemetry/ingest.ts";
import { withBytes } from "../../integrations/telemetry/otlp/body.ts";
import type { Mapped } from "../../integrations/telemetry/sources/source.ts";
import type { Context } from "../context.ts";
import { apiMiddleware, type Connection } from "./api-middleware.ts";

type Handler = (request: Request, connection: Connection | null) => Promise<Response>;
type Receive = (ctx: Context, body: Buffer, caller: Caller) => Promise<Response>;

/** @param otlp the routes of the OTLP receiver, which newer SDKs of Langfuse send to */
export function gatewayRoutes(ctx: Context, otlp: Record<string, Handler>): Record<string, Handler> {
  const middleware = apiMiddleware(ctx, { name: "telemetry", counter: "gateways", factor: 10 });
  const route =
    (receive: Receive): Handler =>
    (request, connection) =>
      middleware(request, connection, (caller) => {
        if (request.method !== "POST") throw methodNotAllowed(request.method, "POST");
        authorize(caller, "telemetry:write", ctx.config);
        if (ctx.config.mock) throw notImplemented("This deployment shows demo data and takes no writes.");
        return withBytes(request, (body) => receive(ctx, body, caller));
      });
  const traces = otlp[`${paths.otlp}/v1/traces`] as Handler;
  return {
    [paths.litellm]: route(receiveRows),
    [`${paths.langfuse}/ingestion`]: withBasic(route(receiveBatch(openGenerations()))),
    [`${paths.langfuse}/otel/v1/traces`]: withBasic(traces),
  };
}

/** Takes the password of Basic as a bearer token. */
const withBasic =
  (handler: Handler): Handler =>
  (request, connection) => {
    const [, encoded] = /^Basic ([\w+/=-]+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
    if (encoded === undefined) return handler(request, connection);
    const credentials = Buffer.from(encoded, "base64").toString();
    const headers = new Headers(request.headers);
    // A token has no colon; a public key may have one.
    headers.set("authorization", `Bearer ${credentials.slice(credentials.lastIndexOf(":") + 1)}`);
    // Not a new Request: that would buffer the whole body in memory.
    Object.defineProperty(request, "headers", { value: headers });
    return handler(request, connection);
  };

const append = (ctx: Context, mapped: Mapped[], caller: Caller) =>
  appendMapped(ctx, mapped, caller, actionOf(caller, "receiveTelemetry"));

const receiveRows: Receive = async (ctx, body, caller) => {
  const rows = await readRows(body);
  const mapped: Mapped[] = [];
  const slices = new TimeSlices();
  for (const row of rows) {
    const one = mapRow(row, caller.name ?? "litellm");
    if (one) mapped.push(one);
    if (slices.isOver) await slices.next();
  }
  return Response.json(summaryOf(await append(ctx, mapped, caller)));
};

const receiveBatch =
  (known: ReturnType<typeof openGenerations>): Receive =>
  async (ctx, body, caller) => {
    const { events, errors } = await readBatch(body, caller.name ?? "langfuse", known);
    const mapped = events.flatMap(({ generation }) => generation ?? []);
    const problems = await append(ctx, mapped, caller);
    const problemOf = ({ generation }: IngestionEvent) =>
      generation && (problems[mapped.indexOf(generation)] ?? null);
    const rejected = events.filter((event) => problemOf(event));
    return Response.json(
      {
        successes: events.filter((event) => !problemOf(event)).map(({ id }) => ({ id, status: 201 })),
        errors: [
          ...errors,
          ...rejected.map((event) => ({ id: event.id, status: 400, message: `${problemOf(event)}.` })),
        ],
      },
      { status: 207 },
    );
  };
