/** `GET /tasks`: each issue with its pull requests once, and its sums, on pages of any length. */
import { describe, expect, test } from "bun:test";
import type { Appendable } from "../../src/feed/rows.ts";
import type { ListedTask, TaskPage } from "../../src/overview/tasks/schema.ts";
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
    expect(tasks.map(({ last_event_at, ...task }) => task)).toEqual([
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
    ]);
    for (const limit of [1, 2, 3]) expect(await allTasks(library, `?limit=${limit}`)).toEqual(tasks);
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
