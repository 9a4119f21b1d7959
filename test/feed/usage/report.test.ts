/** `GET /usage`: usage by group and period, and compared with a second range. */
import { describe, expect, test } from "bun:test";
import { dayMicros, toMicros } from "../../../src/core/lib/time.ts";
import type { UsageReport, UsageReportRow } from "../../../src/feed/usage/schema.ts";
import { dialects, event, link, openApp } from "../../support/harness.ts";

const noon = toMicros("2026-03-01T12:00:00Z");
/** A Sunday, 1 March 2026: its week began on 23 February. */
const step = { kind: "step.usage", project: "atlas", actor: "agent:a", lane: "lane_a", model: "m" } as const;
const spend = (daysAgo: number, cost_equiv: number, more: object = {}) =>
  event({ ...step, cost_equiv, tokens_in: 10, ts: noon - daysAgo * dayMicros, ...more });

async function openUsage(dialect: (typeof dialects)[number] = "sqlite") {
  const app = await openApp(dialect);
  for (const slug of ["atlas", "borealis"]) await link(app.ctx.data, slug);
  await app.ctx.data.append([
    spend(0, 1),
    spend(0, 0.25, { project: "borealis", model: null, lane: null, actor: "agent:b", issue: 7 }),
    spend(6, 2, { kind: "run.failed", pr: 8 }),
    spend(7, 4),
    spend(29, 8, { model: "n" }),
    spend(30, 16, { model: "old" }),
  ]);
  const token = await app.mint(["feed:read"]);
  const get = async (query: string, as = token) => {
    const response = await app.ask(`/api/v1/usage?${query}`, { token: as });
    return { status: response.status, body: await response.json() };
  };
  const report = async (query: string, as = token): Promise<UsageReport> => (await get(query, as)).body;
  const fault = async (query: string): Promise<[number, string]> => {
    const { status, body } = await get(query);
    return [status, body.detail];
  };
  return Object.assign(app, { report, fault, token });
}

const pick = (rows: UsageReportRow[], ...fields: (keyof UsageReportRow)[]) =>
  rows.map((row) => fields.map((field) => row[field]));

describe.each(dialects)("a usage report on %s", (dialect) => {
  test("is of the last 30 days by project, the most expensive first", async () => {
    await using usage = await openUsage(dialect);
    const report = await usage.report("");
    expect(report).toMatchObject({
      ...{ from: "2026-01-31", to: "2026-03-01", by: "project", interval: null, compared: null },
      ...{ total: { cost_equiv: 15.25, tokens_in: 50, runs: 1, failures: 1 }, count: 2, more: 0 },
    });
    expect(pick(report.rows, "project", "cost_equiv", "runs")).toEqual([
      ["atlas", 15, 1],
      ["borealis", 0.25, 0],
    ]);
  });

  test("has the same total by any group", async () => {
    await using usage = await openUsage(dialect);
    for (const by of ["project", "model", "lane", "actor", "task"]) {
      const { total, rows } = await usage.report(`by=${by}&from=2026-01-01`);
      expect([by, total.cost_equiv]).toEqual([by, 31.25]);
      expect(rows.reduce((sum, row) => sum + row.cost_equiv, 0)).toBe(31.25);
    }
    const tasks = await usage.report("by=task");
    expect(pick(tasks.rows, "project", "issue", "pr", "cost_equiv")).toEqual([
      ["atlas", null, null, 13],
      ["atlas", null, 8, 2],
      ["borealis", 7, null, 0.25],
    ]);
  });

  test("is split by UTC day, by week from Monday, and by month", async () => {
    await using usage = await openUsage(dialect);
    const by = async (interval: string) =>
      pick((await usage.report(`by=project&interval=${interval}`)).rows, "start", "project", "cost_equiv");
    expect(await by("day")).toEqual([
      ["2026-01-31", "atlas", 8],
      ["2026-02-22", "atlas", 4],
      ["2026-02-23", "atlas", 2],
      ["2026-03-01", "atlas", 1],
      ["2026-03-01", "borealis", 0.25],
    ]);
    expect(await by("week")).toEqual([
      ["2026-01-26", "atlas", 8],
      ["2026-02-16", "atlas", 4],
      ["2026-02-23", "atlas", 3],
      ["2026-02-23", "borealis", 0.25],
    ]);
    expect(await by("month")).toEqual([
      ["2026-01-01", "atlas", 8],
      ["2026-02-01", "atlas", 6],
      ["2026-03-01", "atlas", 1],
      ["2026-03-01", "borealis", 0.25],
    ]);
  });

  test("compares two ranges, also groups that only one of them has", async () => {
    await using usage = await openUsage(dialect);
    const report = await usage.report("by=model&from=2026-02-23&compare_from=2026-01-30");
    expect(report.compared).toMatchObject({
      from: "2026-01-30",
      to: "2026-02-05",
      total: { cost_equiv: 24 },
    });
    expect(report.rows.map((row) => [row.model, row.cost_equiv, row.compared?.cost_equiv])).toEqual([
      ["m", 3, 0],
      [null, 0.25, 0],
      ["old", 0, 16],
      ["n", 0, 8],
    ]);
  });

  test("sums the groups beyond the limit in one row and counts them", async () => {
    await using usage = await openUsage(dialect);
    const { rows, more } = await usage.report("by=model&limit=1");
    expect(more).toBe(2);
    expect(pick(rows, "model", "rest", "cost_equiv", "tokens_in")).toEqual([
      ["n", false, 8, 10],
      [null, true, 7.25, 40],
    ]);
    const daily = await usage.report("by=model&limit=1&interval=month");
    expect(pick(daily.rows, "start", "model", "rest", "cost_equiv")).toEqual([
      ["2026-01-01", "n", false, 8],
      ["2026-02-01", null, true, 6],
      ["2026-03-01", null, true, 1.25],
    ]);
  });

  test("is of one project, and of the projects that the token may read", async () => {
    await using usage = await openUsage(dialect);
    expect((await usage.report("project=borealis")).total.cost_equiv).toBe(0.25);
    const limited = await usage.mint(["feed:read"], { projects: ["borealis"] });
    for (const by of ["project", "actor"])
      expect((await usage.report(`by=${by}`, limited)).total.cost_equiv).toBe(0.25);
    expect(await usage.report("project=atlas", limited)).toMatchObject({ status: 404 });
    expect(await usage.report("project=nowhere")).toMatchObject({ status: 404 });
    expect(await usage.report("", await usage.mint(["assets:read"]))).toMatchObject({ status: 403 });
  });
});

describe.each(dialects)("the most expensive runs on %s", (dialect) => {
  test("are those that started in the range, and the rest is the work outside of them", async () => {
    await using usage = await openUsage(dialect);
    const run = (run_id: string, daysAgo: number, cost: number, project = "atlas") => [
      spend(daysAgo, 0, { kind: "run.started", run_id, project, issue: 9 }),
      spend(daysAgo, cost, { kind: "run.failed", run_id, project, issue: 9 }),
    ];
    await usage.ctx.data.append([
      ...run("small", 0, 1),
      ...run("large", 5, 128),
      ...run("large", 3, 64, "borealis"),
      ...run("old", 40, 512),
    ]);
    const { rows, more, total } = await usage.report("by=run&limit=2");
    expect(total.cost_equiv).toBe(15.25 + 193);
    expect(pick(rows, "run_id", "project", "actor", "issue", "failures", "rest", "cost_equiv")).toEqual([
      ["large", "atlas", "agent:a", 9, 1, false, 128],
      ["large", "borealis", "agent:a", 9, 1, false, 64],
      [null, null, null, null, 2, true, 16.25],
    ]);
    expect(more).toBe(1);
    expect((await usage.report("by=run&limit=1&from=2026-01-01")).more).toBe(3);
    const limited = await usage.mint(["feed:read"], { projects: ["borealis"] });
    expect(pick((await usage.report("by=run", limited)).rows, "run_id", "cost_equiv")).toEqual([
      ["large", 64],
      [null, 0.25],
    ]);
  });
});

describe("a usage report", () => {
  test("that begins in the future, and has no end, is of its first day", async () => {
    await using usage = await openUsage();
    const day = "2026-03-05";
    expect(await usage.report(`by=project&from=${day}`)).toMatchObject({ from: day, to: day, rows: [] });
  });

  test("of a range that cannot be reported is refused with a sentence", async () => {
    await using usage = await openUsage();
    const refused: [string, RegExp][] = [
      ["from=2026-03-02&to=2026-03-01", /^from \(2026-03-02\) must not be after to \(2026-03-01\)/],
      ["from=2010-01-01&to=2026-03-01", /^from to to are 5904 days. A report has at most 3660/],
      ["from=2020-01-01&to=2026-03-01&interval=day", /^2252 days by day are 2252 rows a group/],
      ["from=2025-03-01&to=2026-03-01&interval=day&limit=200", /^366 periods of 200 groups are more than/],
      ["by=mood", /^by must be one of project, model, lane, actor, task, run/],
      ["interval=hour", /^interval must be one of day, week, month/],
      ["from=2026-02-30", /^from must be a date/],
      ["from=9999-12-31&interval=day", /^from and to must be days from 1900-01-01/],
      ["to=0000-01-01", /^from and to must be days from 1900-01-01/],
      ["compare_from=9999-12-31", /^compare_from and compare_to must be days/],
      ["by=run&interval=day", /^by=run has no interval/],
      ["by=run&compare_from=2026-01-01", /^by=run cannot be compared/],
      ["compare_to=2026-01-01", /^compare_to needs compare_from/],
      ["compare_from=2026-01-01&interval=day", /^interval and compare_from cannot be used together/],
      ["limit=0", /^limit must be an integer from 1 to 200/],
    ];
    for (const [query, sentence] of refused) {
      const [status, detail] = await usage.fault(query);
      expect([query, status]).toEqual([query, 400]);
      expect(detail).toMatch(sentence);
    }
  });

  test("is CSV for a client that asks for it: the fields of a row, none of them a formula", async () => {
    await using usage = await openUsage();
    await usage.ctx.data.append([
      spend(0, 32, { model: '=SUM("A1")' }),
      spend(0, 31, { model: "\uff1dSUM(1)" }),
    ]);
    const csv = async (accept: string) => {
      const headers = { accept };
      return usage.ask("/api/v1/usage?by=model&compare_from=2026-01-30", { token: usage.token, headers });
    };
    const response = await csv("text/csv");
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(response.headers.get("vary")).toContain("Accept");
    const [head, first, second, ...rest] = (await response.text()).split("\r\n");
    expect(head).toStartWith(
      "start,project,model,lane,actor,issue,pr,run_id,summary,rest,runs,failures,merges,tokens_in",
    );
    expect(head).toEndWith("compared.cache_write,compared.cost_equiv,team,person,task");
    expect(first).toBe(`,,"'=SUM(""A1"")",,,,,,,false,0,0,0,10,0,0,0,32,,0,0,0,0,0,0,0,0,,,`);
    expect(second).toStartWith(`,,"'\uff1dSUM(1)",`);
    expect(rest.at(-1)).toBe("");
    expect((await csv("text/csv;q=0.5, application/json")).headers.get("content-type")).toBe(
      "application/json",
    );
  });
});
