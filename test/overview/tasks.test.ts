/** `GET /tasks`: each issue with its pull requests once, and its sums, on pages of any length. */
import { describe, expect, test } from "bun:test";
import { cursorOf } from "../../src/core/lib/cursor.ts";
import type { Appendable } from "../../src/feed/rows.ts";
import type { ListedTask, TaskBoard, TaskPage } from "../../src/overview/tasks/schema.ts";
import { dialects, link, type TestApp } from "../support/harness.ts";
import { base } from "../support/http/input.ts";
import { openLibrary } from "../support/library.ts";
import { runEvent } from "../support/memory/runs.ts";

async function pageOf(app: TestApp, query: string, projects: string[] | null = null): Promise<TaskPage> {
  const token = await app.mint(["feed:read"], { name: `reader-${crypto.randomUUID()}`, projects });
  return (await (await app.ask(`${base}/tasks${query}`, { token })).json()) as TaskPage;
}

async function allTasks(app: TestApp, query: string): Promise<ListedTask[]> {
  const found: ListedTask[] = [];
  for (let cursor = ""; ; ) {
    const { tasks, next_cursor } = await pageOf(app, `${query}${cursor}`);
    found.push(...tasks);
    if (next_cursor === null) return found;
    cursor = `&cursor=${next_cursor}`;
  }
}

const nameOf = ({ project, issue, pr }: ListedTask): string => `${project} ${issue ?? `!${pr}`}`;
const ofForge = (of: Partial<Appendable>) => runEvent({ actor: "human:mara", ...of });

describe.each(dialects)("tasks on %s", (dialect) => {
  test("have their title, state, runs, versions and cost, the one with the newest run first", async () => {
    await using library = await openLibrary(dialect, "disk");
    const { data } = library.ctx;
    for (const slug of ["atlas", "beacon"]) await link(data, slug);
    const minutes = async (of: Partial<Appendable>) => {
      library.clock.advance(60_000_000);
      await data.append([runEvent({ kind: "run.finished", ...of })]);
    };
    await data.append([
      ofForge({ kind: "issue.opened", issue: 7, summary: "Issue #7 opened: Draw the coast" }),
      ofForge({ kind: "issue.opened", issue: 9, summary: "Issue #9 opened: Without runs" }),
      ofForge({ kind: "pr.opened", issue: 7, pr: 40, summary: "PR #40 opened: Coast" }),
      ofForge({ kind: "pr.opened", pr: 41, summary: "PR #41 opened: Update packages" }),
      ofForge({ kind: "pr.merged", pr: 41, summary: "PR #41 merged" }),
    ]);
    await minutes({ run_id: "a", issue: 7, cost_equiv: 1 });
    await minutes({ run_id: "b", pr: 41, cost_equiv: 0.25 });
    await minutes({ run_id: "c", issue: 7, project: "beacon" });
    await minutes({ run_id: "d", issue: 8 });
    await minutes({ run_id: "e", pr: 40, cost_equiv: 0.5 });
    await minutes({ run_id: "without a task" });
    await data.append([ofForge({ kind: "issue.closed", issue: 8, summary: "Issue #8 closed" })]);
    await library.upload({ project: "atlas", title: "Map", issue: "7" });
    await library.upload({ project: "atlas", title: "Coast", pr: "40" });
    const { tasks } = await pageOf(library, "");
    expect(tasks).toMatchObject([
      {
        project: "atlas",
        issue: 7,
        pr: null,
        title: "Draw the coast",
        state: "open",
        runs: 2,
        versions: 2,
        cost_equiv: 1.5,
      },
      { ...none, project: "atlas", issue: 8, state: "closed" },
      { ...none, project: "beacon", issue: 7 },
      { ...none, project: "atlas", pr: 41, title: "Update packages", state: "merged", cost_equiv: 0.25 },
      { ...none, project: "atlas", issue: 9, title: "Without runs", state: "open", runs: 0 },
    ]);
    for (const limit of [1, 2, 3]) expect(await allTasks(library, `?limit=${limit}`)).toEqual(tasks);
    // The run of a pull request without an issue is of no other run's issue.
    await minutes({ run_id: "f", issue: 7, pr: 40 });
    await minutes({ run_id: "g", pr: 41, actor: "agent:heron" });
    expect((await pageOf(library, "?actor=agent:heron")).tasks.map(nameOf)).toEqual(["atlas !41"]);
    const named = async (query: string, projects?: string[]) =>
      (await pageOf(library, query, projects)).tasks.map(nameOf);
    expect(await named("?state=merged")).toEqual(["atlas !41"]);
    expect(await named("?state=open&project=beacon")).toEqual([]);
    expect(await named("?project=beacon")).toEqual(["beacon 7"]);
    expect(await named("", ["beacon"])).toEqual(["beacon 7"]);
    const unseen = await library.ask(`${base}/tasks?project=atlas`, {
      token: await library.mint(["feed:read"], { name: "theirs", projects: ["beacon"] }),
    });
    expect(unseen.status).toBe(404);
  });

  test("stand in the column of what they wait for, and can be sorted and filtered", async () => {
    await using library = await openLibrary(dialect, "disk");
    const { data } = library.ctx;
    for (const slug of ["atlas", "beacon"]) await link(data, slug);
    const opened = async (issue: number) => {
      library.clock.advance(60_000_000);
      await data.append([ofForge({ kind: "issue.opened", issue, summary: `Issue #${issue} opened: Task` })]);
    };
    const run = async (kind: "run.started" | "run.finished" | "run.failed", of: Partial<Appendable>) => {
      library.clock.advance(60_000_000);
      await data.append([runEvent({ kind, ...of })]);
    };
    const upload = async (title: string, of: Record<string, string>) =>
      library.upload({ project: "atlas", title, ...of });
    const reject = async (title: string, of: Record<string, string>) => {
      const { id } = (await upload(title, of)).body;
      await library.review(id, { decision: "rejected", note: "The coast is wrong." });
      return id;
    };
    for (const issue of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) await opened(issue);
    await run("run.finished", { run_id: "merged", issue: 5, cost_equiv: 3, actor: "agent:tern" });
    await data.append([
      ofForge({ kind: "pr.opened", issue: 5, pr: 50, summary: "PR #50 opened: Task" }),
      ofForge({ kind: "pr.merged", issue: 5, pr: 50, summary: "PR #50 merged" }),
    ]);
    await run("run.finished", { run_id: "closed", issue: 6, cost_equiv: 1 });
    await data.append([ofForge({ kind: "issue.closed", issue: 6, summary: "Issue #6 closed" })]);
    await run("run.failed", { run_id: "stopped", issue: 7, model: "claude-opus-4-5" });
    await run("run.finished", { run_id: "reviewed on the forge", issue: 8 });
    await data.append([ofForge({ kind: "pr.opened", issue: 8, pr: 80, summary: "PR #80 opened: Task" })]);
    const merge = async (pr: number, issue: number) => {
      await data.append([ofForge({ kind: "pr.merged", issue, pr, summary: `PR #${pr} merged` })]);
      library.clock.advance(60_000_000);
    };
    await merge(90, 9);
    await reject("Rejected after the merge", { issue: "9" });
    await reject("Rejected before the merge", { pr: "100" });
    await merge(100, 10);
    await upload("Waits", { issue: "3" });
    await reject("Rejected", { issue: "4" });
    await run("run.started", { run_id: "running", issue: 2 });
    await run("run.finished", { run_id: "elsewhere", issue: 2, project: "beacon" });

    const token = await library.mint(["feed:read"], { name: "reader", projects: ["atlas"] });
    const board = async () =>
      (await (await library.ask(`${base}/tasks/board`, { token })).json()) as TaskBoard;
    const columns = (await board()).columns.map(({ stage, count, tasks }) => [
      stage,
      count,
      tasks.map(nameOf),
    ]);
    expect(columns).toEqual([
      ["requested", 1, ["atlas 1"]],
      ["running", 1, ["atlas 2"]],
      ["waiting", 2, ["atlas 8", "atlas 3"]],
      ["rejected", 2, ["atlas 9", "atlas 4"]],
      ["stopped", 1, ["atlas 7"]],
      ["merged", 2, ["atlas 5", "atlas 10"]],
      ["closed", 1, ["atlas 6"]],
    ]);
    const named = async (query: string) => (await pageOf(library, query, ["atlas"])).tasks.map(nameOf);
    expect((await pageOf(library, "?stage=merged", ["atlas"])).tasks).toMatchObject([
      { actors: ["agent:tern"], models: [], pulls: [{ number: 50, state: "merged" }] },
      { actors: [], pulls: [{ number: 100, state: "merged" }] },
    ]);
    expect(await named("?sort=cost&limit=2")).toEqual(["atlas 5", "atlas 6"]);
    expect(await named(`?sort=cost&limit=2&cursor=${cursorOf(-1)}`)).toEqual(["atlas 5", "atlas 6"]);
    expect((await named("?sort=age")).slice(0, 3)).toEqual(["atlas 1", "atlas 2", "atlas 3"]);
    expect(await named("?model=claude-opus-4-5")).toEqual(["atlas 7"]);
    expect(await named("?actor=agent:tern&stage=merged")).toEqual(["atlas 5"]);
    expect(await allTasks(library, "?project=atlas&sort=age&limit=3")).toHaveLength(10);

    // A running run that is silent for long is lost, and a replaced version is no longer rejected.
    library.clock.advance(10 * 24 * 3_600_000_000);
    expect(await named("?stage=running")).toEqual([]);
    expect(await named("?stage=stopped")).toEqual(["atlas 2", "atlas 7"]);
  });
});

const none = {
  issue: null,
  pr: null,
  title: null,
  state: null,
  runs: 1,
  versions: 0,
  cost_equiv: 0,
};
