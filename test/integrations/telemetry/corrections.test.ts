/** Later usage of a call that is recorded: the final count wins, and nothing is counted twice. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { calcPrice } from "@pydantic/genai-prices";
import { actionOf } from "../../../src/core/audit/action.ts";
import type { Event } from "../../../src/feed/schema.ts";
import { appendMapped } from "../../../src/integrations/telemetry/ingest.ts";
import { dialects, link, openApp, type TestApp } from "../../support/harness.ts";
import type { Span } from "../../support/telemetry/otlp.ts";
import { chat, inProject, readRejected, send } from "../../support/telemetry/otlp-server.ts";
import { mappedOf, spansOf } from "../../support/telemetry/telemetry.ts";

const priceOf = (input_tokens: number, output_tokens: number, cache_read_tokens = 0) =>
  Number(calcPrice({ input_tokens, output_tokens, cache_read_tokens }, "gpt-4o")?.total_price.toFixed(9));

describe.each(dialects)("on %s", (dialect) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openApp(dialect);
  });
  afterAll(() => app.close());

  let projects = 0;
  /** A project of its own: sends batches of Langfuse, and sums what the feed has. */
  async function openProject() {
    const project = `later-${++projects}`;
    await link(app.ctx.data, project);
    const token = await app.mint(["telemetry:write"], { name: project, projects: [project] });
    const steps = async () =>
      (await app.ctx.data.feed(null, { project, kind: "step.usage", limit: 200, order: "oldest first" })).map(
        ({ wire }) => JSON.parse(wire) as Event,
      );
    const sums = async () => {
      const all = await steps();
      const sum = (field: "tokens_in" | "tokens_out" | "cache_read" | "cost_equiv") =>
        Number(all.reduce((total, event) => total + event[field], 0).toFixed(9));
      return [sum("tokens_in"), sum("cache_read"), sum("tokens_out"), sum("cost_equiv")];
    };
    const batch = async (...bodies: object[]) => {
      const response = await app.ask("/api/public/ingestion", {
        token,
        json: {
          batch: bodies.map(
            ({ timestamp = "2026-11-01T10:00:01Z", ...body }: { timestamp?: string }, at) => ({
              id: `e${at}`,
              type: "model" in body ? "generation-create" : "generation-update",
              timestamp,
              body: { id: "g", ...body },
            }),
          ),
        },
      });
      expect(((await response.json()) as { errors: unknown[] }).errors).toEqual([]);
    };
    return { project, token, steps, sums, batch };
  }

  const started = { model: "gpt-4o", startTime: "2026-11-01T10:00:00Z" };
  const ended = { endTime: "2026-11-01T10:00:09Z" };
  const partial = { ...started, usageDetails: { input: 10, output: 1, total: 11 } };
  const final = { ...ended, usageDetails: { input: 10, output: 500, total: 510 } };

  test.each<[string, object[][], unknown[]]>([
    ["in a later request", [[partial], [final]], [10, 0, 500, priceOf(10, 500)]],
    ["in the same request", [[partial, final]], [10, 0, 500, priceOf(10, 500)]],
    ["and both are sent again", [[partial], [final], [partial], [final]], [10, 0, 500, priceOf(10, 500)]],
    [
      "in many requests",
      [[partial], ...[20, 30, 40].map((output) => [{ usageDetails: { input: 10, output } }]), [final]],
      [10, 0, 500, priceOf(10, 500)],
    ],
    [
      "that is lower",
      [[partial], [{ ...ended, usageDetails: { input: 7, output: 1, total: 8 } }]],
      [7, 0, 1, priceOf(7, 1)],
    ],
    [
      "that names the cache",
      [
        [{ ...partial, usageDetails: { input: 100, output: 1 } }],
        [{ usageDetails: { input: 40, input_cached_tokens: 60, output: 1 } }],
      ],
      [40, 60, 1, priceOf(100, 1, 60)],
    ],
    [
      "that was made before the one that is recorded",
      [
        [{ ...final, ...started, timestamp: "2026-11-01T10:00:09Z" }],
        [{ ...partial, timestamp: "2026-11-01T10:00:01Z" }],
      ],
      [10, 0, 500, priceOf(10, 500)],
    ],
    ["with the cost that it had", [[partial], [{ costDetails: { total: 0.000_01 } }]], [10, 0, 1, 0.000_01]],
    [
      "after a usage without a model",
      [[{ usageDetails: { input: 10, output: 1 } }], [partial]],
      [10, 0, 1, priceOf(10, 1)],
    ],
  ])("usage of Langfuse %s is what the feed adds up to", async (_, requests, expected) => {
    const { project, batch, sums, steps } = await openProject();
    for (const bodies of requests) await batch(...bodies);
    expect(await sums()).toEqual(expected as number[]);
    const rows = await app.ctx.data.usage(project, "2020-01-01");
    expect(rows.reduce((sum, { tokens_out }) => sum + tokens_out, 0)).toBe(expected[2] as number);
    expect((await steps()).length).toBeLessThanOrEqual(requests.length);
  });

  const spanOf = (output: number, ms = 1500): Span => ({
    ...chat(0, { "gen_ai.response.model": "gpt-4o", "gen_ai.usage.output_tokens": output }),
    endTimeUnixNano: 1_780_000_000_000_000_000n + BigInt(ms) * 1_000_000n,
  });

  test.each<[string, Span[][]]>([
    ["in a later request", [[spanOf(10)], [spanOf(500, 2500)]]],
    ["in the same request", [[spanOf(10), spanOf(500, 2500)]]],
    ["before the shorter one", [[spanOf(500, 2500), spanOf(10)], [spanOf(10)]]],
  ])("the longer of two spans with one id counts, %s", async (_, requests) => {
    const { project, token, sums } = await openProject();
    for (const spans of requests)
      expect(
        await readRejected(await send(app, { resource: inProject(project), spans }, { token })),
      ).toBeNull();
    expect(await sums()).toEqual([100, 0, 500, priceOf(100, 500)]);
  });

  test("all calls of a batch can be corrected", async () => {
    const { project, token } = await openProject();
    for (const output of [10, 500]) {
      const spans = Array.from({ length: 300 }, (_, index) => ({
        ...chat(index, { "gen_ai.usage.output_tokens": output }),
        endTimeUnixNano: 1_780_000_001_500_000_000n,
      }));
      await send(app, { resource: inProject(project), spans }, { token });
    }
    const rows = await app.ctx.data.usage(project, "2020-01-01");
    expect(rows.reduce((sum, { tokens_out }) => sum + tokens_out, 0)).toBe(300 * 500);
  });

  test("the last of very many counts of one call is right", async () => {
    const { project, token, sums } = await openProject();
    for (let first = 0; first < 130; first += 26) {
      const spans = Array.from({ length: 26 }, (_, index) => spanOf(first + index, 1500 + first + index));
      await send(app, { resource: inProject(project), spans }, { token });
    }
    expect(await sums()).toEqual([100, 0, 129, priceOf(100, 129)]);
  });

  test("a correction is no step of its own, and says what it corrects to", async () => {
    const { project, token, steps } = await openProject();
    for (const span of [spanOf(10), spanOf(500, 2500)])
      await send(app, { resource: inProject(project), spans: [span] }, { token });
    expect((await steps()).map(({ summary }) => summary)).toEqual([
      "gpt-4o: 100 in, 10 out, ~$0.0003",
      "gpt-4o: 100 in, 500 out, ~$0.005 (corrected)",
    ]);
    const { runs } = await app.ctx.data.runs([project], { limit: 9 });
    expect(runs).toMatchObject([{ steps: 1, tokens_out: 500 }]);
  });

  test("a correction without a model has the price of the model that is recorded", async () => {
    const { project, sums } = await openProject();
    const caller = {
      name: "ci",
      scopes: new Set(["telemetry:write"] as const),
      projects: [project],
      expiresAt: null,
    };
    const append = (attributes: Record<string, string | number>) =>
      appendMapped(
        app.ctx,
        mappedOf(spansOf([{ attributes: { "gen_ai.operation.name": "chat", ...attributes } }])),
        caller,
        actionOf(caller, "receiveTelemetry"),
      );
    await append({ "gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": 100 });
    await append({ "gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 50 });
    expect(await sums()).toEqual([100, 0, 50, priceOf(100, 50)]);
  });
});
