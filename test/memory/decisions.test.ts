/** Decisions and preferences. */
import { describe, expect, test } from "bun:test";
import { openData } from "../../db/open.ts";
import type { Context } from "../../src/api/context.ts";
import { adminCaller, type Caller } from "../../src/core/auth/caller.ts";
import { dayMicros, secondMicros } from "../../src/core/lib/time.ts";
import { recordCallerDecision, recordDecision, retireDecisions } from "../../src/memory/decisions.ts";
import { prefer } from "../../src/memory/preferences.ts";
import { preferencesOf } from "../../src/memory/preferences-of-project.ts";
import { recall } from "../../src/memory/recall/recall.ts";
import type { DecideInput } from "../../src/memory/schema.ts";
import { getProject } from "../../src/overview/projects/project-detail.ts";
import { dialects, must, rowsOf } from "../support/harness.ts";
import { eventsOf, openMemory } from "../support/memory/memory.ts";

const limitedTo = (...projects: string[]): Caller => ({ ...adminCaller, name: "limited", projects });
const agent: Caller = { ...adminCaller, name: "planner" };

const decideIn = (ctx: Context, input: Partial<DecideInput> & { text: string }, caller = agent) =>
  recordCallerDecision(ctx, { project: "atlas", ...input }, caller);
const current = async (ctx: Context, slug = "atlas") =>
  (await getProject(ctx, slug, adminCaller)).decisions.map(({ text }) => text);

describe.each(dialects)("decisions on %s", (dialect) => {
  test("have an author, a source and a start, and are events of their project", async () => {
    await using app = await openMemory(dialect);
    const decided = await decideIn(app.ctx, { text: "Use maps", source_ref: "acme/atlas#12" });
    expect(decided).toEqual({
      ...{
        id: 1,
        project: "atlas",
        text: "Use maps",
        source: "mcp",
        source_ref: "acme/atlas#12",
        actor: "bot:planner",
      },
      ...{
        valid_from: "2026-03-01T12:00:00.000000Z",
        run_id: null,
        added: true,
        standing: "confirmed",
        checks: [],
      },
      ...{ contradicts: [], advice: null },
    });
    expect((await decideIn(app.ctx, { text: "Use globes", by: "agent:codex", source: "web" })).actor).toBe(
      "agent:codex",
    );
    const events = await eventsOf(app.ctx, "decision.captured");
    expect(events.map(({ project, actor, summary }) => [project, actor, summary])).toEqual([
      ["atlas", "agent:codex", "Use globes"],
      ["atlas", "bot:planner", "Use maps"],
    ]);
  });

  test("with blank text are rejected, and the event of one has its first line", async () => {
    await using app = await openMemory(dialect);
    for (const text of [" ", "\n\n", "\u200b"])
      await expect(decideIn(app.ctx, { text })).rejects.toThrow("text of the decision is blank");
    await decideIn(app.ctx, { text: "\u200b\n \nUse maps\nof paper" });
    expect((await eventsOf(app.ctx, "decision.captured")).map(({ summary }) => summary)).toEqual([
      "Use maps",
    ]);
  });

  test("a decision that supersedes another replaces it in the list, and both stay in the history", async () => {
    await using app = await openMemory(dialect);
    const first = await decideIn(app.ctx, { text: "Cache plans in Redis" });
    app.clock.advance(dayMicros);
    const second = await decideIn(app.ctx, { text: "Cache plans in Postgres", supersedes: first.id });
    expect(await current(app.ctx)).toEqual(["Cache plans in Postgres"]);
    expect((await getProject(app.ctx, "atlas", adminCaller)).decisionsCount).toBe(1);
    const found = async (as_of?: string) =>
      (await recall(app.ctx, { query: "cache plans", ...(as_of && { as_of }) }, adminCaller)).hits
        .filter(({ kind }) => kind === "decision")
        .map(({ text, valid_until }) => [text, valid_until]);
    expect(await found()).toEqual([["Cache plans in Postgres", null]]);
    expect(await found(first.valid_from)).toEqual([["Cache plans in Redis", second.valid_from]]);
    expect(await found("2026-02-01T00:00:00Z")).toEqual([]);
    const rows = await rowsOf(app.url, "select id, supersedes, valid_until from decisions order by id");
    expect(
      rows.map((row) => [Number(row.id), row.supersedes && Number(row.supersedes), row.valid_until !== null]),
    ).toEqual([
      [1, null, true],
      [2, 1, false],
    ]);
  });

  test("a superseded decision must be current and of the same project; otherwise nothing is written", async () => {
    await using app = await openMemory(dialect);
    const first = await decideIn(app.ctx, { text: "One" });
    await decideIn(app.ctx, { text: "Two", supersedes: first.id });
    for (const supersedes of [first.id, 999])
      await expect(decideIn(app.ctx, { text: "Three", supersedes })).rejects.toMatchObject({ status: 409 });
    await expect(
      decideIn(app.ctx, { project: "beacon", text: "Three", supersedes: 2 }),
    ).rejects.toMatchObject({ status: 409 });
    expect(await current(app.ctx)).toEqual(["Two"]);
    expect((await eventsOf(app.ctx, "decision.captured")).length).toBe(2);
  });

  test("a decision with the text of a current one is not added again and is no event", async () => {
    await using app = await openMemory(dialect);
    const first = await decideIn(app.ctx, { text: "Use maps" });
    const again = await decideIn(app.ctx, { text: "Use maps", by: "agent:other" });
    expect(again).toEqual({ ...first, added: false });
    expect(await decideIn(app.ctx, { text: "Use maps", supersedes: first.id })).toEqual({
      ...first,
      added: false,
    });
    expect((await decideIn(app.ctx, { project: "beacon", text: "Use maps" })).added).toBe(true);
    expect((await eventsOf(app.ctx, "decision.captured")).length).toBe(2);
    const second = await decideIn(app.ctx, { text: "Use globes", supersedes: first.id });
    expect((await decideIn(app.ctx, { text: "Use maps" })).added).toBe(true);
    const third = await decideIn(app.ctx, { text: "Use maps", supersedes: second.id });
    expect(third.added).toBe(false);
    expect(await current(app.ctx)).toEqual(["Use maps"]);
    expect((await getProject(app.ctx, "atlas", adminCaller)).decisionsCount).toBe(1);
  });

  test("every rejection is a decision of its own; a later approval of the asset retires them, and only them", async () => {
    await using app = await openMemory(dialect);
    const reject = (asset: string, text = "Too dark") =>
      app.ctx.data.atomically((writes) =>
        recordDecision(
          writes,
          { project: "atlas", text, source: "review", source_ref: asset },
          "human:zoe",
          app.clock.now(),
        ),
      );
    await decideIn(app.ctx, { text: "Too dark" });
    for (const asset of ["A", "A", "B"]) await reject(asset);
    expect(await current(app.ctx)).toEqual(["Too dark", "Too dark", "Too dark", "Too dark"]);
    await app.ctx.data.atomically((writes) => retireDecisions(writes, "atlas", "A", app.clock.now()));
    const { decisions, decisionsCount } = await getProject(app.ctx, "atlas", adminCaller);
    expect(decisions.map(({ source, source_ref }) => [source, source_ref])).toEqual([
      ["review", "B"],
      ["mcp", null],
    ]);
    expect(decisionsCount).toBe(2);
    await reject("C", "Too flat");
    expect((await decideIn(app.ctx, { text: "Too flat" })).added).toBe(true);
  });

  test("only a review can use the source 'review'", async () => {
    await using app = await openMemory(dialect);
    await expect(decideIn(app.ctx, { text: "Forged", source: "review" })).rejects.toMatchObject({
      status: 400,
    });
    expect(await current(app.ctx)).toEqual([]);
  });

  test("a limited caller writes to its projects, and gets 404 for others", async () => {
    await using app = await openMemory(dialect);
    expect((await decideIn(app.ctx, { text: "Mine" }, limitedTo("atlas"))).added).toBe(true);
    await expect(
      decideIn(app.ctx, { project: "beacon", text: "Theirs" }, limitedTo("atlas")),
    ).rejects.toMatchObject({
      status: 404,
      detail: "No project with slug 'beacon'.",
    });
    expect(await current(app.ctx, "beacon")).toEqual([]);
  });

  test("twenty writers in two processes write twenty decisions each: 400 decisions and 400 events, each once", async () => {
    await using app = await openMemory(dialect);
    const other = { ...app.ctx, data: await openData(app.url, { now: app.clock.now, log() {} }) };
    const write = (ctx: Context, writer: number) =>
      Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          decideIn(ctx, { text: `Decision ${index} of writer ${writer}` }),
        ),
      );
    await Promise.all(Array.from({ length: 20 }, (_, writer) => write(writer % 2 ? app.ctx : other, writer)));
    await other.data.close();
    const rows = await rowsOf(
      app.url,
      "select count(*) as rows, count(distinct text) as texts from decisions",
    );
    expect(rows.map((row) => [Number(row.rows), Number(row.texts)])).toEqual([[400, 400]]);
    expect((await getProject(app.ctx, "atlas", adminCaller)).decisionsCount).toBe(400);
    const events = await rowsOf(
      app.url,
      "select count(*) as events from events where kind = 'decision.captured'",
    );
    expect(Number(must(events[0]).events)).toBe(400);
  });
});

describe.each(dialects)("preferences on %s", (dialect) => {
  test("the project's own value overrides the global one", async () => {
    await using app = await openMemory(dialect);
    await prefer(app.ctx, { key: "commit.style", value: "short" }, agent);
    await prefer(app.ctx, { key: "language", value: "British" }, agent);
    await prefer(app.ctx, { key: "commit.style", value: "long", project: "atlas" }, agent);
    const held = async (slug: string) =>
      (await preferencesOf(app.ctx.data, slug)).map(({ key, value }) => `${key}: ${value}`);
    expect(await held("atlas")).toEqual(["commit.style: long", "language: British"]);
    expect(await held("beacon")).toEqual(["commit.style: short", "language: British"]);
  });

  test("a new value ends the previous one and is an event; the same value again is neither", async () => {
    await using app = await openMemory(dialect);
    const set = (value: string) =>
      prefer(app.ctx, { key: "tests", value, project: "atlas", by: "human:zoe" }, agent);
    expect(await set("first")).toMatchObject({
      value: "first",
      actor: "human:zoe",
      source: "mcp",
      changed: true,
    });
    app.clock.advance(secondMicros);
    expect((await set("second")).changed).toBe(true);
    expect(await set("second")).toMatchObject({
      value: "second",
      valid_from: "2026-03-01T12:00:01.000000Z",
      changed: false,
    });
    const events = await eventsOf(app.ctx, "preference.set");
    expect(events.map(({ summary }) => summary)).toEqual(["tests = second", "tests = first"]);
    const rows = await rowsOf(app.url, "select value, supersedes, valid_until from preferences order by id");
    expect(
      rows.map((row) => [row.value, row.supersedes && Number(row.supersedes), row.valid_until !== null]),
    ).toEqual([
      ["first", null, true],
      ["second", 1, false],
    ]);
    const before = await recall(app.ctx, { query: "tests", as_of: "2026-03-01T12:00:00Z" }, adminCaller);
    expect(before.hits.map(({ text }) => text)).toEqual(["first"]);
  });

  test("a limited caller reads global preferences and sets only those of its projects", async () => {
    await using app = await openMemory(dialect);
    await prefer(app.ctx, { key: "tests.first", value: "for everyone" }, agent);
    await prefer(app.ctx, { key: "tests.second", value: "for beacon", project: "beacon" }, agent);
    const found = await recall(app.ctx, { query: "tests" }, limitedTo("atlas"));
    expect(found.hits.map(({ text }) => text)).toEqual(["for everyone"]);
    const set = (project: string | null) =>
      prefer(app.ctx, { key: "k", value: "v", project }, limitedTo("atlas"));
    await expect(set(null)).rejects.toMatchObject({ status: 400 });
    await expect(set("beacon")).rejects.toMatchObject({ status: 404 });
    expect((await set("atlas")).changed).toBe(true);
  });
});
