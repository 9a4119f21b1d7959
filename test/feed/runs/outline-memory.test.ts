/** Outlines of runs that a process remembers: those of the events, whichever process appended them. */
import { describe, expect, test } from "bun:test";
import { openData } from "../../../db/open.ts";
import type { Data } from "../../../src/api/port.ts";
import { dialects, event, link, openTestData, rowsOf } from "../../support/harness.ts";

const started = (run: string, more: object = {}) =>
  event({ kind: "run.started", project: "atlas", run_id: run, actor: "agent:a", summary: run, ...more });
const spent = (run: string, cost_equiv: number, more: object = {}) =>
  event({ kind: "step.usage", project: "atlas", run_id: run, actor: "agent:a", cost_equiv, ...more });

const outlinesOf = (data: Data, projects: string[] | null = null) =>
  data.runOutlines(projects, { status: "running", limit: 100 });
const costsOf = async (data: Data, projects: string[] | null = null) =>
  (await outlinesOf(data, projects)).map(({ id, cost_equiv }) => `${id} ${cost_equiv}`).sort();

describe.each(dialects)("remembered outlines on %s", (dialect) => {
  async function openRuns() {
    const testData = await openTestData(dialect);
    for (const slug of ["atlas", "borealis"]) await link(testData.data, slug);
    await testData.data.append([started("one"), started("two"), started("other", { project: "borealis" })]);
    expect(await costsOf(testData.data)).toEqual(["one 0", "other 0", "two 0"]);
    const openOther = () => openData(testData.url, { now: () => Date.now() * 1000, log() {} });
    return Object.assign(testData, { openOther });
  }

  test("have what was appended since, by any process, and lack what ended", async () => {
    await using runs = await openRuns();
    await runs.data.append([spent("one", 2)]);
    expect(await costsOf(runs.data)).toEqual(["one 2", "other 0", "two 0"]);
    const other = await runs.openOther();
    await other.append([
      spent("other", 3, { project: "borealis" }),
      event({ ...started("two"), kind: "run.finished" }),
    ]);
    expect(await costsOf(runs.data)).toEqual(["one 2", "other 3"]);
    expect(await outlinesOf(runs.data)).toEqual(await outlinesOf(other));
    await other.close();
  });

  test("are of the projects that are asked for, the newest first", async () => {
    await using runs = await openRuns();
    expect(await costsOf(runs.data, ["borealis"])).toEqual(["other 0"]);
    expect(await costsOf(runs.data, [])).toEqual([]);
    const ids = (await outlinesOf(runs.data, ["borealis", "atlas"])).map(({ id }) => id);
    expect(ids).toEqual(["other", "two", "one"]);
  });

  test("name the issue that their pull request is told of later", async () => {
    await using runs = await openRuns();
    await runs.data.append([spent("one", 1, { pr: 40 })]);
    const issueOf = async () => (await outlinesOf(runs.data)).find(({ id }) => id === "one")?.issue_of_pr;
    expect(await issueOf()).toBeNull();
    await runs.data.append([
      event({ kind: "pr.opened", project: "atlas", actor: "human:zoe", pr: 40, issue: 7 }),
    ]);
    expect(await issueOf()).toBe(7);
  });

  test("are found among pipelines, which are many, and by the time of their newest event", async () => {
    await using runs = await openRuns();
    const pipelines = Array.from({ length: 700 }, (_, at) => started(`github-actions/${at}/1`));
    await runs.data.append(pipelines);
    const idsOf = async (query: object) =>
      (
        await runs.data.runOutlines(null, { status: "running", limit: 2, withoutPipelines: true, ...query })
      ).map(({ id }) => id);
    expect(await idsOf({})).toEqual(["other", "two"]);
    const all = await runs.data.runOutlines(null, { status: "running", limit: 5, withoutPipelines: true });
    const [other, two, one] = all.map(({ last_event_at }) => last_event_at) as [number, number, number];
    expect(await idsOf({ eventAfter: one })).toEqual(["other", "two"]);
    expect(await idsOf({ eventAfter: two })).toEqual(["other"]);
    expect(await idsOf({ eventBefore: other })).toEqual(["two", "one"]);
  });

  test("are read again where nothing was appended but rows were rewritten", async () => {
    await using runs = await openRuns();
    await rowsOf(runs.url, "update runs set cost_equiv = 9 where id = 'one'");
    expect(await costsOf(runs.data)).toEqual(["one 0", "other 0", "two 0"]); // as remembered
    await rowsOf(runs.url, "update feed_head set budgets = budgets + 1");
    expect(await costsOf(runs.data)).toEqual(["one 9", "other 0", "two 0"]);
  });
});
