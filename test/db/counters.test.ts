/** The counters of a project are those of its events. */
import { describe, expect, test } from "bun:test";
import type { Data } from "../../src/api/port.ts";
import { dayMicros, type Micros, secondMicros, toMicros } from "../../src/core/lib/time.ts";
import type { Appendable } from "../../src/feed/rows.ts";
import { databaseKinds, event, expectConsistent, link, openTestData } from "../support/harness.ts";

const noon = toMicros("2026-03-01T12:00:00Z");
const append = (data: Data, events: Appendable[]) => data.atomically((writes) => writes.append(events));

describe.each(databaseKinds)("counters of a project on %s", (dialect) => {
  const issue = (number: number, kind: "issue.opened" | "issue.closed" | "issue.labeled", ts?: Micros) =>
    event({ project: "atlas", kind, issue: number, ...(ts !== undefined && { ts }) });

  test("count its events and know its last activity", async () => {
    await using testData = await openTestData(dialect);
    await link(testData.data, "atlas");
    await link(testData.data, "borealis");
    expect(await testData.data.project(null, "atlas")).toMatchObject({
      lastActivity: null,
      digest: { digested: 0, total: 0 },
    });
    await append(testData.data, [
      event({ project: "atlas" }),
      event({ project: "borealis" }),
      event({ project: "atlas" }),
      event(),
    ]);
    expect(await testData.data.project(null, "atlas")).toMatchObject({
      lastActivity: noon + 2,
      digest: { total: 2 },
    });
    await append(testData.data, [event({ project: "atlas", ts: noon - dayMicros })]);
    expect(await testData.data.project(null, "atlas")).toMatchObject({
      lastActivity: noon + 2,
      digest: { total: 3 },
    });
    expect(await testData.data.project(null, "borealis")).toMatchObject({
      lastActivity: noon + 1,
      digest: { total: 1 },
    });
  });

  test("a duplicate counts nothing", async () => {
    await using testData = await openTestData(dialect);
    await link(testData.data, "atlas");
    for (let i = 0; i < 2; i++)
      await append(testData.data, [
        event({ project: "atlas", kind: "issue.opened", issue: 1, tokens_in: 5, dedupe_key: "k" }),
      ]);
    expect(await testData.data.project(null, "atlas")).toMatchObject({ openIssues: 1, digest: { total: 1 } });
    expect((await testData.data.usage("atlas", "2026-01-01")).map((row) => row.tokens_in)).toEqual([5]);
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
    await using testData = await openTestData(dialect);
    await link(testData.data, "atlas");
    for (const batch of batches) await append(testData.data, batch);
    expect((await testData.data.project(null, "atlas"))?.openIssues).toBe(open);
  });

  test("usage is summed by UTC day, lane and model, and for several projects by day; late events count on their own day", async () => {
    await using testData = await openTestData(dialect);
    await link(testData.data, "atlas");
    const fields = { project: "atlas", lane: "lane_a", model: "m" };
    await append(testData.data, [
      event({
        ...fields,
        kind: "step.usage",
        tokens_in: 10,
        tokens_out: 1,
        cache_read: 2,
        cache_write: 3,
        cost_equiv: 0.25,
      }),
      event({ ...fields, kind: "run.finished", tokens_in: 5, cost_equiv: 0.5 }),
      event({ ...fields, kind: "run.failed" }),
      event({ project: "atlas", kind: "pr.merged" }),
      event({ project: "atlas", kind: "issue.opened", issue: 1 }),
      event({ ...fields, kind: "run.failed", ts: toMicros("2026-02-27T23:59:59.999999Z") }),
    ]);
    await append(testData.data, [event({ ...fields, kind: "step.usage", tokens_in: 100 })]);
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
    expect(await testData.data.usage("atlas", "2026-01-01")).toEqual([earlier, ...lately]);
    expect(await testData.data.usage("atlas", "2026-03-01")).toEqual(lately);
    expect(await testData.data.usage("borealis", "2026-01-01")).toEqual([]);
    const range = { from: "2026-02-27", to: "2026-03-01" };
    const ofDays = [
      { project: "atlas", day: "2026-02-27", runs: 1, failures: 1, merges: 0, cost_equiv: 0 },
      { project: "atlas", day: "2026-03-01", runs: 2, failures: 1, merges: 1, cost_equiv: 0.75 },
    ];
    const found = await testData.data.dailyUsage(["atlas", "borealis"], range);
    expect(found.toSorted((a, b) => a.day.localeCompare(b.day))).toEqual(ofDays);
    expect(await testData.data.dailyUsage(["borealis"], range)).toEqual([]);
  });

  test("match the rows after any history", async () => {
    await using testData = await openTestData(dialect);
    for (const slug of ["atlas", "borealis"]) await link(testData.data, slug);
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
      await append(testData.data, events);
      testData.clock.advance((pick(3) - 1) * secondMicros);
    }
    expect(await expectConsistent(testData.data)).toBeGreaterThan(200);
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
