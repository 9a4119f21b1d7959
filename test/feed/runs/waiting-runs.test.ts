/** A run waits while its agent asks for permission or input, and is told of after a minute. */
import { describe, expect, test } from "bun:test";
import { adminCaller } from "../../../src/core/auth/caller.ts";
import { dayMicros, fromMicros, minuteMicros, secondMicros } from "../../../src/core/lib/time.ts";
import { appendEvents } from "../../../src/feed/ingest/append-events.ts";
import { reportLostRuns, reportWaitingRuns } from "../../../src/feed/runs/lost-runs.ts";
import type { Event, EventInput } from "../../../src/feed/schema.ts";
import { formats } from "../../../src/integrations/webhooks/formats/formats.ts";
import { loadInbox } from "../../../src/overview/inbox/inbox.ts";
import { getRun } from "../../../src/overview/runs/run-detail.ts";
import { dialects, event, link, must, openApp } from "../../support/harness.ts";

/** An app, and a session of Codex on a machine whose clock differs from the server's. */
async function openSession(dialect: (typeof dialects)[number], clockError = 0) {
  const app = await openApp(dialect);
  const { ctx, clock } = app;
  await link(ctx.data, "atlas");
  await Promise.all([reportLostRuns(ctx), reportWaitingRuns(ctx)]);
  const machineTime = () => fromMicros(clock.now() + clockError);
  const append = (fields: Partial<EventInput>) => {
    clock.advance(secondMicros);
    const sent = { project: "atlas", actor: "agent:codex", summary: "Step", run_id: "s1", issue: 12 };
    const all: EventInput = { kind: "step.usage", ...sent, ...fields };
    return appendEvents(ctx, { events: [all] }, adminCaller);
  };
  const hook = (phase: string, kind: EventInput["kind"] = "step.usage") =>
    append({ kind, ts: machineTime(), dedupe_key: `hook:codex:s1:${phase}:${clock.now()}`, summary: phase });
  const told = async (kind: Event["kind"]): Promise<Event[]> =>
    (await ctx.data.feed(null, { kind, limit: 10 })).map(({ wire }) => JSON.parse(wire));
  return {
    ...{ app, ctx, clock, append, hook, machineTime, told },
    async status() {
      const { status } = await getRun(ctx, { id: "s1" }, adminCaller);
      await ctx.data.rebuildDerivedRows(["runs"]); // has the same state
      expect((await getRun(ctx, { id: "s1" }, adminCaller)).status).toBe(status);
      expect(await ctx.data.findInconsistencies()).toEqual([]);
      return status;
    },
    items: async () => (await loadInbox(ctx, {}, adminCaller)).items,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

describe.each(dialects)("on %s, a run", (dialect) => {
  test.each([0, 3_600 * secondMicros, -3_600 * secondMicros])(
    "waits until the next sign of life, with a clock that is %p ahead",
    async (clockError) => {
      await using session = await openSession(dialect, clockError);
      const { hook, append, machineTime, status } = session;
      await hook("start", "run.started");
      const before = machineTime();
      await hook("waiting");
      expect(await status()).toBe("waiting");
      await append({ ts: before }); // telemetry of a step before it, reported late
      expect(await status()).toBe("waiting");
      await append({ ts: machineTime() });
      expect(await status()).toBe("running");
      for (const end of ["working", "idle"]) {
        await hook("waiting");
        await hook(end);
        expect(await status()).toBe(end === "idle" ? "idle" : "running");
      }
      await hook("waiting");
      await append({}); // by the clock of the server
      expect(await status()).toBe("running");
      await hook("waiting");
      await hook("end", "run.finished");
      expect(await status()).toBe("finished");
    },
  );

  test("is not resumed by what people do", async () => {
    await using session = await openSession(dialect);
    await session.hook("start", "run.started");
    await session.hook("waiting");
    await session.append({ kind: "pr.review", actor: "human:ana" });
    expect(await session.status()).toBe("waiting");
  });

  test("is told of once after a minute of waiting, and again for the next question", async () => {
    await using session = await openSession(dialect);
    const { ctx, clock, hook, append, machineTime, told } = session;
    await hook("start", "run.started");
    const before = machineTime();
    await hook("waiting");
    clock.advance(minuteMicros - 2 * secondMicros);
    expect(await reportWaitingRuns(ctx)).toBe(0);
    clock.advance(3 * secondMicros);
    const written = await Promise.all([reportWaitingRuns(ctx), reportWaitingRuns(ctx)]);
    expect(written.toSorted()).toEqual([0, 1]);
    const [event] = await told("run.waiting");
    expect(event).toMatchObject({ actor: "agent:codex", project: "atlas", issue: 12, run_id: "s1" });
    expect(await session.status()).toBe("waiting");
    await append({ ts: before }); // a late step makes its newest event newer
    clock.advance(2 * minuteMicros);
    expect(await reportWaitingRuns(ctx)).toBe(0);
    await hook("working");
    await hook("waiting");
    clock.advance(2 * minuteMicros);
    expect(await reportWaitingRuns(ctx)).toBe(1);
  });

  test("that nobody answers for a day is lost, and runs again at its next event", async () => {
    await using session = await openSession(dialect);
    const { ctx, clock, hook, told } = session;
    await hook("start", "run.started");
    await hook("waiting");
    clock.advance(dayMicros - minuteMicros);
    expect([await reportLostRuns(ctx), await session.status()]).toEqual([0, "waiting"]);
    clock.advance(2 * minuteMicros);
    expect([await reportLostRuns(ctx), await reportLostRuns(ctx)]).toEqual([1, 0]);
    expect(await session.status()).toBe("lost");
    expect((await told("run.lost"))[0]?.summary).toBe("No answer for a day. Last: waiting");
    expect((await session.items()).map(({ reason }) => reason)).toEqual(["run_lost"]);
    await hook("working");
    expect(await session.status()).toBe("running");
  });

  test("that waits comes first in the inbox, for the person whose work it is or for all", async () => {
    await using session = await openSession(dialect);
    const { ctx, hook, items } = session;
    const failed = { kind: "run.failed", project: "atlas", run_id: "other" } as const;
    await ctx.data.append([event(failed)]);
    await hook("start", "run.started");
    await hook("waiting");
    const [first, second] = await items();
    expect(first).toMatchObject({
      ...{ reason: "run_waiting", group: "agents", project: "atlas", issue: 12 },
      detail: "codex asks for permission or input",
      url: expect.stringMatching(/\/runs\/s1\?project=atlas$/),
    });
    expect(second?.reason).toBe("run_failed");
    const task = { project: "atlas", issue: 12, pr: null };
    expect(await ctx.data.taskRows([task], 0)).toMatchObject([{ runs_waiting: 1, running: 1 }]);
    await hook("working");
    expect((await items()).map(({ reason }) => reason)).toEqual(["run_failed"]);
  });
});

test("a run that waits is an urgent message, unless it goes on", async () => {
  await using session = await openSession("sqlite");
  const { ctx, clock, hook, told } = session;
  await hook("start", "run.started");
  await hook("waiting");
  clock.advance(2 * minuteMicros);
  await reportWaitingRuns(ctx);
  const plan = async () => formats.slack.plan(ctx, await told("run.waiting"), { lastSentAt: null });
  const sent = await plan();
  const body = must(sent.action === "send" ? sent.message.body : undefined);
  expect(body).toContain("An agent waits for an answer on issue #12");
  await hook("working");
  expect((await plan()).action).toBe("skip");
});
