/** Claims: one holder of a task or of files at a time, for a time. */
import { describe, expect, test } from "bun:test";
import { retentions, trimRows } from "../../src/api/retention.ts";
import { adminCaller, type Caller } from "../../src/core/auth/caller.ts";
import { minuteMicros } from "../../src/core/lib/time.ts";
import type { Problem } from "../../src/core/problem.ts";
import { claim, listClaims } from "../../src/feed/claims/claims.ts";
import type { ClaimInput } from "../../src/feed/claims/schema.ts";
import { overlap, subjectOf } from "../../src/feed/claims/subject.ts";
import { appendEvents } from "../../src/feed/ingest/append-events.ts";
import type { EventInput } from "../../src/feed/schema.ts";
import { brief } from "../../src/overview/brief/brief.ts";
import { dialects, link, openApp, type TestApp, testClock } from "../support/harness.ts";

const tokenOf = (name: string): Caller => ({ ...adminCaller, name });
const codex = tokenOf("codex");
const ask = ({ ctx }: TestApp, given: Partial<ClaimInput>, caller = codex) =>
  claim(ctx, { project: "atlas", subjects: ["#12"], ...given }, caller);
const append = ({ ctx }: TestApp, fields: Partial<EventInput>) => {
  const sent = { project: "atlas", run_id: "s1", actor: "agent:codex", summary: "Works" } as const;
  return appendEvents(ctx, { events: [{ kind: "run.started", ...sent, ...fields }] }, codex);
};
const heldIn = async ({ ctx }: TestApp) =>
  (await listClaims(ctx, { project: "atlas" }, adminCaller)).claims.map(({ subject, holder, run_id }) =>
    [subject, holder, run_id].join(" "),
  );
const containing = (text: string) => expect.stringContaining(text);
const openAtlas = async (dialect: (typeof dialects)[number]) => {
  const app = await openApp(dialect, {}, testClock("2026-03-01T14:02:00Z"));
  await link(app.ctx.data, "atlas");
  return app;
};

describe.each(dialects)("on %s, a claim", (dialect) => {
  test("has one holder of fifty that ask at once, and the others are told who, since when, and until when", async () => {
    await using app = await openAtlas(dialect);
    const asked = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => ask(app, { run_id: `s${index}`, by: "agent:codex" })),
    );
    const won = asked.flatMap((one) => (one.status === "fulfilled" ? one.value.claims : []));
    const refused = asked.flatMap((one) => (one.status === "rejected" ? [one.reason as Problem] : []));
    expect([won.length, refused.length]).toEqual([1, 49]);
    const told = `agent:codex claims #12 since 2026-03-01 14:02 UTC, until 2026-03-01 14:32 UTC (run ${won[0]?.run_id})`;
    for (const { status, detail } of refused) {
      expect([status, detail.startsWith(told)]).toEqual([409, true]);
      expect(detail).toContain("take other work, ask the holder, try again later, or pass force");
    }
  });

  test("lasts from the last event of its run, ends with it, and is free then", async () => {
    await using app = await openAtlas(dialect);
    await append(app, {});
    expect((await ask(app, {})).claims).toMatchObject([{ run_id: "s1", holder: "agent:codex", note: null }]);
    app.clock.advance(20 * minuteMicros);
    await append(app, { kind: "step.usage" });
    app.clock.advance(29 * minuteMicros);
    expect(await heldIn(app)).toEqual(["#12 agent:codex s1"]);
    const other = () => ask(app, { run_id: "s2" }, tokenOf("claude"));
    expect(other()).rejects.toMatchObject({ status: 409 });
    app.clock.advance(minuteMicros);
    expect((await other()).claims).toMatchObject([{ run_id: "s2" }]);
    await ask(app, { subjects: ["src/map/**"] });
    await append(app, { kind: "run.finished" });
    expect(await heldIn(app)).toEqual(["#12 bot:claude s2"]);
    expect(ask(app, { run_id: "s1" })).rejects.toMatchObject({
      status: 409,
      detail: containing("s1 has ended"),
    });
  });

  test("is of all subjects or none, is extended and released by its holder, and taken over by force", async () => {
    await using app = await openAtlas(dialect);
    const ana = tokenOf("ana");
    await ask(app, { subjects: ["12", "src/"], note: "Draws the map", minutes: 60 }, ana);
    expect(ask(app, { subjects: ["PROJ-7", "#12"] })).rejects.toMatchObject({ status: 409 });
    expect(ask(app, { minutes: 0 })).rejects.toMatchObject({ status: 409 });
    expect(await heldIn(app)).toEqual(["#12 bot:ana ", "src/** bot:ana "]);
    const overlapping = await ask(app, { subjects: ["src/app.ts", "proj-7"] });
    expect(overlapping.others).toMatchObject([{ subject: "src/**", note: "Draws the map" }]);
    app.clock.advance(50 * minuteMicros);
    const [extended] = (await ask(app, {}, ana)).claims;
    expect(extended).toMatchObject({
      note: "Draws the map",
      since: containing("14:02"),
      until: containing("15:22"),
    });
    const taken = await ask(app, { force: true, minutes: 5 });
    expect([taken.claims[0]?.holder, taken.others[0]?.holder]).toEqual(["bot:codex", "bot:ana"]);
    expect((await ask(app, { subjects: ["src/**", "free"], minutes: 0 }, ana)).released).toBe(1);
    expect((await ask(app, { minutes: 0 })).released).toBe(1);
    expect(await heldIn(app)).toEqual([]);
    app.clock.advance(3 * 24 * 60 * minuteMicros);
    expect(await trimRows(app.ctx, retentions["sweep of claims"])).toBe(2);
  });

  test("of others stands in the brief of its task, and of any task if it is of files", async () => {
    await using app = await openAtlas(dialect);
    const linesOf = async (query: object) => {
      const { text } = await brief(app.ctx, { project: "atlas", ...query }, adminCaller);
      return text.replace(/<\/?data-[^>]*>/g, "").match(/^- .* claims .*$/gm) ?? [];
    };
    await append(app, {});
    await ask(app, { subjects: ["#12", "src/map/**"], note: "Draws" });
    const ofTask =
      "- agent:codex claims #12 since 2026-03-01 14:02 UTC, until 2026-03-01 14:32 UTC (run s1): Draws";
    const ofFiles = ofTask.replace("#12", "src/map/**");
    expect(await linesOf({ issue: 12 })).toEqual([ofTask, ofFiles]);
    expect(await linesOf({ issue: 13 })).toEqual([ofFiles]);
    expect(await linesOf({ issue: 12, run_id: "cache:1", own_run: "s1" })).toEqual([]);
  });
});

test("a subject reads the same however it is written, and overlaps what may be of the same file", () => {
  const cases = {
    "12": "#12",
    "pr 40": "PR 40",
    "!40": "PR 40",
    "proj-7": "PROJ-7",
    "task:Fix-it": "task:Fix-it",
  };
  for (const [given, subject] of Object.entries(cases)) expect(subjectOf(given)).toBe(subject);
  expect([subjectOf("./src/map/"), subjectOf("README.md")]).toEqual(["src/map/**", "README.md"]);
  for (const wrong of ["/etc/passwd", "../a", "", "a\nb"])
    expect(() => subjectOf(wrong)).toThrow("is no task");
  expect(overlap("src/**", "src/app.ts")).toBe(true);
  expect(overlap("src/*.ts", "src/map/**")).toBe(true);
  expect(overlap("src", "src/app.ts")).toBe(true);
  expect(overlap("src/a.ts", "src/b.ts")).toBe(false);
  expect(overlap("#12", "#13")).toBe(false);
});
