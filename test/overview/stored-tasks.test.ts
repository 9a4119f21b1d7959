/** The rows of tasks: lists and the board hold all tasks, whatever changed them. */
import { describe, expect, test } from "bun:test";
import { openData } from "../../db/open.ts";
import type { Appendable } from "../../src/feed/rows.ts";
import { listTasks, loadBoard } from "../../src/overview/tasks/list.ts";
import type { TasksQuery } from "../../src/overview/tasks/schema.ts";
import { dialects, event, link, openTestData, rowsOf, type TestData } from "../support/harness.ts";

const caller = { projects: null };
const contextOf = ({ data, clock }: TestData) => ({
  data,
  now: clock.now,
  config: { runTimeoutSeconds: 3600 } as Parameters<typeof loadBoard>[0]["config"],
});

/** How many tasks each stage has, without those that have none. */
async function countsOf(one: TestData): Promise<Record<string, number>> {
  const { columns } = await loadBoard(contextOf(one), { limit: 1 }, caller);
  return Object.fromEntries(columns.flatMap(({ stage, count }) => (count > 0 ? [[stage, count]] : [])));
}

async function namesOf(one: TestData, query: TasksQuery = {}): Promise<string[]> {
  const names: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await listTasks(contextOf(one), { ...query, ...(cursor && { cursor }) }, caller);
    names.push(...page.tasks.map(({ issue, pr }) => (issue === null ? `!${pr}` : `#${issue}`)));
    if (page.next_cursor === null) return names;
    cursor = page.next_cursor;
  }
}

const of = (fields: Partial<Appendable>) => event({ project: "atlas", issue: null, ...fields });

describe.each(dialects)("tasks on %s", (dialect) => {
  test("are all counted and listed once, also those without runs, beyond any page", async () => {
    await using one = await openTestData(dialect);
    await link(one.data, "atlas");
    const count = 1_300;
    const issues = Array.from({ length: count }, (_, index) => index + 1);
    await one.data.append(issues.map((issue) => of({ kind: "issue.opened", issue })));
    await one.data.append(issues.slice(300).map((issue) => of({ kind: "issue.closed", issue })));
    expect(await countsOf(one)).toEqual({ requested: 300, closed: 1_000 });
    for (const query of [{}, { sort: "cost" }, { sort: "age" }] as const) {
      const names = await namesOf(one, { ...query, limit: 200 });
      expect(names).toHaveLength(count);
      expect(new Set(names).size).toBe(count);
    }
    expect(await namesOf(one, { stage: "closed", limit: 200 })).toHaveLength(1_000);
  });

  test("follow a pull request that turns out to belong to an issue, and then to another", async () => {
    await using one = await openTestData(dialect);
    await link(one.data, "atlas");
    await one.data.append([of({ kind: "run.started", run_id: "run-1", pr: 4 })]);
    expect(await namesOf(one)).toEqual(["!4"]);
    expect(await countsOf(one)).toEqual({ running: 1 });
    await one.data.append([of({ kind: "pr.opened", issue: 7, pr: 4 })]);
    expect(await namesOf(one)).toEqual(["#7"]);
    expect(await namesOf(one, { actor: "agent:codex" })).toEqual(["#7"]);
    await one.data.append([of({ kind: "pr.opened", issue: 8, pr: 4 })]);
    expect(await namesOf(one)).toEqual(["#8"]);
    one.clock.advance(2 * 3_600_000_000);
    expect(await countsOf(one)).toEqual({ waiting: 1 });
  });

  test("lose a run that turns out to be of another task", async () => {
    await using one = await openTestData(dialect);
    await link(one.data, "atlas");
    const step = (issue: number, second: number) => {
      const ts = new Date(one.clock.now() / 1000 + second * 1000).toISOString();
      return of({ kind: "step.usage", run_id: "run-1", issue, payload: { ts } });
    };
    await one.data.append([of({ kind: "issue.opened", issue: 7 }), step(7, 0)]);
    expect(await countsOf(one)).toEqual({ running: 1 });
    await one.data.append([step(8, -1)]); // sent late
    expect(await rowsOf(one.url, "select issue from runs")).toEqual([
      { issue: dialect === "postgres" ? "8" : 8 },
    ]);
    expect(await countsOf(one)).toEqual({ requested: 1, running: 1 });
    expect(await one.data.findInconsistencies()).toEqual([]);
  });

  test("that another process left are derived when the database is opened; svc doctor repairs wrong rows", async () => {
    await using one = await openTestData(dialect);
    await link(one.data, "atlas");
    await one.data.append([of({ kind: "issue.opened", issue: 7 }), of({ kind: "issue.opened", issue: 8 })]);
    expect(await countsOf(one)).toEqual({ requested: 2 });
    await rowsOf(one.url, "update issues set open = (1 = 0) where number = 7");
    const other = await openData(one.url, { now: one.clock.now, log() {} });
    expect(await rowsOf(one.url, "select stage from tasks where issue = 7")).toEqual([{ stage: "closed" }]);
    await rowsOf(one.url, "update tasks set stage = 'merged' where issue = 8");
    const found = async () => (await other.findInconsistencies()).filter(({ kind }) => kind === "tasks");
    expect(await found()).toEqual([{ kind: "tasks", names: ["atlas 8 0"], count: 1 }]);
    await rowsOf(one.url, "update task_counts set count = 9 where stage = 'closed'");
    expect(await found()).toEqual([{ kind: "tasks", names: ["atlas 8 0", "atlas closed"], count: 2 }]);
    await other.rebuildDerivedRows(["tasks"]);
    expect(await countsOf(one)).toEqual({ requested: 1, closed: 1 });
    expect(await found()).toEqual([]);
    await other.close();
  });
});
