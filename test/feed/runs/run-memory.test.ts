/** What runs were told and searched for. */
import { describe, expect, test } from "bun:test";
import type { Context } from "../../../src/api/context.ts";
import { retentions, trimRows } from "../../../src/api/retention.ts";
import { adminCaller } from "../../../src/core/auth/caller.ts";
import { dayMicros } from "../../../src/core/lib/time.ts";
import { recordCallerDecision } from "../../../src/memory/decisions.ts";
import type { DecideInput } from "../../../src/memory/schema.ts";
import type { RunDetail } from "../../../src/overview/runs/schema.ts";
import { dialects, must } from "../../support/harness.ts";
import { openMemory } from "../../support/memory/memory.ts";

const decideIn = (ctx: Context, input: Pick<DecideInput, "text" | "run_id">) =>
  recordCallerDecision(ctx, { project: "atlas", ...input }, adminCaller);

describe.each(dialects)("on %s, a run", (dialect) => {
  test("keeps the brief it was given, with the decisions that it carried, for 90 days", async () => {
    await using app = await openMemory(dialect);
    const decision = await decideIn(app.ctx, { text: "Maps are drawn for paper" });
    const token = await app.mint(["memory:read", "feed:read", "feed:write"]);
    const get = async (path: string) => (await app.ask(`/api/v1${path}`, { token })).json();
    const detail = (): Promise<RunDetail> => get("/runs/run-1");
    const brief = await get("/projects/atlas/brief?intent=maps&run_id=run-1");
    await get("/projects/atlas/brief?intent=maps&run_id=run-1");
    await get("/projects/atlas/brief?intent=maps");
    const { hits } = await get("/recall?query=maps&project=atlas&run_id=run-1");
    await app.ask("/api/v1/events", {
      ...{ method: "POST", token },
      json: {
        events: [{ kind: "run.started", actor: "agent:a", summary: "s", project: "atlas", run_id: "run-1" }],
      },
    });
    const run = await detail();
    expect(run.briefs).toMatchObject([{ text: brief.text, chars: brief.chars, decisions: [decision.id] }]);
    expect(run.brief?.hash).toBe(
      new Bun.CryptoHasher("sha256").update(must(run.briefs[0]?.text)).digest("hex"),
    );
    expect(run.recalls).toMatchObject([{ query: "maps", hits: hits.length }]);
    app.clock.advance(91 * dayMicros);
    expect(await trimRows(app.ctx, retentions["sweep of briefs"])).toBe(2);
    expect(await trimRows(app.ctx, retentions["sweep of briefs"])).toBe(0);
    const later = await detail();
    expect(later.briefs).toMatchObject([{ text: null, hash: run.brief?.hash, decisions: [decision.id] }]);
    expect(later.recalls).toEqual([]);
  });

  test("is told a brief that its client had cached: the text of then, not of now", async () => {
    await using app = await openMemory(dialect);
    const decision = await decideIn(app.ctx, { text: "Maps are drawn for paper" });
    const token = await app.mint(["memory:read", "feed:read", "feed:write"]);
    const url = "/api/v1/projects/atlas/brief?run_id=brief-cache:1";
    const { text } = await (await app.ask(url, { token })).json();
    const hash = new Bun.CryptoHasher("sha256").update(text).digest("hex");
    await decideIn(app.ctx, { text: "Maps are drawn for screens" });
    const report = (json: object) =>
      app.ask("/api/v1/runs/run-3/briefs", { method: "POST", token, json: { project: "atlas", ...json } });
    const ts = "2026-01-02T03:04:05.000Z";
    for (const _ of [1, 2]) expect((await report({ hash, from: "brief-cache:1", ts })).status).toBe(200);
    const told = await app.ctx.data.runBriefs({ project: "atlas", id: "run-3" }, 10);
    expect(told).toMatchObject([{ text, hash, decisions: [decision.id] }]);
    const uses = await app.ctx.data.briefsWithDecision(decision.id, { limit: 10 });
    expect(uses.map(({ run_id }) => run_id)).toEqual(["run-3"]);
    for (const unknown of [
      { hash, from: "brief-cache:2" },
      { hash: "0".repeat(64), from: "brief-cache:1" },
    ])
      expect((await report(unknown)).status).toBe(404);
    expect((await report({ hash, from: "brief-cache:1", project: "other" })).status).toBe(404);
  });

  test("of a caller without a token is not written", async () => {
    await using app = await openMemory(dialect, { SVC_PUBLIC_READ: "1" });
    expect((await app.ask("/api/v1/projects/atlas/brief?run_id=run-1")).status).toBe(200);
    expect(await app.ctx.data.runBriefs({ project: "atlas", id: "run-1" }, 10)).toEqual([]);
    const refused = await app.ask("/api/v1/recall?query=maps&run_id=run-1");
    expect([refused.status, (await refused.json()).detail]).toEqual([
      400,
      "run_id needs project: a run belongs to one.",
    ]);
  });

  test("shows the decisions that it made", async () => {
    await using app = await openMemory(dialect);
    const { id } = await decideIn(app.ctx, { text: "Use maps", run_id: "run-2" });
    const run = must(await app.ctx.data.run(null, "atlas", "run-2"));
    expect(run.decisions).toBe(1);
    expect(await app.ctx.data.runDecisions(run, 10)).toMatchObject([{ id, run_id: "run-2" }]);
  });
});
