/** Spans of one call within each other: it is counted once, by what says most. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { link, openApp, type TestApp } from "../../support/harness.ts";
import type { AttributeMap, Span } from "../../support/telemetry/otlp.ts";
import { inProject, readRejected, send } from "../../support/telemetry/otlp-server.ts";

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await openApp("sqlite");
  token = await app.mint(["telemetry:write"]);
});
afterAll(() => app.close());

type Name = "outer" | "between" | "inner" | "second";
const ids: Record<Name, string> = { outer: "1", between: "2", inner: "3", second: "4" };
const model = { "gen_ai.request.model": "gpt-4o" };
const usage = { ...model, "gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 20 };
const cached = { ...usage, "gen_ai.usage.cache_read.input_tokens": 90 };
const call = { "gen_ai.operation.name": "chat" };

let traces = 0;
/** Sends each list of spans in a request of its own, and returns what the feed has. */
async function sendSpans(...requests: [Name, Name | null, AttributeMap, failed?: boolean][][]) {
  const project = `nested-${++traces}`;
  await link(app.ctx.data, project);
  for (const request of requests) {
    const spans = request.map(([name, parent, attributes, failed = false]): Span => {
      const around = parent === null ? {} : { parentSpanId: ids[parent].repeat(16) };
      const times = {
        startTimeUnixNano: 1_780_000_000_000_000_000n,
        endTimeUnixNano: 1_780_000_001_000_000_000n,
      };
      const traceId = traces.toString(16).padStart(32, "0");
      return {
        name,
        kind: 3,
        traceId,
        spanId: ids[name].repeat(16),
        ...around,
        ...times,
        failed,
        attributes,
      };
    });
    expect(
      await readRejected(await send(app, { resource: inProject(project), spans }, { token })),
    ).toBeNull();
  }
  const events = await app.ctx.data.feed(null, {
    project,
    kind: "step.usage",
    limit: 99,
    order: "oldest first",
  });
  const all = events.map(({ wire }) => JSON.parse(wire));
  const sum = (field: string) => all.reduce((total, event) => total + event[field], 0);
  return [all.length, sum("tokens_in"), sum("cache_read"), sum("tokens_out")];
}

const inner = ["inner", "outer", { ...call, ...cached }] as [Name, Name, AttributeMap];
const outer = ["outer", null, { ...call, ...cached }] as [Name, null, AttributeMap];
const once = [1, 10, 90, 20];

describe("a call within a call is counted once", () => {
  test("in any order, in one request or several, and when they are sent again", async () => {
    expect(await sendSpans([inner, outer])).toEqual(once);
    expect(await sendSpans([outer, inner])).toEqual(once);
    expect(await sendSpans([inner], [outer], [inner], [outer])).toEqual(once);
    expect(await sendSpans([outer], [inner], [outer, inner])).toEqual(once);
  });

  test("through spans of something else", async () => {
    const between = ["between", "outer", { "http.request.method": "POST" }] as [Name, Name, AttributeMap];
    const within = ["inner", "between", { ...call, ...cached }] as [Name, Name, AttributeMap];
    expect(await sendSpans([within, between, outer])).toEqual(once);
    expect(await sendSpans([within, between], [outer])).toEqual(once);
    // A call that is known by its usage alone, such as that of a pipeline.
    expect(await sendSpans([within, between, ["outer", null, cached]])).toEqual(once);
  });

  test("with what the outer says of the cache", async () => {
    const plain = ["inner", "outer", { ...call, ...usage }] as [Name, Name, AttributeMap];
    expect(await sendSpans([plain, outer])).toEqual(once);
    expect(await sendSpans([plain, outer], [plain, outer])).toEqual(once);
    expect(await sendSpans([plain], [outer])).toEqual([2, ...once.slice(1)]);
    expect(await sendSpans([plain], [outer], [plain], [outer])).toEqual([2, ...once.slice(1)]);
  });

  test("by its calls, where it sums up several", async () => {
    const second = ["second", "outer", { ...call, ...cached }] as [Name, Name, AttributeMap];
    const sum = { ...cached, "gen_ai.usage.input_tokens": 200, "gen_ai.usage.output_tokens": 40 };
    expect(await sendSpans([inner, second, ["outer", null, { ...call, ...sum }]])).toEqual([2, 20, 180, 40]);
  });

  test("unless what is within failed, and was tried again", async () => {
    const failed = ["inner", "outer", { ...call, ...model }, true] as [Name, Name, AttributeMap, boolean];
    expect(await sendSpans([failed, outer])).toEqual([2, ...once.slice(1)]);
    expect(await sendSpans([failed, ["outer", null, { ...call, ...model }, true]])).toEqual([1, 0, 0, 0]);
  });
});

test.each<AttributeMap>([
  { "gen_ai.operation.name": "execute_tool" },
  { "openinference.span.kind": "AGENT" },
])("a call of a tool or an agent within a call is another: %j", async (between) => {
  const within = ["inner", "between", { ...call, ...cached }] as [Name, Name, AttributeMap];
  expect(await sendSpans([within, ["between", "outer", between], outer])).toEqual([2, 20, 180, 40]);
});

test("calls beside each other are two", async () => {
  expect(await sendSpans([inner, ["second", "outer", { ...call, ...cached }]])).toEqual([2, 20, 180, 40]);
});
