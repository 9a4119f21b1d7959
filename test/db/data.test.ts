/** The contract of `Data`, on both dialects. */
import { describe, expect, test } from "bun:test";
import { openData } from "../../db/open.ts";
import type { Data } from "../../src/data.ts";
import { dayMicros, fromMicros, type Micros, secondMicros, toMicros } from "../../src/lib/time.ts";
import type { Appendable, NewDecision } from "../../src/rows.ts";
import {
  dialects,
  event,
  expectConsistent,
  link,
  must,
  openTestData,
  rowsOf,
  until,
} from "../support/harness.ts";

const noon = toMicros("2026-03-01T12:00:00Z");
const append = (data: Data, events: Appendable[]) => data.atomically((writes) => writes.append(events));
const timesOf = async (data: Data) =>
  (await data.feed(null, { order: "oldest first", after: -1e15, limit: 5000 })).map((row) => row.ts);

describe.each(dialects)("append on %s", (dialect) => {
  test("assigns each event the next id and a unique microsecond, and stores its rendered text", async () => {
    await using house = await openTestData(dialect);
    const { added, duplicates } = await append(house.data, [
      event(),
      event({ kind: "step.usage", tokens_in: 7 }),
      event(),
    ]);
    expect(duplicates).toBe(0);
    expect(added.map((row) => [row.id, row.ts])).toEqual([
      [1, noon],
      [2, noon + 1],
      [3, noon + 2],
    ]);
    const [third, second] = await house.data.feed(null, { limit: 2 });
    expect(third).toEqual({ id: 3, ts: noon + 2, wire: expect.any(String) });
    expect(JSON.parse(second?.wire ?? "")).toEqual({
      ...{
        id: 2,
        ts: "2026-03-01T12:00:00.000001Z",
        kind: "step.usage",
        actor: "agent:codex",
        summary: "Run 7 started",
      },
      ...{ project: null, repo: null, issue: null, pr: null, lane: null, model: null, subscription: null },
      ...{
        tokens_in: 7,
        tokens_out: 0,
        cache_read: 0,
        cache_write: 0,
        cost_equiv: 0,
        duration_ms: null,
        url: null,
      },
    });
    expect(await house.data.head()).toBe(noon + 2);
    expect(await house.data.eventTime(2)).toBe(noon + 1);
    expect(await house.data.eventTime(4)).toBeNull();
  });

  test("a repeated dedupe key is skipped, in the same batch and later", async () => {
    await using house = await openTestData(dialect);
    const first = await append(house.data, [
      event({ dedupe_key: "a" }),
      event({ dedupe_key: "a" }),
      event({ dedupe_key: "b" }),
    ]);
    expect([first.added.length, first.duplicates]).toEqual([2, 1]);
    const second = await append(house.data, [
      event({ dedupe_key: "b" }),
      event({ dedupe_key: "c" }),
      event(),
      event(),
    ]);
    expect([second.added.map((row) => row.id), second.duplicates]).toEqual([[3, 4, 5], 1]);
    const third = await append(house.data, [event({ dedupe_key: "a" })]);
    expect(third).toEqual({ added: [], duplicates: 1 });
  });

  test("the id of a webhook delivery is a second deduplication key", async () => {
    await using house = await openTestData(dialect);
    await append(house.data, [event({ dedupe_key: "a", delivery_id: "1" })]);
    const { added, duplicates } = await append(house.data, [
      event({ dedupe_key: "a", delivery_id: "2" }),
      event({ dedupe_key: "b", delivery_id: "1" }),
      event({ dedupe_key: "c", delivery_id: "3" }),
      event({ dedupe_key: "d", delivery_id: "3" }),
    ]);
    expect([added.length, duplicates]).toEqual([1, 3]);
  });

  test("a past time that is taken moves to the next free microsecond", async () => {
    await using house = await openTestData(dialect);
    const then = noon - dayMicros;
    await append(house.data, [event({ ts: then }), event({ ts: then + 1 }), event({ ts: then + 3 })]);
    const { added } = await append(house.data, [
      event({ ts: then }),
      event({ ts: then }),
      event({ ts: then + 3 }),
      event({ ts: then - 1 }),
    ]);
    expect(added.map((row) => row.ts - then)).toEqual([2, 4, 5, -1]);
  });

  test("a thousand events in one past second, in batches, get a thousand distinct times in order", async () => {
    await using house = await openTestData(dialect);
    const then = noon - dayMicros;
    for (let batch = 0; batch < 4; batch++)
      await append(
        house.data,
        Array.from({ length: 250 }, (_, index) => event({ ts: then, summary: `${batch * 250 + index}` })),
      );
    const rows = await house.data.feed(null, { order: "oldest first", after: then - 1, limit: 2000 });
    expect(rows.map((row) => row.ts - then)).toEqual(Array.from({ length: 1000 }, (_, index) => index));
    expect(rows.map((row) => Number(JSON.parse(row.wire).summary))).toEqual(
      Array.from({ length: 1000 }, (_, index) => index),
    );
  });

  test("past events leave the head of the feed alone; live ones in the same batch come after it", async () => {
    await using house = await openTestData(dialect);
    await append(house.data, [event()]);
    await append(house.data, [event({ ts: noon - dayMicros })]);
    expect(await house.data.head()).toBe(noon);
    const { added } = await append(house.data, [
      event({ ts: noon + 1 }),
      event(),
      event({ ts: -5 }),
      event(),
    ]);
    expect(added.map((row) => row.ts)).toEqual([noon + 1, noon + 2, -5, noon + 3]);
    expect(await house.data.head()).toBe(noon + 3);
  });

  test("times keep rising when the clock is set back an hour, forward a day and back, and it is logged", async () => {
    await using house = await openTestData(dialect);
    const { data, clock } = house;
    for (const step of [0, -3600, 86_400 + 3600, -86_400, 0]) {
      clock.advance(step * secondMicros);
      await append(data, [event(), event()]);
    }
    const late = noon + dayMicros;
    expect(await timesOf(data)).toEqual([
      ...[0, 1, 2, 3].map((n) => noon + n),
      ...[0, 1, 2, 3, 4, 5].map((n) => late + n),
    ]);
    expect(house.logged.filter((line) => line.message.includes("clock")).length).toBe(3);
  });

  test("two processes with clocks an hour apart write events in one rising order", async () => {
    await using house = await openTestData(dialect);
    const behind = await openData(house.url, { now: () => noon - 3600 * secondMicros, log() {} });
    for (let round = 0; round < 3; round++) {
      await append(house.data, [event({ summary: `${round} here` })]);
      await append(behind, [event({ summary: `${round} there` })]);
    }
    await behind.close();
    const rows = await house.data.feed(null, { order: "oldest first", after: 0, limit: 10 });
    expect(rows.map((row) => row.ts)).toEqual([0, 1, 2, 3, 4, 5].map((n) => noon + n));
    expect(rows.map((row) => row.id)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("events appended by an older version without facets are added to them with the next append", async () => {
    await using house = await openTestData(dialect);
    const ofBoth = async () =>
      (await house.data.feed(null, { actor: "agent:codex", kind: "run.started", limit: 9 })).map(
        (row) => row.id,
      );
    await append(house.data, [event()]);
    await rowsOf(
      house.url,
      `insert into events (ts, id, kind, actor, summary, wire) values (${noon + 5}, 2, 'run.started', 'agent:codex', 'x', '{}')`,
    );
    await rowsOf(house.url, `update feed_head set id = 2, ts = ${noon + 5}`);
    await append(house.data, [event(), event({ kind: "step.usage" })]);
    expect(await ofBoth()).toEqual([3, 2, 1]);
    await append(house.data, [event()]);
    expect(await ofBoth()).toEqual([5, 3, 2, 1]);
    expect(await house.data.findInconsistencies()).toEqual([]);
  });

  test("two processes append concurrently: every id once, times rise with the ids", async () => {
    await using house = await openTestData(dialect);
    const other = await openData(house.url, { now: house.clock.now, log() {} });
    const work = [house.data, other].flatMap((data) =>
      Array.from({ length: 20 }, () => append(data, [event(), event()])),
    );
    await Promise.all(work);
    await other.close();
    const rows = await house.data.feed(null, { order: "oldest first", after: 0, limit: 100 });
    expect(rows.map((row) => row.id)).toEqual(Array.from({ length: 80 }, (_, index) => index + 1));
    expect(new Set(rows.map((row) => row.ts)).size).toBe(80);
  });

  test("one key sent twenty times concurrently from two processes is one event", async () => {
    await using house = await openTestData(dialect);
    const other = await openData(house.url, { now: house.clock.now, log() {} });
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        append(n % 2 ? other : house.data, [event({ dedupe_key: "k", delivery_id: `${n}` })]),
      ),
    );
    await other.close();
    expect(outcomes.reduce((sum, outcome) => sum + outcome.added.length, 0)).toBe(1);
    expect(outcomes.reduce((sum, outcome) => sum + outcome.duplicates, 0)).toBe(19);
  });

  test("text is returned unchanged, and any payload is stored but never returned", async () => {
    await using house = await openTestData(dialect);
    const summary = `Zoë said "it's done" \\o/ — 完了 🚀 <b>'; drop table events; --`;
    const payload = { text: "NUL \u0000 and a lone \ud800 surrogate", deep: [[{ secret: "kept" }]] };
    await append(house.data, [event({ summary, payload })]);
    const [row] = await house.data.feed(null, { limit: 1 });
    expect(JSON.parse(row?.wire ?? "").summary).toBe(summary);
    expect(row?.wire).not.toContain("secret");
    const [kept] = await rowsOf(house.url, "select payload from events");
    expect(JSON.parse(kept?.payload as string)).toEqual(payload);
  });

  test("huge counts do not fail; their sums stop at the largest safe integer", async () => {
    await using house = await openTestData(dialect);
    await link(house.data, "atlas");
    const most = Number.MAX_SAFE_INTEGER;
    const large = event({
      project: "atlas",
      tokens_in: most,
      tokens_out: most,
      cache_read: most,
      cache_write: most,
      cost_equiv: 1e12,
    });
    for (let batch = 0; batch < 3; batch++)
      await append(
        house.data,
        Array.from({ length: 1000 }, () => large),
      );
    expect((await house.data.project(null, "atlas"))?.digest.total).toBe(3000);
    const [sums] = await house.data.usage("atlas", "");
    expect(sums).toMatchObject({
      tokens_in: most,
      tokens_out: most,
      cache_read: most,
      cache_write: most,
      cost_equiv: 3e15,
    });
  });

  test("notifies subscribers of appends by this process and others, until they unsubscribe", async () => {
    await using house = await openTestData(dialect);
    const other = await openData(house.url, { now: house.clock.now, log() {} });
    let woken = 0;
    const stop = house.data.onAppend(() => woken++);
    await append(house.data, [event()]);
    await until(() => woken > 0, "the own append wakes");
    // The first look of a lookout rings as well, so it must be behind us before the other process appends.
    await Bun.sleep(1500);
    woken = 0;
    await append(other, [event()]);
    await until(() => woken > 0, "the other's append wakes");
    stop();
    const before = woken;
    await append(house.data, [event()]);
    expect(woken).toBe(before);
    await other.close();
  });
});

describe.each(dialects)("counters of a project on %s", (dialect) => {
  const issue = (number: number, kind: "issue.opened" | "issue.closed" | "issue.labeled", ts?: Micros) =>
    event({ project: "atlas", kind, issue: number, ...(ts !== undefined && { ts }) });

  test("count its events and know its last activity", async () => {
    await using house = await openTestData(dialect);
    await link(house.data, "atlas");
    await link(house.data, "borealis");
    expect(await house.data.project(null, "atlas")).toMatchObject({
      lastActivity: null,
      digest: { digested: 0, total: 0 },
    });
    await append(house.data, [
      event({ project: "atlas" }),
      event({ project: "borealis" }),
      event({ project: "atlas" }),
      event(),
    ]);
    expect(await house.data.project(null, "atlas")).toMatchObject({
      lastActivity: noon + 2,
      digest: { total: 2 },
    });
    await append(house.data, [event({ project: "atlas", ts: noon - dayMicros })]);
    expect(await house.data.project(null, "atlas")).toMatchObject({
      lastActivity: noon + 2,
      digest: { total: 3 },
    });
    expect(await house.data.project(null, "borealis")).toMatchObject({
      lastActivity: noon + 1,
      digest: { total: 1 },
    });
  });

  test("a duplicate counts nothing", async () => {
    await using house = await openTestData(dialect);
    await link(house.data, "atlas");
    for (let i = 0; i < 2; i++)
      await append(house.data, [
        event({ project: "atlas", kind: "issue.opened", issue: 1, tokens_in: 5, dedupe_key: "k" }),
      ]);
    expect(await house.data.project(null, "atlas")).toMatchObject({ openIssues: 1, digest: { total: 1 } });
    expect((await house.data.usage("atlas", "2026-01-01")).map((row) => row.tokens_in)).toEqual([5]);
  });

  const stories: [string, Appendable[][], number][] = [
    ["opened", [[issue(1, "issue.opened")]], 1],
    [
      "opened twice is one",
      [[issue(1, "issue.opened"), issue(1, "issue.opened")], [issue(1, "issue.opened")]],
      1,
    ],
    ["labeled opens nothing", [[issue(1, "issue.labeled")]], 0],
    [
      "opened and closed",
      [[issue(1, "issue.opened"), issue(2, "issue.opened")], [issue(1, "issue.closed")]],
      1,
    ],
    ["closed without ever being opened", [[issue(1, "issue.closed")]], 0],
    ["reopened", [[issue(1, "issue.opened")], [issue(1, "issue.closed")], [issue(1, "issue.opened")]], 1],
    ["opened and closed in one batch", [[issue(1, "issue.opened"), issue(1, "issue.closed")]], 0],
    [
      "a late import of an older close",
      [[issue(1, "issue.opened")], [issue(1, "issue.closed", noon - 1000)]],
      1,
    ],
    [
      "a late import of an older opening",
      [[issue(1, "issue.closed")], [issue(1, "issue.opened", noon - 1000)]],
      0,
    ],
    [
      "history imported backwards",
      [
        [issue(1, "issue.closed", noon - 10)],
        [issue(1, "issue.opened", noon - 20)],
        [issue(1, "issue.opened", noon - 5)],
      ],
      1,
    ],
    [
      "a batch whose order is not that of its times",
      [[issue(1, "issue.closed", noon - 10), issue(1, "issue.opened", noon - 20)]],
      0,
    ],
    ["an opening before 1970", [[issue(1, "issue.opened", -5_000_000)]], 1],
  ];
  test.each(stories)("open issues: %s", async (_, batches, open) => {
    await using house = await openTestData(dialect);
    await link(house.data, "atlas");
    for (const batch of batches) await append(house.data, batch);
    expect((await house.data.project(null, "atlas"))?.openIssues).toBe(open);
  });

  test("usage is summed by UTC day, lane and model; late events count on their own day", async () => {
    await using house = await openTestData(dialect);
    await link(house.data, "atlas");
    const said = { project: "atlas", lane: "lane_a", model: "m" };
    await append(house.data, [
      event({
        ...said,
        kind: "step.usage",
        tokens_in: 10,
        tokens_out: 1,
        cache_read: 2,
        cache_write: 3,
        cost_equiv: 0.25,
      }),
      event({ ...said, kind: "run.finished", tokens_in: 5, cost_equiv: 0.5 }),
      event({ ...said, kind: "run.failed" }),
      event({ project: "atlas", kind: "pr.merged" }),
      event({ project: "atlas", kind: "issue.opened", issue: 1 }),
      event({ ...said, kind: "run.failed", ts: toMicros("2026-02-27T23:59:59.999999Z") }),
    ]);
    await append(house.data, [event({ ...said, kind: "step.usage", tokens_in: 100 })]);
    const zero = {
      runs: 0,
      failures: 0,
      merges: 0,
      tokens_in: 0,
      tokens_out: 0,
      cache_read: 0,
      cache_write: 0,
      cost_equiv: 0,
    };
    const busy = {
      runs: 2,
      failures: 1,
      tokens_in: 115,
      tokens_out: 1,
      cache_read: 2,
      cache_write: 3,
      cost_equiv: 0.75,
    };
    const lately = [
      { ...zero, project: "atlas", day: "2026-03-01", lane: "", model: "", merges: 1 },
      { ...zero, project: "atlas", day: "2026-03-01", lane: "lane_a", model: "m", ...busy },
    ];
    const earlier = {
      ...zero,
      project: "atlas",
      day: "2026-02-27",
      lane: "lane_a",
      model: "m",
      runs: 1,
      failures: 1,
    };
    expect(await house.data.usage("atlas", "2026-01-01")).toEqual([earlier, ...lately]);
    expect(await house.data.usage("atlas", "2026-03-01")).toEqual(lately);
    expect(await house.data.usage("borealis", "2026-01-01")).toEqual([]);
  });

  test("match the rows after any history", async () => {
    await using house = await openTestData(dialect);
    for (const slug of ["atlas", "borealis"]) await link(house.data, slug);
    const pick = dice(42);
    const kinds = [
      "issue.opened",
      "issue.closed",
      "run.finished",
      "run.failed",
      "pr.merged",
      "step.usage",
    ] as const;
    for (let batch = 0; batch < 30; batch++) {
      const events = Array.from({ length: 1 + pick(20) }, () =>
        event({
          kind: kinds[pick(kinds.length)] as (typeof kinds)[number],
          project: [null, "atlas", "borealis"][pick(3)] as string | null,
          issue: pick(3) ? 1 + pick(5) : null,
          lane: pick(2) ? "lane_a" : null,
          tokens_in: pick(100),
          cost_equiv: pick(8) / 8,
          ...(pick(3) === 0 && { ts: noon - pick(5) * dayMicros - pick(10) }),
          ...(pick(4) === 0 && { dedupe_key: `key ${pick(10)}` }),
        }),
      );
      await append(house.data, events);
      house.clock.advance((pick(3) - 1) * secondMicros);
    }
    expect(await expectConsistent(house.data)).toBeGreaterThan(200);
  });
});

describe.each(dialects)("projects on %s", (dialect) => {
  test("are linked once; linking again updates the given fields; a repository is linked once, ignoring case", async () => {
    await using house = await openTestData(dialect);
    const say = (said: object) =>
      house.data.atomically((writes) =>
        writes.linkProject({ slug: "atlas", repo: "Acme/Atlas", ...said }, noon),
      );
    expect(await say({ stack: "bun", lanes: ["lane_a"], check_cmd: "bun test" })).toBe("linked");
    expect(await say({ summary: "Maps" })).toBe("changed");
    const other = { slug: "other", repo: "ACME/atlas" };
    expect(await house.data.atomically((writes) => writes.linkProject(other, noon))).toBe("repo taken");
    expect(await house.data.projects(null, { limit: 10 })).toEqual([
      {
        ...{
          slug: "atlas",
          repo: "Acme/Atlas",
          stack: "bun",
          summary: "Maps",
          check_cmd: "bun test",
          lanes: ["lane_a"],
        },
        ...{ lastActivity: null, openIssues: 0, decisionsCount: 0, digest: { digested: 0, total: 0 } },
      },
    ]);
    expect([...(await house.data.projectsOfRepos(["acme/atlas", "acme/nothing"]))]).toEqual([
      ["acme/atlas", "atlas"],
    ]);
    expect((await house.data.projectsOfRepos([])).size).toBe(0);
  });

  test("are sorted by last activity, idle ones last, then by the bytes of the slug; a cursor skips none", async () => {
    await using house = await openTestData(dialect);
    const slugs = ["ab", "a-b", "a0", "a", "zz", "b1", "b-1", "busy", "calm"];
    for (const slug of slugs) await link(house.data, slug);
    await append(house.data, [event({ project: "calm" })]);
    await append(house.data, [event({ project: "busy" })]);
    const wanted = ["busy", "calm", "a", "a-b", "a0", "ab", "b-1", "b1", "zz"];
    expect((await house.data.projects(null, { limit: 100 })).map((row) => row.slug)).toEqual(wanted);
    for (const limit of [1, 2, 4]) {
      const seen: string[] = [];
      for (let page = await house.data.projects(null, { limit }); page.length > 0; ) {
        seen.push(...page.map((row) => row.slug));
        const last = page.at(-1);
        page = last ? await house.data.projects(null, { limit, after: last }) : [];
      }
      expect(seen).toEqual(wanted);
    }
  });

  test("with equal last activity are sorted by slug, across pages", async () => {
    await using house = await openTestData(dialect);
    for (const slug of ["c", "a", "b"]) await link(house.data, slug);
    const after = { lastActivity: null, slug: "a" };
    expect((await house.data.projects(null, { limit: 5, after })).map((row) => row.slug)).toEqual(["b", "c"]);
    await append(house.data, [event({ project: "b" })]);
    const tied = { lastActivity: noon, slug: "a" };
    expect((await house.data.projects(null, { limit: 5, after: tied })).map((row) => row.slug)).toEqual([
      "b",
      "a",
      "c",
    ]);
  });
});

describe.each(dialects)("a caller with limits on %s", (dialect) => {
  test("sees only rows of its projects, on every read", async () => {
    await using house = await openTestData(dialect);
    const { data } = house;
    for (const slug of ["atlas", "borealis", "cetus"]) await link(data, slug);
    await append(data, [
      event({ project: "atlas" }),
      event({ project: "borealis" }),
      event(),
      event({ project: "atlas", kind: "run.failed" }),
    ]);
    const mine = ["atlas", "cetus"];
    const ids = (rows: { id: number }[]) => rows.map((row) => row.id);
    expect(ids(await data.feed(mine, { limit: 10 }))).toEqual([4, 1]);
    expect(ids(await data.feed(mine, { limit: 10, kind: "run.failed" }))).toEqual([4]);
    expect(ids(await data.feed(mine, { limit: 10, project: "borealis" }))).toEqual([]);
    expect(ids(await data.feed(mine, { order: "oldest first", after: 0, limit: 10 }))).toEqual([1, 4]);
    expect(ids(await data.feed(mine, { order: "oldest first", after: noon, limit: 1 }))).toEqual([4]);
    expect((await data.projects(mine, { limit: 10 })).map((row) => row.slug)).toEqual(["atlas", "cetus"]);
    expect(
      (await data.projects(mine, { limit: 10, after: { lastActivity: null, slug: "b" } })).map(
        (row) => row.slug,
      ),
    ).toEqual(["cetus"]);
    expect((await data.project(mine, "atlas"))?.slug).toBe("atlas");
    expect(await data.project(mine, "borealis")).toBeNull();
    expect(await data.feed([], { limit: 10 })).toEqual([]);
    expect(await data.feed([], { order: "oldest first", after: 0, limit: 10 })).toEqual([]);
    expect(await data.projects([], { limit: 10 })).toEqual([]);
    expect(await data.project([], "atlas")).toBeNull();
  });
});

describe.each(dialects)("decisions on %s", (dialect) => {
  const decision = (said: Partial<NewDecision> = {}): NewDecision => ({
    ...{
      project: "atlas",
      text: "Use maps",
      source: "cli",
      source_ref: null,
      actor: "human:zoe",
      valid_from: noon,
    },
    ...said,
  });

  test("are read newest first, as on the wire, and counted", async () => {
    await using house = await openTestData(dialect);
    for (const slug of ["atlas", "borealis"]) await link(house.data, slug);
    const add = (said: Partial<NewDecision>) =>
      house.data.atomically((writes) => writes.addDecision(decision(said)));
    const first = await add({ source_ref: "acme/atlas#12" });
    await add({ text: "Use globes", valid_from: noon + 1 });
    await add({ text: "At the same instant", valid_from: noon + 1 });
    await add({ project: "borealis" });
    expect(first).toEqual({
      id: 1,
      project: "atlas",
      text: "Use maps",
      source: "cli",
      source_ref: "acme/atlas#12",
      actor: "human:zoe",
      valid_from: noon,
    });
    const texts = (await house.data.currentDecisions("atlas", 10)).map((row) => row.text);
    expect(texts).toEqual(["At the same instant", "Use globes", "Use maps"]);
    expect((await house.data.currentDecisions("atlas", 10)).at(-1)).toEqual(must(first));
    expect((await house.data.currentDecisions("atlas", 2)).length).toBe(2);
    expect((await house.data.project(null, "atlas"))?.decisionsCount).toBe(3);
  });

  test("a superseding decision replaces the other; only a current one can be superseded", async () => {
    await using house = await openTestData(dialect);
    for (const slug of ["atlas", "borealis"]) await link(house.data, slug);
    const add = (said: Partial<NewDecision>) =>
      house.data.atomically((writes) => writes.addDecision(decision(said)));
    const first = await add({});
    expect(await house.data.supersededDecisions("atlas")).toEqual([]);
    const second = await add({ text: "Use globes", supersedes: must(first).id, valid_from: noon + 1 });
    expect(await house.data.supersededDecisions("atlas")).toEqual([{ ...must(first), by: must(second).id }]);
    expect(await house.data.supersededDecisions("borealis")).toEqual([]);
    expect((await house.data.currentDecisions("atlas", 10)).map((row) => row.text)).toEqual(["Use globes"]);
    for (const supersedes of [must(first).id, 99]) expect(await add({ supersedes })).toBeNull();
    expect(await add({ project: "borealis", supersedes: must(second).id })).toBeNull();
    expect(await house.data.currentDecisions("atlas", 10)).toEqual([must(second)]);
    expect((await house.data.project(null, "atlas"))?.decisionsCount).toBe(1);
    expect((await house.data.project(null, "borealis"))?.decisionsCount).toBe(0);
  });

  test("of two that concurrently supersede the same decision, one succeeds", async () => {
    await using house = await openTestData(dialect);
    await link(house.data, "atlas");
    const add = (said: Partial<NewDecision>) =>
      house.data.atomically((writes) => writes.addDecision(decision(said)));
    const first = await add({});
    const outcomes = await Promise.all(
      [1, 2, 3].map((n) => add({ text: `${n}`, supersedes: must(first).id })),
    );
    expect(outcomes.filter(Boolean).length).toBe(1);
    expect((await house.data.project(null, "atlas"))?.decisionsCount).toBe(1);
  });
});

describe.each(dialects)("models and tokens on %s", (dialect) => {
  test("saving a model again replaces it; models are sorted by the bytes of their id", async () => {
    await using house = await openTestData(dialect);
    const model = {
      provider: "acme",
      lanes: ["lane_a"],
      onboarded_at: noon,
      refreshed_at: null,
      guidance_count: 0,
      skill_count: 0,
    };
    const save = (said: object) =>
      house.data.atomically((writes) => writes.saveModel({ id: "m", ...model, ...said }));
    for (const id of ["b", "a-1", "B", "a1"]) await save({ id });
    await save({ id: "b", guidance_count: 3, lanes: [] });
    const models = await house.data.models();
    expect(models.map((row) => row.id)).toEqual(["B", "a-1", "a1", "b"]);
    expect(models.at(-1)).toEqual({ ...model, id: "b", guidance_count: 3, lanes: [] });
  });

  test("a token is found by its hash; its name is never reused; revoking works once", async () => {
    await using house = await openTestData(dialect);
    const { data } = house;
    const token = {
      name: "ci",
      hash: "00ff",
      scopes: ["feed:read" as const],
      projects: ["atlas"],
      created_at: noon,
      expires_at: null,
    };
    const add = (said: object) => data.atomically((writes) => writes.addToken({ ...token, ...said }));
    expect(await add({})).toBe(true);
    expect(await add({ hash: "01" })).toBe(false);
    expect(
      await add({ name: "later", hash: "02", projects: null, expires_at: noon, created_at: noon + 1 }),
    ).toBe(true);
    const untouched = { last_used_at: null, previous_hash: null, previous_until: null };
    expect(await data.token("00ff")).toEqual({ ...token, revoked_at: null, ...untouched });
    expect(await data.token("00FF")).toBeNull();
    const revoke = (name: string) => data.atomically((writes) => writes.revokeToken(name, noon + 5));
    expect([await revoke("ci"), await revoke("ci"), await revoke("nobody")]).toEqual([true, false, false]);
    expect((await data.token("00ff"))?.revoked_at).toBe(noon + 5);
    expect(await add({ hash: "03" })).toBe(false);
    expect((await data.tokens()).map((row) => row.name)).toEqual(["ci", "later"]);
  });
});

describe.each(dialects)("atomically on %s", (dialect) => {
  test("rolls back work that throws, and rethrows the error", async () => {
    await using house = await openTestData(dialect);
    const { data } = house;
    await link(data, "atlas");
    const cause = new Error("no");
    const work = data.atomically(async (writes) => {
      await writes.linkProject({ slug: "borealis", repo: "acme/borealis" }, noon);
      await writes.append([
        event({ project: "atlas", kind: "issue.opened", issue: 1, tokens_in: 4, dedupe_key: "k" }),
      ]);
      const text = {
        project: "atlas",
        text: "x",
        source: "cli",
        source_ref: null,
        actor: "human:zoe",
        valid_from: noon,
      };
      await writes.addDecision(text);
      await writes.addToken({
        name: "t",
        hash: "h",
        scopes: [],
        projects: null,
        created_at: noon,
        expires_at: null,
      });
      throw cause;
    });
    expect(await work.catch((error) => error)).toBe(cause);
    expect(await data.head()).toBe(0);
    expect(await data.projects(null, { limit: 9 })).toMatchObject([
      { slug: "atlas", openIssues: 0, decisionsCount: 0, digest: { total: 0 } },
    ]);
    expect(await data.usage("atlas", "")).toEqual([]);
    expect(await data.currentDecisions("atlas", 9)).toEqual([]);
    expect(await data.tokens()).toEqual([]);
    const { added } = await append(data, [event({ dedupe_key: "k" })]);
    expect(added.map((row) => row.id)).toEqual([1]);
  });

  test("its reads see its own writes; others see them after the commit", async () => {
    await using house = await openTestData(dialect);
    const { data } = house;
    const seen = await data.atomically(async (writes) => {
      await writes.linkProject({ slug: "atlas", repo: "acme/atlas" }, noon);
      await writes.append([event({ project: "atlas" })]);
      const inside = await Promise.all([
        writes.project(null, "atlas"),
        writes.feed(null, { limit: 5 }),
        writes.head(),
      ]);
      const outside = await Promise.all([
        data.project(null, "atlas"),
        data.feed(null, { limit: 5 }),
        data.head(),
      ]);
      return { inside, outside };
    });
    expect(seen.inside).toMatchObject([{ slug: "atlas", digest: { total: 1 } }, [{ id: 1 }], noon]);
    expect(seen.outside).toEqual([null, [], 0]);
    expect((await data.feed(null, { limit: 5 })).length).toBe(1);
  });

  test("transactions are serialized: concurrent read-modify-writes lose no update", async () => {
    await using house = await openTestData(dialect);
    const other = await openData(house.url, { now: house.clock.now, log() {} });
    const raise = (data: Data) =>
      data.atomically(async (writes) => {
        const [model] = await writes.models();
        const guidance_count = (model?.guidance_count ?? 0) + 1;
        const bare = { provider: "p", lanes: [], onboarded_at: null, refreshed_at: null, skill_count: 0 };
        await writes.saveModel({ id: "m", ...bare, guidance_count });
      });
    await Promise.all(Array.from({ length: 30 }, (_, n) => raise(n % 2 ? other : house.data)));
    await other.close();
    expect((await house.data.models())[0]?.guidance_count).toBe(30);
  });
});

/** The same rolls for the same seed. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

test("the clock of these tests prints timestamps as the API does", () => {
  expect(fromMicros(noon)).toBe("2026-03-01T12:00:00.000000Z");
});
