/**
 * Project memory: decisions and preferences stay, are replaced and looked up in history; models, guidance,
 * consolidation.
 */
import { describe, expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openData } from "../../db/open.ts";
import { adminCaller, type Caller } from "../../src/auth/caller.ts";
import type { Context } from "../../src/context.ts";
import type { Event } from "../../src/feed/schema.ts";
import { dayMicros, secondMicros } from "../../src/lib/time.ts";
import { consolidate, listSlugs } from "../../src/memory/consolidate.ts";
import { recordCallerDecision, recordDecision, retireDecisions } from "../../src/memory/decisions.ts";
import { modelOf } from "../../src/memory/models.ts";
import { prefer, preferencesOf } from "../../src/memory/preferences.ts";
import { recall } from "../../src/memory/recall.ts";
import type { DecideInput } from "../../src/memory/schema.ts";
import { guidanceFor } from "../../src/models/guidance.ts";
import { onboardModel, refreshGuidance } from "../../src/models/onboard.ts";
import { parseSections } from "../../src/models/sections.ts";
import { getProject } from "../../src/projects/projects.ts";
import {
  type Dialect,
  dialects,
  event,
  freshDatabase,
  link,
  must,
  openApp,
  program,
  rowsOf,
  temporaryFolder,
} from "../support/harness.ts";

const limitedTo = (...projects: string[]): Caller => ({ ...adminCaller, name: "limited", projects });
const agent: Caller = { ...adminCaller, name: "planner" };

/** An app with the projects atlas and beacon. */
async function openMemory(dialect: Dialect) {
  const app = await openApp(dialect);
  for (const slug of ["atlas", "beacon"]) await link(app.ctx.data, slug);
  return app;
}

const decideIn = (ctx: Context, input: Partial<DecideInput> & { text: string }, caller = agent) =>
  recordCallerDecision(ctx, { project: "atlas", ...input }, caller);
const current = async (ctx: Context, slug = "atlas") =>
  (await getProject(ctx, slug, adminCaller)).decisions.map(({ text }) => text);
const eventsOf = async (ctx: Context, kind: Event["kind"]): Promise<Event[]> =>
  (await ctx.data.feed(null, { kind, limit: 50 })).map((row) => JSON.parse(row.wire));

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
      ...{ valid_from: "2026-03-01T12:00:00.000000Z", added: true },
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
    const reject = (asset: string) =>
      app.ctx.data.atomically((writes) =>
        recordDecision(
          writes,
          { project: "atlas", text: "Too dark", source: "review", source_ref: asset },
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
    const seen = await recall(app.ctx, { query: "tests" }, limitedTo("atlas"));
    expect(seen.hits.map(({ text }) => text)).toEqual(["for everyone"]);
    const set = (project: string | null) =>
      prefer(app.ctx, { key: "k", value: "v", project }, limitedTo("atlas"));
    await expect(set(null)).rejects.toMatchObject({ status: 400 });
    await expect(set("beacon")).rejects.toMatchObject({ status: 404 });
    expect((await set("atlas")).changed).toBe(true);
  });
});

describe("splitting Markdown into sections", () => {
  const split = (text: string) =>
    parseSections({ file: "a.md", text }).map(({ path, text }) => [path.join(" › "), text]);

  test("makes one for each heading, with the headings above it as its path", () => {
    expect(
      split("Before\n\n# One\nfirst\n### Deep\ndeep\n## Two ##\nsecond\n# [Three](x) `code`\nthird"),
    ).toEqual([
      ["", "Before"],
      ["One", "first"],
      ["One › Deep", "deep"],
      ["One › Two", "second"],
      ["Three code", "third"],
    ]);
  });

  test("treats heading syntax inside code as code", () => {
    expect(split("# A\n```sh\n# not a heading\n```\n~~~\n## nor this\n~~~")).toEqual([
      ["A", "```sh\n# not a heading\n```\n~~~\n## nor this\n~~~"],
    ]);
  });

  test("keeps front matter as text without its markers, and drops headings without text", () => {
    expect(split("---\nname: x\n---\n# Empty\n## Full\ntext")).toEqual([
      ["", "name: x"],
      ["Empty › Full", "text"],
    ]);
  });

  test("splits a long section between paragraphs and loses nothing", () => {
    const paragraphs = Array.from({ length: 40 }, (_, index) =>
      `Paragraph ${index} ${"words ".repeat(30)}`.trim(),
    );
    const parts = split(`# Long\n${paragraphs.join("\n\n")}\n\n${"x".repeat(4_500)}`);
    expect(Math.max(...parts.map(([, text]) => must(text).length))).toBeLessThanOrEqual(2_000);
    const all = parts.map(([, text]) => text).join("\n\n");
    for (const paragraph of paragraphs) expect(all).toContain(paragraph);
    expect(all.replaceAll(/[^x]/g, "").length).toBe(4_500);
  });
});

describe.each(dialects)("models and guidance on %s", (dialect) => {
  const source = "https://vendor.test/guide";
  const skill = { file: "skills/review/SKILL.md", text: "# Review\nLook twice." };
  const guide = { file: "guide.md", text: "# Prompting\nBe clear.\n# Tools\nDescribe each tool." };

  test("a model is pending until it is added, then ready, and stale after thirty days", async () => {
    await using app = await openMemory(dialect);
    const model = async () =>
      must(
        (await app.ctx.data.models())
          .map((row) => modelOf(row, app.clock.now()))
          .find(({ id }) => id === "m-1"),
      );
    await refreshGuidance(app.ctx, { model: "m-1", source }, [guide], "human:zoe");
    expect(await model()).toMatchObject({
      status: "pending",
      onboarded_at: null,
      guidance_count: 2,
      stale_days: 0,
    });
    expect(await onboardModel(app.ctx, { id: "m-1", provider: "acme", lanes: ["lane_a"] }, "human:zoe")).toBe(
      "onboarded",
    );
    expect(await model()).toMatchObject({
      status: "ready",
      provider: "acme",
      guidance_count: 2,
      stale_days: 0,
    });
    app.clock.advance(30 * dayMicros);
    expect(await model()).toMatchObject({ status: "ready", stale_days: 30 });
    app.clock.advance(dayMicros);
    expect(await model()).toMatchObject({ status: "stale", stale_days: 31 });
    await refreshGuidance(app.ctx, { model: "m-1", source }, [guide], "human:zoe");
    expect(await model()).toMatchObject({ status: "ready", stale_days: 0, guidance_count: 2 });
    expect(await onboardModel(app.ctx, { id: "m-1", provider: "other", lanes: [] }, "human:zoe")).toBe(
      "changed",
    );
    expect(await model()).toMatchObject({ provider: "other", onboarded_at: "2026-03-01T12:00:00.000000Z" });
    const events = await eventsOf(app.ctx, "onboard.refreshed");
    expect(events.map(({ model, actor }) => [model, actor])).toEqual(Array(4).fill(["m-1", "human:zoe"]));
  });

  test("an unknown lane is rejected", async () => {
    await using app = await openMemory(dialect);
    await expect(
      onboardModel(app.ctx, { id: "m-1", provider: "acme", lanes: ["nope"] }, "human:zoe"),
    ).rejects.toMatchObject({
      status: 400,
    });
  });

  test("a refresh atomically replaces the guidance from its source and keeps that from others", async () => {
    await using app = await openMemory(dialect);
    const { ctx } = app;
    await onboardModel(ctx, { id: "m-1", provider: "acme", lanes: [] }, "human:zoe");
    await refreshGuidance(ctx, { model: "m-1", source }, [guide, skill], "human:zoe");
    await refreshGuidance(
      ctx,
      { model: "m-1", source: "https://vendor.test/more" },
      [{ file: "x.md", text: "# Other\nStays." }],
      "human:zoe",
    );
    const counts = async () => must((await ctx.data.models())[0]);
    expect(await counts()).toMatchObject({ guidance_count: 4, skill_count: 1 });
    await refreshGuidance(
      ctx,
      { model: "m-1", source },
      [{ file: "guide.md", text: "# Prompting\nBe brief." }],
      "human:zoe",
    );
    expect(await counts()).toMatchObject({ guidance_count: 2, skill_count: 0 });
    const { sections } = await guidanceFor(ctx, { model: "m-1" }, adminCaller);
    expect(sections.map(({ heading, text, source }) => [heading, text, source])).toEqual([
      ["Prompting", "Be brief.", source],
      ["Other", "Stays.", "https://vendor.test/more"],
    ]);
    const matches = await ctx.data.countMatches(null, [{ term: "tool" }, { term: "brief" }], 10);
    expect(matches.map(({ guidance, event }) => [guidance, event])).toEqual([
      [0, 0],
      [1, 0],
    ]);
    expect((await recall(ctx, { query: "describe tool" }, adminCaller)).count).toBe(0);
    expect((await recall(ctx, { query: "brief" }, adminCaller)).hits.map(({ text }) => text)).toEqual([
      "Be brief.",
    ]);
  });

  test("a source without text is rejected and replaces nothing", async () => {
    await using app = await openMemory(dialect);
    await refreshGuidance(app.ctx, { model: "m-1", source }, [guide], "human:zoe");
    expect(
      refreshGuidance(
        app.ctx,
        { model: "m-1", source },
        [{ file: "a.md", text: "# Only\n## headings" }],
        "human:zoe",
      ),
    ).rejects.toMatchObject({
      status: 400,
    });
    expect((await guidanceFor(app.ctx, { model: "m-1" }, adminCaller)).count).toBe(2);
  });

  test("svc_guidance returns what fits, names what it omits, and searches by a query", async () => {
    await using app = await openMemory(dialect);
    const text = Array.from(
      { length: 9 },
      (_, index) => `# Part ${index}\n${"text ".repeat(100)}${index === 7 ? "caching" : ""}`,
    ).join("\n");
    await refreshGuidance(app.ctx, { model: "m-1", source }, [{ file: "a.md", text }], "human:zoe");
    const all = await guidanceFor(app.ctx, { model: "m-1", max_chars: 1_200 }, adminCaller);
    expect(all.sections.map(({ heading }) => heading)).toEqual(["Part 0", "Part 1"]);
    expect(all.left_out).toEqual(Array.from({ length: 7 }, (_, index) => `Part ${index + 2}`));
    const found = await guidanceFor(app.ctx, { model: "m-1", query: "cache" }, adminCaller);
    expect(found.sections.map(({ heading }) => heading)).toEqual(["Part 7"]);
    await expect(guidanceFor(app.ctx, { model: "m-2" }, adminCaller)).rejects.toMatchObject({
      status: 404,
      detail: "No model 'm-2'. Known models: m-1.",
    });
  });
});

describe("svc guidance add", () => {
  test("accepts a folder of Markdown files, sorted by name, and a single file", async () => {
    await using database = await freshDatabase("sqlite");
    await using folder = await temporaryFolder();
    const env = { SVC_DATABASE_URL: database.url };
    await mkdir(join(folder.path, "deep"));
    await Bun.write(join(folder.path, "b.md"), "# B\nsecond");
    await Bun.write(join(folder.path, "deep/SKILL.md"), "# S\nthird");
    await Bun.write(join(folder.path, "a.md"), "# A\nfirst");
    await Bun.write(join(folder.path, "other.txt"), "not Markdown");
    const add = (place: string, url = "https://vendor.test/docs") =>
      program(["guidance", "add", "m-1", place, "--source", url], env);
    expect((await add(folder.path)).code).toBe(0);
    const listed = await program(["model", "list", "--json"], env);
    expect(JSON.parse(listed.output)).toMatchObject({
      id: "m-1",
      status: "pending",
      guidance_count: 3,
      skill_count: 1,
    });
    expect((await add(join(folder.path, "a.md"))).code).toBe(0);
    expect(JSON.parse((await program(["model", "list", "--json"], env)).output)).toMatchObject({
      guidance_count: 1,
      skill_count: 0,
    });
    for (const [place, url, message] of [
      [join(folder.path, "nope.md"), undefined, "File or folder not found"],
      [join(folder.path, "a.md"), "http://vendor.test", "source must be an https URL"],
    ] as const) {
      const { code, errors } = await add(place, url);
      expect({ code, hasMessage: errors.includes(message) }).toEqual({ code: 1, hasMessage: true });
    }
  });
});

describe.each(dialects)("consolidation on %s", (dialect) => {
  const run = (fields: Parameters<typeof event>[0]) =>
    event({ kind: "run.finished", project: "atlas", lane: "lane_a", ...fields });

  test("summarizes usage by project, day, lane and model, and updates the digest", async () => {
    await using app = await openMemory(dialect);
    const { ctx, clock } = app;
    await ctx.data.atomically((writes) =>
      writes.append([
        run({ model: "m-1", tokens_in: 100, cost_equiv: 0.5 }),
        run({ model: "m-1", tokens_in: 50, kind: "run.failed" }),
        run({ model: "m-2", ts: clock.now() - dayMicros }),
        event({ kind: "pr.merged", project: "atlas" }),
        run({ project: "beacon" }),
      ]),
    );
    const done = await consolidate(ctx, await listSlugs(ctx));
    expect(done).toEqual([
      { project: "atlas", events: 4, rollups: 3 },
      { project: "beacon", events: 1, rollups: 1 },
    ]);
    const rows = await ctx.data.rollups("atlas", 10);
    expect(
      rows.map((row) => [
        row.day,
        row.lane,
        row.model,
        row.runs,
        row.failures,
        row.merges,
        row.tokens_in,
        row.cost_equiv,
      ]),
    ).toEqual([
      ["2026-03-01", "", "", 0, 0, 1, 0, 0],
      ["2026-03-01", "lane_a", "m-1", 2, 1, 0, 150, 0.5],
      ["2026-02-28", "lane_a", "m-2", 1, 0, 0, 0, 0],
    ]);
    expect(rows).toEqual(
      (await ctx.data.usage("atlas", "2000-01-01")).toSorted((a, b) => b.day.localeCompare(a.day)),
    );
    expect((await getProject(ctx, "atlas", adminCaller)).digest).toEqual({ digested: 5, total: 5 });
    expect(
      (await eventsOf(ctx, "memory.consolidated")).map(({ project, actor }) => [project, actor]),
    ).toEqual([
      ["beacon", "bot:svc"],
      ["atlas", "bot:svc"],
    ]);
  });

  test("a second run finds nothing new, writes nothing and appends no event", async () => {
    await using app = await openMemory(dialect);
    await app.ctx.data.atomically((writes) => writes.append([run({})]));
    await consolidate(app.ctx, ["atlas"]);
    const head = await app.ctx.data.head();
    expect(await consolidate(app.ctx, ["atlas"])).toEqual([{ project: "atlas", events: 0, rollups: 0 }]);
    expect(await app.ctx.data.head()).toBe(head);
  });

  test("imported older events count as new and change the roll-up of their day", async () => {
    await using app = await openMemory(dialect);
    const past = app.clock.now() - 40 * dayMicros;
    for (const tokens_in of [10, 7]) {
      await app.ctx.data.atomically((writes) => writes.append([run({ tokens_in, ts: past })]));
      expect(await consolidate(app.ctx, ["atlas"])).toEqual([{ project: "atlas", events: 1, rollups: 1 }]);
    }
    expect((await app.ctx.data.rollups("atlas", 10)).map(({ runs, tokens_in }) => [runs, tokens_in])).toEqual(
      [[2, 17]],
    );
  });

  test("an interrupted run resumes where it stopped, with the same result as an uninterrupted one", async () => {
    await using app = await openMemory(dialect);
    const days = 700;
    const past = (index: number) => app.clock.now() - (index + 1) * dayMicros;
    await app.ctx.data.atomically((writes) =>
      writes.append(Array.from({ length: days }, (_, index) => run({ ts: past(index) }))),
    );
    let transactions = 0;
    const dying: Context = {
      ...app.ctx,
      data: {
        ...app.ctx.data,
        atomically: (work) =>
          ++transactions > 1 ? Promise.reject(new Error("killed")) : app.ctx.data.atomically(work),
      },
    };
    await expect(consolidate(dying, ["atlas"])).rejects.toThrow("killed");
    expect((await app.ctx.data.rollups("atlas", 1000)).length).toBe(500);
    expect((await getProject(app.ctx, "atlas", adminCaller)).digest).toEqual({ digested: 0, total: days });
    expect(await consolidate(app.ctx, ["atlas"])).toEqual([{ project: "atlas", events: days, rollups: 200 }]);
    expect((await app.ctx.data.rollups("atlas", 1000)).length).toBe(days);
    expect((await getProject(app.ctx, "atlas", adminCaller)).digest).toEqual({
      digested: days + 1,
      total: days + 1,
    });
    expect((await eventsOf(app.ctx, "memory.consolidated")).length).toBe(1);
  });
});

test("svc consolidate accepts one project or all and reports the result", async () => {
  await using database = await freshDatabase("sqlite");
  const env = { SVC_DATABASE_URL: database.url };
  for (const slug of ["atlas", "beacon"])
    await program(["project", "link", slug, "--repo", `acme/${slug}`], env);
  expect((await program(["consolidate", "atlas"], env)).output).toBe(
    "atlas: summarized 1 event into 0 rollups\n",
  );
  expect((await program(["consolidate"], env)).output).toBe(
    "atlas: no new events\nbeacon: summarized 1 event into 0 rollups\n",
  );
  expect((await program(["consolidate", "nope"], env)).errors).toBe("svc: No project with slug 'nope'.\n");
});
