/** The query plans of runs: a page reads a bounded range of an index, however long the log is. */
import { describe, expect, test } from "bun:test";
import type { Reads } from "../../src/api/port.ts";
import { must } from "../support/conditions.ts";
import { newest, type ReadCalls, silent } from "../support/database/large-log.ts";
import { usePlans } from "../support/database/query-plans.ts";
import { dialects, rowsOf } from "../support/harness.ts";

type Query = Parameters<Reads["runs"]>[1];

describe.each(dialects)("on %s", (dialect) => {
  const db = usePlans(dialect, async (testData) => {
    // Every seventh event starts a run of its own.
    await rowsOf(
      testData.url,
      "update events set kind = 'run.started', wire = replace(wire, kind, 'run.started') where id % 7 = 3",
    );
    await rowsOf(
      testData.url,
      `update events set run_id = 'run-' || id,
        wire = replace(wire, '"summary"', '"run_id":"run-' || id || '","summary"') where id % 14 = 3`,
    );
    await testData.data.rebuildDerivedRows(["runs"]);
    if (dialect === "postgres") await rowsOf(testData.url, "analyze");
  });

  const pageOf =
    (query: Partial<Query>, projects: string[] | null = null): ReadCalls =>
    (reads) =>
      reads.runs(projects, { limit: 50, ...query });

  test("a page with one filter, or for several projects, reads a range of its index", async () => {
    const filters: Partial<Query>[] = [
      {},
      { project: silent.project },
      { actor: silent.actor },
      { status: "running" },
      { status: "failed" },
      { pr: 60 },
      { parent: "run-3" },
    ];
    const bounds = [{}, { before: newest }];
    const works = filters.flatMap((filter) => bounds.map((bound) => pageOf({ ...filter, ...bound })));
    works.push((reads) => reads.openRuns(silent.project, "agent", newest - 86_400_000_000));
    expect(await db.wasted(works)).toEqual([]);
    // The time of the newest event is checked on the runs of one minute at the end of the range.
    const recent = { eventAfter: newest - 900 * 86_400_000_000, eventBefore: newest };
    const checked = await db.wasted(filters.map((filter) => pageOf({ ...filter, ...recent })));
    expect(checked.filter((one) => one !== "filters rows: runs")).toEqual([]);
    // Its pull requests are looked up first, and their runs merged with its own.
    const ofIssue = await db.wasted(bounds.map((bound) => pageOf({ issue: 60, ...bound })));
    expect(ofIssue.filter((one) => !/^sorts: matches$|^filters rows: (runs|r)$/.test(one))).toEqual([]);
    const several = [...bounds, recent].map((bound) => pageOf(bound, ["busy", "quiet"]));
    const allowed = /^sorts|: (element|heads)|^filters rows: (runs|one)$/;
    expect((await db.wasted(several)).filter((one) => !allowed.test(one))).toEqual([]);
  });

  test("further filters are checked on a bounded part of that range", async () => {
    const works = [
      pageOf({ project: silent.project, status: "failed" }),
      pageOf({ actor: silent.actor, lane: silent.lane, model: "m" }),
      pageOf({ issue: 60, project: "busy" }),
      pageOf({ lane: "lane_a" }, ["busy", "quiet"]),
      pageOf({ status: "running", withoutPipelines: true, eventAfter: newest - 900 * 86_400_000_000 }),
    ];
    const found = await db.wasted(works);
    const allowed = /^filters rows: (runs|r)$|^sorts: matches$|: element$/;
    expect(found.filter((one) => !allowed.test(one))).toEqual([]);
    const seen: string[] = [];
    for (let before: number | null | undefined; before !== null; ) {
      const page = await db.testData.data.runs(null, {
        ...{ lane: silent.lane, limit: 50 },
        ...(before !== undefined && { before }),
      });
      seen.push(...page.runs.map(({ id }) => id));
      before = page.next;
    }
    const [row] = await rowsOf(
      db.testData.url,
      `select count(*) as count from runs where lane = '${silent.lane}'`,
    );
    expect(new Set(seen).size).toBe(Number(must(row).count));
    expect(seen.length).toBe(Number(must(row).count));
  });

  test("one run and what belongs to it are found by an index", async () => {
    const [named, derived] = ["run-17", "event:10"].map((id) => ({ id }));
    for (const { id } of [must(named), must(derived)]) {
      const [slug] = await db.testData.data.projectsOfRun(null, id, 2);
      const run = must(await db.testData.data.run(null, must(slug), id));
      const found = await db.wasted([
        (reads) => reads.run(null, run.project, run.id),
        (reads) => reads.projectsOfRun(["busy", "quiet"], run.id, 2),
        (reads) => reads.runEvents(run, { limit: 50 }),
        (reads) => reads.runDecisions(run, 50),
        (reads) => reads.runBriefs(run, 50),
        (reads) => reads.briefByHash(run, "0".repeat(64)),
        (reads) => reads.runRecalls(run, 50),
        (reads) => reads.runAttempts(run),
        (reads) => reads.runAssets(run, 50),
      ]);
      const allowed = /^filters rows: (events|runs|assets|decisions|briefs)$|^sorts: matches$/;
      expect(found.filter((one) => !allowed.test(one))).toEqual([]);
    }
  });
});
