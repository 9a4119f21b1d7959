/**
 * Only known fields are kept: prompts, answers, arguments and addresses stay outside, whatever their name.
 * Each fixture is sent to a server with a marker in every field that is not known, and no row of any table
 * has it.
 */
import { describe, expect, test } from "bun:test";
import { names } from "../../../src/integrations/telemetry/sources/conventions.ts";
import { isCost } from "../../../src/integrations/telemetry/sources/costs.ts";
import { holdsCounts } from "../../../src/integrations/telemetry/sources/usage-counts.ts";
import { dialects, link, openApp, rowsOf, type TestApp } from "../../support/harness.ts";
import { fixtureOf, requestsOf, type TelemetryFixture } from "../../support/telemetry/telemetry.ts";

const marker = "MARKER-7f3a";

/** Attributes whose value is a name, a number or an id that an event has. Everything else gets the marker. */
const known = new Set<string>([
  ...Object.values(names).flat(),
  ...["service.name", "svc.project", "vcs.ref.head.name", "error.type"],
  ...["event.name", "event.kind", "event.sequence", "session.id", "request_id", "model", "duration_ms"],
  ...["input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens", "cost_usd"],
  ...[
    "status_code",
    "http.response.status_code",
    "input_token_count",
    "output_token_count",
    "cached_token_count",
    "conversation.id",
  ],
  ...["cache_write_token_count", "cached_content_token_count", "thoughts_token_count", "tool_token_count"],
  ...["gen_ai.operation.name", "openinference.span.kind", "ai.operationId", "ai.response.providerMetadata"],
  ...["type", "model.name", "usage_details", "cost_details"].map((name) => `langfuse.observation.${name}`),
]);

const markedValue = { stringValue: `${marker} ana@example.com` };

interface Attribute {
  key: string;
  value: object;
}

const markAttributes = (attributes: Attribute[] = []): Attribute[] => [
  ...attributes.map(({ key, value }) => ({
    key,
    value: known.has(key) || holdsCounts(key) || isCost(key) ? value : markedValue,
  })),
  ...[
    "prompt",
    "gen_ai.input.messages",
    "user.email",
    "tool_parameters",
    "error.message",
    "lane",
    "summary",
  ].map((key) => ({ key, value: markedValue })),
];

/** Replaces every text of an OTLP request but ids, times, scopes and known attributes. */
function mark(value: unknown, key = ""): unknown {
  if (key === "attributes") return markAttributes(value as Attribute[]);
  if (key === "scope") return { ...(value as object), attributes: markAttributes() };
  if (key === "body") return markedValue;
  if (Array.isArray(value)) return value.map((one) => mark(one));
  if (typeof value === "object" && value !== null)
    return {
      ...Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mark(one, name)])),
      ...("spanId" in value && {
        ...{ name: marker, traceState: marker, events: [{ name: marker, attributes: markAttributes() }] },
        ...("status" in value && { status: { ...(value.status as object), message: marker } }),
      }),
    };
  return value;
}

/** Every row of every table as text. */
async function allRows({ url }: TestApp): Promise<string> {
  const isSqlite = url.startsWith("sqlite");
  const tables = await rowsOf(
    url,
    isSqlite
      ? "select name from sqlite_master where type = 'table'"
      : "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  const rows = await Promise.all(tables.map(({ name }) => rowsOf(url, `select * from "${name}"`)));
  return Bun.inspect(rows, { depth: 10 });
}

const fixtures = [
  ...["claude-code", "codex", "gemini-cli", "copilot", "pydantic-ai", "openinference", "traceloop"],
  ...["ai-sdk-4", "ai-sdk-5", "ai-sdk-6", "ai-sdk-7", "langfuse-spans"],
];

describe.each(dialects)("on %s", (dialect) => {
  async function openLinked() {
    const app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    const token = await app.mint(["telemetry:write"], { projects: ["atlas"] });
    const post = (path: string, body: unknown, contentType = "application/json") =>
      app.ask(path, {
        ...{ method: "POST", token, headers: { "content-type": contentType } },
        body: JSON.stringify(body),
      });
    const send = async (fixture: TelemetryFixture) => {
      for (const [signal, request] of requestsOf(fixture))
        expect((await post(`/api/otlp/v1/${signal}`, request)).status).toBe(200);
    };
    const usage = async () =>
      (await app.ctx.data.feed(["atlas"], { limit: 200, order: "oldest first" })).flatMap(({ wire }) => {
        const { kind, actor, summary, tokens_in, cost_equiv, cost_source, run_id } = JSON.parse(wire);
        return kind === "project.linked"
          ? []
          : [[kind, actor, summary, tokens_in, cost_equiv, cost_source, run_id]];
      });
    return { app, post, send, usage };
  }

  test("no text of a telemetry request but known fields is in any table, and the events are the same", async () => {
    const [plain, marked] = [await openLinked(), await openLinked()];
    for (const name of fixtures) {
      const fixture = await fixtureOf(name);
      await plain.send(fixture);
      await marked.send(mark(fixture) as TelemetryFixture);
    }
    expect((await marked.usage()).length).toBeGreaterThan(30);
    expect(await marked.usage()).toEqual(await plain.usage());
    const rows = await allRows(marked.app);
    expect(rows).toContain("claude-sonnet-4-5: 1,204 in, 9,000 cached, 310 out, $0.012");
    expect(rows).not.toContain(marker);
    expect(rows).not.toContain("ana@example.com");
    expect(JSON.stringify(marked.app.logged)).not.toContain(marker);
    await Promise.all([plain.app.close(), marked.app.close()]);
  });

  test("nor is it of a row of LiteLLM or a batch of Langfuse", async () => {
    const { app, post } = await openLinked();
    const read = new Set(
      ["id", "status", "model", "startTime", "endTime", "response_cost", "prompt_tokens"].concat(
        ["completion_tokens", "custom_llm_provider", "usage_object", "error_code"],
        ["metadata", "error_information"],
      ),
    );
    const markRow = (row: object): object =>
      Object.fromEntries(
        Object.entries(row).map(([key, value]) => [
          key,
          !read.has(key)
            ? marker
            : key === "metadata" || key === "error_information"
              ? markRow(value)
              : value,
        ]),
      );
    const rows = (await fixtureOf("litellm")) as unknown as object[];
    expect(await (await post("/api/litellm", rows.map(markRow))).json()).toMatchObject({ accepted: 3 });
    const body = { id: "g", model: "gpt-4o", usage: { input: 5, [marker]: 3 }, level: "ERROR" };
    const content = {
      input: marker,
      output: marker,
      metadata: { marker },
      statusMessage: marker,
      name: marker,
    };
    const batch = [
      { id: "1", type: "generation-create", body: { ...body, ...content } },
      { id: "2", type: "trace-create", body: { id: "t", ...content } },
    ];
    expect((await post("/api/public/ingestion", { batch, metadata: { marker } })).status).toBe(207);
    const stored = await allRows(app);
    expect(stored).toContain("gpt-4o: 5 in, 0 out");
    expect(stored).not.toContain(marker);
    await app.close();
  });
});
