/** Each time that a run is lost, one event tells of it, whatever happens to the processes that write it. */
import { describe, expect, test } from "bun:test";
import { openData } from "../../../db/open.ts";
import type { Context } from "../../../src/api/context.ts";
import { adminCaller } from "../../../src/core/auth/caller.ts";
import { minuteMicros } from "../../../src/core/lib/time.ts";
import { appendEvents } from "../../../src/feed/ingest/append-events.ts";
import { reportLostRuns } from "../../../src/feed/runs/lost-runs.ts";
import type { Event, EventInput } from "../../../src/feed/schema.ts";
import { matches } from "../../../src/integrations/webhooks/delivery/source.ts";
import { formats } from "../../../src/integrations/webhooks/formats/formats.ts";
import { getRun } from "../../../src/overview/runs/run-detail.ts";
import { dialects, event, link, must, openApp, rowsOf, type TestApp } from "../../support/harness.ts";

const timeout = 30 * minuteMicros;
const lostEvents = async ({ ctx }: TestApp): Promise<Event[]> =>
  (await ctx.data.feed(null, { kind: "run.lost", order: "oldest first", after: 0, limit: 1_000 })).map(
    ({ wire }) => JSON.parse(wire),
  );
const namesOf = async (app: TestApp) => (await lostEvents(app)).map(({ run_id }) => run_id ?? null);
/** A server that has told of lost runs before. */
async function openReporting(dialect: (typeof dialects)[number]) {
  const app = await openApp(dialect);
  await reportLostRuns(app.ctx);
  return app;
}
const report = (app: TestApp, run_id: string | null, kind: Event["kind"] = "run.started") =>
  app.ctx.data.append([event({ ...{ kind, run_id, project: "atlas", issue: 12, lane: "lane_a" } })]);

describe.each(dialects)("a lost run on %s", (dialect) => {
  test("is told once it is silent for too long, and not before", async () => {
    await using app = await openReporting(dialect);
    await report(app, "run-1");
    await report(app, "run-2");
    await report(app, "run-2", "run.finished");
    await report(app, null);
    app.clock.advance(timeout - minuteMicros);
    expect(await reportLostRuns(app.ctx)).toBe(0);
    app.clock.advance(2 * minuteMicros);
    expect([await reportLostRuns(app.ctx), await reportLostRuns(app.ctx)]).toEqual([2, 0]);
    const [named, derived] = (await lostEvents(app)) as [Event, Event];
    expect(named).toMatchObject({
      ...{ actor: event({}).actor, project: "atlas", issue: 12, lane: "lane_a", run_id: "run-1" },
      ...{ url: expect.stringMatching(/\/runs\/run-1\?project=atlas$/) },
      summary: expect.stringMatching(/^No event for 30 min\. Last: /),
    });
    expect([derived.run_id, derived.url]).toEqual([undefined, expect.stringMatching(/\/runs\/event%3A\d+$/)]);
    for (const one of [named, derived]) {
      expect(matches({ status: ["lost"] }, one)).toBe(true);
      expect(matches({ status: ["failed"] }, one)).toBe(false);
    }
  });

  test("is one that was working: a session that waits for a prompt is idle, however long", async () => {
    await using app = await openReporting(dialect);
    await link(app.ctx.data, "atlas");
    const status = async () => {
      await app.ctx.data.rebuildDerivedRows(["runs"]); // has the same state
      return (await getRun(app.ctx, { id: "s1" }, adminCaller)).status;
    };
    const hook = async (kind: EventInput["kind"], phase: string, ts: string) => {
      const dedupe_key = `hook:codex:s1:${phase}:${Math.floor(Date.parse(ts) / 1000)}`;
      const fields = { kind, run_id: "s1", project: "atlas", actor: "agent:codex", summary: phase };
      await appendEvents(app.ctx, { events: [{ ...fields, ts, dedupe_key }] }, adminCaller);
    };
    const isLost = async () => {
      app.clock.advance(8 * 60 * minuteMicros);
      return reportLostRuns(app.ctx);
    };
    await hook("run.started", "start", "2026-02-27T09:00:00Z");
    await hook("step.usage", "idle", "2026-02-27T09:05:00Z");
    await hook("step.usage", "working", "2026-02-27T09:00:01Z"); // arrives late
    expect([await status(), await isLost(), await status()]).toEqual(["idle", 0, "idle"]);
    expect((await getRun(app.ctx, { id: "s1" }, adminCaller)).steps).toBe(0);
    await hook("step.usage", "working", "2026-02-27T17:00:00Z");
    expect([await status(), await isLost(), await status()]).toEqual(["running", 1, "lost"]);
    await hook("step.usage", "idle", "2026-02-28T01:00:00Z");
    await hook("run.finished", "end", "2026-02-28T01:00:01Z");
    await hook("step.usage", "idle", "2026-02-28T01:00:02Z");
    expect([await status(), await isLost()]).toEqual(["finished", 0]);
  });

  test("stays lost, has the same row when it is rebuilt, and is told again when it is lost again", async () => {
    await using app = await openReporting(dialect);
    await link(app.ctx.data, "atlas");
    const rows = () => rowsOf(app.url, "select * from runs order by id");
    await report(app, "run-1");
    await report(app, null);
    const before = await rows();
    app.clock.advance(timeout + minuteMicros);
    expect(await reportLostRuns(app.ctx)).toBe(2);
    expect(await rows()).toEqual(before);
    await app.ctx.data.rebuildDerivedRows(["runs"]);
    expect(await rows()).toEqual(before);
    app.clock.advance(timeout);
    expect(await reportLostRuns(app.ctx)).toBe(0);
    await report(app, "run-1", "step.usage");
    app.clock.advance(timeout + minuteMicros);
    expect(await reportLostRuns(app.ctx)).toBe(1);
    expect(await namesOf(app)).toEqual(["run-1", null, "run-1"]);
  });

  test("is told once by two servers, and none is left out of many", async () => {
    await using app = await openReporting(dialect);
    const others = await openData(app.url, { now: app.clock.now, log() {} });
    const other: Context = { ...app.ctx, data: others };
    const names = Array.from({ length: 230 }, (_, index) => `run-${index}`);
    await app.ctx.data.append(
      names.map((run_id) => event({ kind: "run.started", run_id, project: "atlas" })),
    );
    app.clock.advance(timeout + minuteMicros);
    const written = await Promise.all([app.ctx, other, app.ctx].map(reportLostRuns));
    await others.close();
    expect(written.reduce((sum, count) => sum + count)).toBe(names.length);
    expect((await namesOf(app)).sort()).toEqual(names.sort());
  });
});

describe("a lost run", () => {
  test("from before the first server that tells of them is history", async () => {
    await using app = await openApp("sqlite");
    await report(app, "run-1");
    app.clock.advance(timeout + minuteMicros);
    expect([await reportLostRuns(app.ctx), await reportLostRuns(app.ctx)]).toEqual([0, 0]);
  });

  test("is an urgent message, unless it reports again", async () => {
    await using app = await openReporting("sqlite");
    await report(app, "run-1");
    app.clock.advance(timeout + minuteMicros);
    await reportLostRuns(app.ctx);
    const plan = async () => formats.slack.plan(app.ctx, await lostEvents(app), { lastSentAt: null });
    const sent = await plan();
    expect(must(sent.action === "send" ? sent.message.body : undefined)).toContain("Run lost on issue #12");
    await report(app, "run-1", "step.usage");
    expect((await plan()).action).toBe("skip");
  });
});
