/**
 * Records as generic protobuf libraries and broken senders write them: each is in the feed, or counted in the
 * answer with the reason, and none makes another a duplicate.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { link, openApp, type TestApp } from "../../support/harness.ts";
import { otlpJson, type Span } from "../../support/telemetry/otlp.ts";
import { chat, inProject, readRejected, readStatus, send } from "../../support/telemetry/otlp-server.ts";

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await openApp("sqlite");
  token = await app.mint(["telemetry:write"]);
});
afterAll(() => app.close());

let projects = 0;
async function openProject() {
  const project = `unusual-${++projects}`;
  await link(app.ctx.data, project);
  const steps = async () =>
    (await app.ctx.data.feed(null, { project, kind: "step.usage", limit: 99, order: "oldest first" })).map(
      ({ wire }) => JSON.parse(wire) as { tokens_in: number; run_id?: string; duration_ms: number | null },
    );
  return { project, steps };
}

const post = (body: unknown, path = "/api/otlp/v1/traces") =>
  app.ask(path, {
    token,
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });

test("a slash behind the path means the same", async () => {
  const { project, steps } = await openProject();
  const body = requestOf(project, (span) => span);
  expect((await post(body, "/api/otlp/v1/traces/")).status).toBe(200);
  expect((await post([], "/api/litellm/")).status).toBe(200);
  expect(await steps()).toHaveLength(3);
});

const toBase64 = (hex: string) => Buffer.from(hex, "hex").toString("base64");
const toSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The value with every member named by `nameOf`. */
const renamed = (value: unknown, nameOf: (name: string) => string): unknown =>
  Array.isArray(value)
    ? value.map((one) => renamed(one, nameOf))
    : typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, one]) => [nameOf(name), renamed(one, nameOf)]))
      : value;

type JsonSpan = Record<string, unknown> & { traceId: string; spanId: string; attributes: object[] };

/** A request of three calls, each changed. */
function requestOf(project: string, change: (span: JsonSpan, index: number) => object): unknown {
  const spans = [1, 2, 3].map((index) => chat(index));
  return JSON.parse(JSON.stringify(otlpJson({ resource: inProject(project), spans })), (key, value) =>
    key === "spans" ? value.map(change) : value,
  );
}

const seconds = (span: JsonSpan) => ({ ...span, startTimeUnixNano: undefined, endTimeUnixNano: undefined });
const all = [101, 102, 103];

describe("in JSON", () => {
  test.each<[string, (span: JsonSpan, index: number) => object, number[]]>([
    [
      "ids in base64",
      (span) => ({ ...span, traceId: toBase64(span.traceId), spanId: toBase64(span.spanId) }),
      all,
    ],
    [
      "ids in base64 for URLs, without padding",
      (span) => ({
        ...span,
        traceId: Buffer.from(span.traceId, "hex").toString("base64url"),
        spanId: Buffer.from(span.spanId, "hex").toString("base64url"),
      }),
      all,
    ],
    ["no ids", (span) => ({ ...span, traceId: undefined, spanId: undefined }), all],
    ["empty ids", (span) => ({ ...span, traceId: "", spanId: "" }), all],
    ["ids of zeros", (span) => ({ ...span, traceId: "0".repeat(32), spanId: "0".repeat(16) }), all],
    ["a trace without an id", (span) => ({ ...span, traceId: null }), all],
    ["ids that are numbers", (span) => ({ ...span, traceId: 12_345, spanId: 7 }), all],
    ["ids of another length", (span) => ({ ...span, traceId: "ab12", spanId: "7" }), all],
    [
      "no ids and the same content",
      (span) => ({ ...chatJson(span), traceId: "", spanId: "" }),
      [101, 101, 101],
    ],
    [
      "names of enums",
      (span) => ({ ...span, kind: "SPAN_KIND_CLIENT", status: { code: "STATUS_CODE_OK" } }),
      all,
    ],
    ["unknown names of enums", (span) => ({ ...span, kind: "SPAN_KIND_AGENT", status: { code: "?" } }), all],
    ["times as numbers", (span) => ({ ...span, startTimeUnixNano: 1_780_000_000_000_000_000 }), all],
    ["no times", seconds, all],
    [
      "times of null and an end of 0",
      (span) => ({ ...span, startTimeUnixNano: null, endTimeUnixNano: 0 }),
      all,
    ],
  ])("%s are recorded, once", async (_, change, expected) => {
    const { project, steps } = await openProject();
    const body = requestOf(project, change);
    for (let time = 0; time < 2; time++) {
      const response = await post(body);
      expect([response.status, await readRejected(response)]).toEqual([200, null]);
      expect((await steps()).map(({ tokens_in }) => tokens_in)).toEqual(expected);
    }
    // What lacks an id makes nothing else a duplicate.
    await post(requestOf(project, (span) => ({ ...span, traceId: "c".repeat(32) })));
    expect((await steps()).map(({ tokens_in }) => tokens_in)).toEqual([...expected, ...all]);
  });

  const chatJson = (span: JsonSpan) => ({
    ...span,
    attributes: requestAttributes,
  });
  const requestAttributes = (
    otlpJson({ spans: [chat(1)] }) as {
      resourceSpans: [{ scopeSpans: [{ spans: [{ attributes: object[] }] }] }];
    }
  ).resourceSpans[0].scopeSpans[0].spans[0].attributes;

  test("usage in a map is read by its path", async () => {
    const { project, steps } = await openProject();
    const intOf = (key: string, intValue: string) => ({ key, value: { intValue } });
    const mapOf = (key: string, ...values: object[]) => ({ key, value: { kvlistValue: { values } } });
    const usage = mapOf(
      "gen_ai.usage",
      intOf("input_tokens", "9"),
      mapOf("details", intOf("cache_read", "4")),
    );
    const attributes = [{ key: "gen_ai.operation.name", value: { stringValue: "chat" } }, usage];
    await post(requestOf(project, (span) => ({ ...span, attributes })));
    expect(await steps()).toMatchObject(all.map(() => ({ tokens_in: 5, cache_read: 4 })));
  });

  test("names with underscores mean the same", async () => {
    const { project, steps } = await openProject();
    const body = renamed(
      requestOf(project, (span) => span),
      toSnakeCase,
    );
    expect(await readRejected(await post(body))).toBeNull();
    expect((await steps()).map(({ tokens_in }) => tokens_in)).toEqual(all);
  });

  test("a step without a start has no duration of decades", async () => {
    const { project, steps } = await openProject();
    await post(requestOf(project, (span) => ({ ...span, startTimeUnixNano: 0 })));
    expect((await steps()).map(({ duration_ms }) => duration_ms)).toEqual([null, null, null]);
  });

  test("a call that failed is told by the name of its status", async () => {
    const { project, steps } = await openProject();
    const attributes = [{ key: "gen_ai.operation.name", value: { stringValue: "chat" } }];
    const failed = { status: { code: "STATUS_CODE_ERROR" }, kind: "CLIENT", attributes };
    await post(requestOf(project, (span) => ({ ...span, ...failed })));
    expect(await steps()).toMatchObject(all.map(() => ({ summary: "model: request failed" })));
  });

  test("a record with a field of another type is counted, and the others are recorded", async () => {
    const { project, steps } = await openProject();
    const wrong = [{ name: 7 }, { attributes: [{ key: "gen_ai.operation.name", value: "chat" }] }];
    const response = await post(requestOf(project, (span, index) => ({ ...span, ...wrong[index] })));
    expect(await readRejected(response)).toEqual({
      count: 2,
      message: "1 record: name must be a string; 1 record: value must be an object.",
    });
    expect(await steps()).toMatchObject([{ tokens_in: 103 }]);
  });

  test.each([
    ["of another signal", { resourceLogs: [{ scopeLogs: [] }] }],
    ["with a misspelled list", { resourceSpan: [{}] }],
    ["in an envelope", { data: { resourceSpans: [] } }],
    ["with scopes as before 2022", { resourceSpans: [{ instrumentationLibrarySpans: [{ spans: [] }] }] }],
    ["with a misspelled list of spans", { resourceSpans: [{ scopeSpans: [{ span: [{}] }] }] }],
  ])("a body %s is refused: nothing in it is understood", async (_, body) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect((await readStatus(response)).message).toMatch(
      /^(resource|scope)?[sS]pans is missing\. Check the path, and the names of the fields\.$/,
    );
  });

  test("a resource without records is none of these", async () => {
    const resource = { attributes: [] };
    const body = { resourceSpans: [{ resource, schemaUrl: "" }, { scopeSpans: [{ scope: { name: "a" } }] }] };
    expect((await post(body)).status).toBe(200);
  });
});

test.each(["protobuf", "json"] as const)(
  "in %s, what has neither an id nor a time is counted, and the rest recorded",
  async (encoding) => {
    const { project, steps } = await openProject();
    const none = { startTimeUnixNano: 0n, endTimeUnixNano: 0n };
    const spans: Span[] = [
      { ...chat(1), traceId: "", spanId: "", ...none },
      { ...chat(2), traceId: "00".repeat(16), spanId: "00".repeat(8), ...none },
      chat(3),
    ];
    const response = await send(app, { resource: inProject(project), spans }, { token, encoding });
    expect(await readRejected(response)).toEqual({
      count: 2,
      message: "2 records: the record has neither an id nor a time, so it cannot be told apart from others.",
    });
    expect(await steps()).toMatchObject([{ tokens_in: 103 }]);
  },
);

test("in protobuf, ids of zeros and of other lengths are none", async () => {
  const { project, steps } = await openProject();
  const ids = [
    ["", ""],
    ["00".repeat(16), "00".repeat(8)],
    ["ab".repeat(24), "cd".repeat(12)],
    ["ab", "cd"],
  ] as const;
  const spans = ids.flatMap(([traceId, spanId], index) =>
    [10 * index, 10 * index + 1].map((number) => ({ ...chat(number), traceId, spanId })),
  );
  for (const encoding of ["protobuf", "json"] as const) {
    const response = await send(app, { resource: inProject(project), spans }, { token, encoding });
    expect(await readRejected(response)).toBeNull();
  }
  const tokens = (await steps()).map(({ tokens_in }) => tokens_in);
  expect(tokens).toEqual([100, 101, 110, 111, 120, 121, 130, 131]);
});

test("logs of agents without a session and an id of the request are told apart by their content", async () => {
  const { project, steps } = await openProject();
  const logs = [1, 2].map((tokens) => ({
    eventName: "claude_code.api_request",
    timeUnixNano: 1_780_000_000_000_000_000n,
    attributes: { model: "claude-sonnet-4-5", input_tokens: tokens },
  }));
  const sent = { resource: inProject(project), scope: "com.anthropic.claude_code.events", logs };
  for (let time = 0; time < 2; time++)
    expect(await readRejected(await send(app, sent, { token }))).toBeNull();
  expect((await steps()).map(({ tokens_in }) => tokens_in)).toEqual([1, 2]);
});

test("a row of LiteLLM without an id is recorded", async () => {
  const { steps, project } = await openProject();
  const row = { model: "gpt-4o", prompt_tokens: 7, endTime: 1.7e9, request_tags: [`svc.project=${project}`] };
  const timeless = { ...row, endTime: undefined };
  const answer = await (await post([row, { ...row, prompt_tokens: 8 }, timeless], "/api/litellm")).json();
  expect(answer).toMatchObject({ accepted: 2, rejected: 1 });
  expect((await steps()).map(({ tokens_in }) => tokens_in)).toEqual([7, 8]);
});
