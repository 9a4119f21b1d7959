/**
 * The paths of LiteLLM and Langfuse: senders that report to them report here when their URL is changed.
 * Langfuse's SDKs sign in with Basic: any public key, and the token as the secret key.
 */
import { Type } from "@sinclair/typebox";
import { actionOf } from "../../../core/audit/action.ts";
import type { Caller } from "../../../core/auth/caller.ts";
import { paths } from "../../../core/info.ts";
import { TimeSlices } from "../../../core/lib/time-slices.ts";
import {
  type IngestionEvent,
  openGenerations,
  readBatch,
} from "../../../integrations/telemetry/gateways/langfuse.ts";
import { mapRow, readRows } from "../../../integrations/telemetry/gateways/litellm.ts";
import { appendMapped, summaryOf } from "../../../integrations/telemetry/ingest.ts";
import { withBytes } from "../../../integrations/telemetry/otlp/body.ts";
import type { Mapped } from "../../../integrations/telemetry/sources/source.ts";
import type { Context } from "../../context.ts";
import { otlp } from "./otlp.ts";
import { bearer, jsonContent, type RawOperation } from "./raw-operation.ts";

const common = {
  tag: "feed",
  method: "POST",
  server: { of: "siteUrl", description: "The site root: the paths are those of the senders." },
  token: { scope: "telemetry:write", limit: { name: "telemetry", counter: "gateways", factor: 10 } },
  errors: [400, 401, 403, 405, 413, 415, 429, 500, 501, 503],
} as const satisfies Partial<RawOperation>;

/** Bearer, and Basic as Langfuse's SDKs send it. */
const langfuse = {
  security: {
    bearer,
    langfuse: {
      type: "http",
      scheme: "basic",
      description: "As Langfuse's SDKs sign in: any public key, and an access token as the secret key.",
    },
  },
  prepare: takeBasic,
} satisfies Partial<RawOperation>;

const scopes = "Scope `telemetry:write` or `feed:write`.";
const count = (description: string) => Type.Integer({ format: "int64", description });
const eventId = Type.String({ description: "Id of the event in the batch." });
const eventStatus = Type.Integer({ description: "HTTP status of the event." });
const row = Type.Unsafe<object>({
  type: "object",
  description: "A row of LiteLLM's callback `generic_api`.",
});
const event = Type.Unsafe<object>({ type: "object" });

const [traces] = otlp.filter(({ path }) => path.endsWith("/traces")) as [RawOperation];

export const gateways: readonly RawOperation[] = [
  {
    ...common,
    id: "receiveLitellmRows",
    path: paths.litellm,
    summary: "Receive calls from LiteLLM",
    description:
      "LiteLLM's callback `generic_api`, in its formats `json_array`, `ndjson`, and `single`. Each " +
      `row becomes a \`step.usage\`; prompts and answers are not read.\n\n${scopes}`,
    security: { bearer },
    body: {
      content: jsonContent(Type.Array(row), []),
    },
    responses: {
      200: {
        description: "Received. Do not send again what was rejected.",
        content: jsonContent(
          Type.Object({
            accepted: count("Rows that are in the feed."),
            rejected: count("Rows about usage that are not."),
            message: Type.String({ description: "Why; empty if none was rejected." }),
          }),
          { accepted: 1, rejected: 0, message: "" },
        ),
      },
    },
    handler: (ctx) => (request, _, caller) => withBytes(request, (body) => receiveRows(ctx, body, caller)),
  },
  {
    ...common,
    ...langfuse,
    id: "receiveLangfuseBatch",
    path: `${paths.langfuse}/ingestion`,
    summary: "Receive a batch from Langfuse's SDKs",
    description:
      "Langfuse's ingestion API as far as usage goes: a generation becomes a `step.usage`. Other events " +
      `are accepted and dropped, and so are inputs, outputs and metadata.\n\n${scopes}`,
    body: {
      content: jsonContent(Type.Object({ batch: Type.Array(event, { maxItems: 1000 }) }), { batch: [] }),
    },
    responses: {
      207: {
        description: "What became of each event.",
        content: jsonContent(
          Type.Object({
            successes: Type.Array(Type.Object({ id: eventId, status: eventStatus })),
            errors: Type.Array(
              Type.Object({
                id: eventId,
                status: eventStatus,
                message: Type.String({ description: "Why." }),
              }),
            ),
          }),
          { successes: [{ id: "e1", status: 201 }], errors: [] },
        ),
      },
    },
    handler(ctx) {
      const known = openGenerations();
      return (request, _, caller) => withBytes(request, (body) => receiveBatch(ctx, body, caller, known));
    },
  },
  {
    ...traces,
    ...langfuse,
    id: "receiveLangfuseTraces",
    path: `${paths.langfuse}/otel/v1/traces`,
    server: common.server,
  },
];

/** Takes the password of Basic as a bearer token. */
function takeBasic(request: Request): void {
  const [, encoded] = /^Basic ([\w+/=-]+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  if (encoded === undefined) return;
  const credentials = Buffer.from(encoded, "base64").toString();
  const headers = new Headers(request.headers);
  // A token has no colon; a public key may have one.
  headers.set("authorization", `Bearer ${credentials.slice(credentials.lastIndexOf(":") + 1)}`);
  // Not a new Request: that would buffer the whole body in memory.
  Object.defineProperty(request, "headers", { value: headers });
}

const append = (ctx: Context, mapped: Mapped[], caller: Caller) =>
  appendMapped(ctx, mapped, caller, actionOf(caller, "receiveTelemetry"));

async function receiveRows(ctx: Context, body: Buffer, caller: Caller): Promise<Response> {
  const rows = await readRows(body);
  const mapped: Mapped[] = [];
  const slices = new TimeSlices();
  for (const row of rows) {
    const one = mapRow(row, caller.name ?? "litellm");
    if (one) mapped.push(one);
    if (slices.isOver) await slices.next();
  }
  return Response.json(summaryOf(await append(ctx, mapped, caller)));
}

async function receiveBatch(
  ctx: Context,
  body: Buffer,
  caller: Caller,
  known: ReturnType<typeof openGenerations>,
): Promise<Response> {
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
}
