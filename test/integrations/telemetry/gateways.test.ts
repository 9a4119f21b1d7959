/**
 * LiteLLM and Langfuse, whose senders change a URL. The rows are what LiteLLM 1.106.2 sent, the spans what
 * version 5.11.1 of Langfuse's SDK sent; version 3.39.2 runs here.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Langfuse } from "langfuse";
import type { Event } from "../../../src/feed/schema.ts";
import { openGenerations, readBatch } from "../../../src/integrations/telemetry/gateways/langfuse.ts";
import { dialects, link, must, openApp, type TestApp } from "../../support/harness.ts";
import { fixtureOf } from "../../support/telemetry/telemetry.ts";

const basic = (token: string) => ({ authorization: `Basic ${btoa(`pk-lf-any:${token}`)}` });

describe.each(dialects)("on %s", (dialect) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openApp(dialect);
  });
  afterAll(() => app.close());

  /** A project with a token that is limited to it; the token's name is the actor. */
  const openProject = async (project: string) => {
    await link(app.ctx.data, project);
    const token = await app.mint(["telemetry:write"], { name: `crew-${project}`, projects: [project] });
    const events = async (): Promise<Event[]> =>
      (await app.ctx.data.feed(null, { project, limit: 100, order: "oldest first" }))
        .map(({ wire }) => JSON.parse(wire) as Event)
        .filter(({ kind }) => kind !== "project.linked");
    return { token, events };
  };

  const post = (path: string, body: string, headers: Record<string, string>) =>
    app.ask(path, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });

  describe("LiteLLM", () => {
    const formats = {
      json_array: (rows: unknown[]) => JSON.stringify(rows),
      ndjson: (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).join("\n"),
    };

    test.each(Object.entries(formats))("rows as %s are steps with their cost, once", async (name, format) => {
      const project = `rows-${name.replace("_", "-")}`;
      const { token, events } = await openProject(project);
      const rows = (await fixtureOf("litellm")) as unknown as unknown[];
      for (let time = 0; time < 2; time++) {
        const response = await post("/api/litellm", format(rows), { authorization: `Bearer ${token}` });
        expect([response.status, await response.json()]).toEqual([
          200,
          { accepted: 3, rejected: 0, message: "" },
        ]);
      }
      const common = { kind: "step.usage", actor: `agent:crew-${project}`, project };
      expect(await events()).toMatchObject([
        {
          ...{ ...common, model: "gpt-4o", duration_ms: 1061, cost_equiv: 0.01736, cost_source: "reported" },
          ...{ tokens_in: 1204, cache_read: 9000, cache_write: 0, tokens_out: 310 },
        },
        {
          ...{ ...common, model: "claude-sonnet-4-5", cost_equiv: 0.012087, cost_source: "reported" },
          ...{ tokens_in: 1204, cache_read: 9000, cache_write: 300, tokens_out: 310 },
        },
        { ...common, model: "gpt-4o", summary: "gpt-4o: request failed (500)", cost_equiv: 0 },
      ]);
    });

    test("a single row is placed by its tags", async () => {
      const { token, events } = await openProject("tags");
      const row = { id: "1", model: "gpt-4o", request_tags: ["svc.project=tags", "svc.issue=42", "other"] };
      await post("/api/litellm", JSON.stringify(row), { authorization: `Bearer ${token}` });
      expect(await events()).toMatchObject([{ issue: 42, project: "tags" }]);
      const elsewhere = JSON.stringify({ ...row, id: "2", request_tags: ["svc.project=rows"] });
      const refused = await post("/api/litellm", elsewhere, { authorization: `Bearer ${token}` });
      expect(await refused.json()).toEqual({
        ...{ accepted: 0, rejected: 1 },
        message: "1 record: svc.project names no project that the token can write to.",
      });
    });

    test.each([
      ["{", 400],
      ["[1]", 400],
      ['{"id":"1"}\n{', 400],
      ["[]", 200],
    ])("%j is answered with %d", async (body, status) => {
      const token = await app.mint(["telemetry:write"]);
      const response = await post("/api/litellm", body, { authorization: `Bearer ${token}` });
      expect(response.status).toBe(status);
    });
  });

  describe("Langfuse", () => {
    test("the SDK of version 3 sends to svc: and what it says of a generation is merged", async () => {
      const { token, events } = await openProject("langfuse");
      const client = new Langfuse({
        ...{ publicKey: "pk-lf-any", secretKey: token, baseUrl: app.listen() },
      });
      const trace = client.trace({ name: "checkout", sessionId: "s" });
      const first = trace.generation({ name: "a", model: "gpt-4o", startTime: new Date(1e12) });
      first.end({ usage: { promptTokens: 1204, completionTokens: 310 } });
      const details = { input: 1204, output: 310, cache_read_input_tokens: 9000, total: 10_514 };
      const second = trace.generation({ name: "b", model: "claude-sonnet-4-5", usageDetails: details });
      second.end();
      trace.generation({ name: "c", model: "gpt-4o" }).end({ level: "ERROR", statusMessage: "no" });
      await client.shutdownAsync();
      const found = (await events()).toSorted((a, b) => (a.summary < b.summary ? -1 : 1));
      expect(found.map(({ summary, actor }) => [actor, summary])).toEqual([
        ["agent:crew-langfuse", "claude-sonnet-4-5: 1,204 in, 9,000 cached, 310 out, ~$0.011"],
        ["agent:crew-langfuse", "gpt-4o: 1,204 in, 310 out, ~$0.006"],
        ["agent:crew-langfuse", "gpt-4o: request failed"],
      ]);
      expect(must(found[0])).toMatchObject({ cost_source: "computed", cache_read: 9000 });
    });

    test("a batch is answered with what became of each event, by its id", async () => {
      const { token, events } = await openProject("batch");
      const generation = (id: string, body: object) => ({ id, type: "generation-create", body });
      const batch = [
        generation("e1", { id: "g1", model: "gpt-4o", usage: { input: 10, output: 5, unit: "TOKENS" } }),
        { id: "e2", type: "trace-create", body: { id: "t1" } },
        { id: "e3", type: "generation-update", body: { id: "g1", costDetails: { input: 0.1, output: 0.2 } } },
        { id: "e4" },
        generation("e5", { id: "g2", usage: { input: 10, unit: "CHARACTERS" } }),
      ];
      const response = await post("/api/public/ingestion", JSON.stringify({ batch }), basic(token));
      expect(response.status).toBe(207);
      expect(await response.json()).toEqual({
        successes: ["e1", "e2", "e3", "e5"].map((id) => ({ id, status: 201 })),
        errors: [{ id: "e4", status: 400, message: "An event needs an id and a body." }],
      });
      const [event, ...rest] = await events();
      expect(event).toMatchObject({ tokens_in: 10, tokens_out: 5, cost_source: "reported" });
      expect(must(event).cost_equiv).toBeCloseTo(0.3, 9);
      expect(rest).toEqual([]);
    });

    test("what an earlier request said of a generation is not forgotten", async () => {
      const { token, events } = await openProject("two-requests");
      const send = (type: string, body: object) =>
        post("/api/public/ingestion", JSON.stringify({ batch: [{ id: type, type, body }] }), basic(token));
      await send("generation-create", { id: "g1", model: "gpt-4o", startTime: "2026-03-01T11:59:58Z" });
      expect(await events()).toEqual([]);
      const end = { id: "g1", endTime: "2026-03-01T12:00:00Z", usage: { input: 10, output: 5 } };
      for (let time = 0; time < 2; time++) await send("generation-update", end);
      expect(await events()).toMatchObject([{ model: "gpt-4o", tokens_in: 10, duration_ms: 2000 }]);
    });

    test("an event that fits no project is an error with the reason", async () => {
      const token = await app.mint(["telemetry:write"]);
      const body = { id: "g9", model: "gpt-4o", usage: { input: 1 } };
      const batch = [{ id: "e1", type: "generation-create", body }];
      const response = await post("/api/public/ingestion", JSON.stringify({ batch }), basic(token));
      expect(await response.json()).toEqual({
        successes: [],
        errors: [{ id: "e1", status: 400, message: expect.stringContaining("no project: set svc.project") }],
      });
    });

    test("spans of later SDKs are taken at the path that they append", async () => {
      const { token, events } = await openProject("spans");
      const body = JSON.stringify(await fixtureOf("langfuse-spans"));
      const response = await post("/api/public/otel/v1/traces", body, basic(token));
      expect([response.status, await response.text()]).toEqual([200, "{}"]);
      const [step, finished] = await events();
      expect(step).toMatchObject({
        ...{ kind: "step.usage", actor: "agent:support-bot", model: "gpt-4o" },
        ...{
          tokens_in: 1204,
          cache_read: 9000,
          tokens_out: 310,
          cost_equiv: 0.0121,
          cost_source: "reported",
        },
      });
      expect(finished).toMatchObject({ kind: "run.finished", run_id: must(step).run_id });
    });

    test.each(["/api/public/ingestion", "/api/public/otel/v1/traces", "/api/litellm"])(
      "%s refuses a wrong token, a token without the scope, and other methods",
      async (path) => {
        const reader = await app.mint(["feed:read"]);
        const token = await app.mint(["telemetry:write"]);
        const statusOf = async (headers: Record<string, string>, method = "POST") =>
          (await app.ask(path, { method, headers })).status;
        const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
        expect(await statusOf({})).toBe(401);
        expect(await statusOf(path.includes("public") ? basic("wrong") : bearer("wrong"))).toBe(401);
        expect(await statusOf(path.includes("public") ? basic(reader) : bearer(reader))).toBe(403);
        expect(await statusOf(bearer(token), "PUT")).toBe(405);
      },
    );
  });
});

test("of a generation, numbers and a short name are kept for its update", async () => {
  const known = openGenerations();
  const long = "x".repeat(5_000_000);
  for (const model of [long, "x".repeat(10_000)]) {
    const usage = { unit: long, input: 7 };
    const body = { id: "a", model, endTime: long, metadata: long, level: long, usage };
    const batch = [{ id: "1", type: "generation-create", body }];
    await readBatch(Buffer.from(JSON.stringify({ batch })), "crew", known);
  }
  expect(JSON.stringify(known.get("crew a")).length).toBeLessThan(400);
  expect(known.get("crew a")?.model?.length).toBeLessThanOrEqual(128);
});
