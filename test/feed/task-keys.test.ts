/** Tasks of a tracker: a key such as PROJ-123 beside the numbers of issues and pull requests. */
import { describe, expect, test } from "bun:test";
import type { Run } from "../../src/feed/runs/schema.ts";
import type { Event } from "../../src/feed/schema.ts";
import type { UsageReport } from "../../src/feed/usage/schema.ts";
import type { Asset } from "../../src/library/assets/schema.ts";
import type { ListedTask, TaskBoard } from "../../src/overview/tasks/schema.ts";
import { type Dialect, dialects, expectConsistent, link } from "../support/harness.ts";
import { base } from "../support/http/input.ts";
import { assetScopes, openLibrary } from "../support/library.ts";

type Body = Record<string, unknown>;

const runEvent = (of: Body): Body => ({
  project: "atlas",
  kind: "run.started",
  actor: "agent:codex",
  summary: "Run started",
  ...of,
});

/** A library with two projects, and what is asked of it over HTTP: answers are checked against OpenAPI. */
async function openTracker(dialect: Dialect) {
  const library = await openLibrary(dialect, "disk");
  for (const slug of ["atlas", "beacon"]) await link(library.ctx.data, slug);
  const scopes = [...assetScopes, "feed:read", "feed:write", "memory:read"] as const;
  const token = await library.mint(scopes, { name: "mara", role: "admin" });
  const ask = async <T>(path: string): Promise<T> =>
    (await (await library.ask(`${base}${path}`, { token })).json()) as T;
  const report = async (...events: Body[]): Promise<{ status: number; detail?: string }> => {
    const answer = await library.ask(`${base}/events`, { token, json: { events } });
    return { ...((await answer.json()) as object), status: answer.status };
  };
  const change = async (path: string, json: Body): Promise<{ status: number; detail?: string }> => {
    const answer = await library.ask(`${base}${path}`, { method: "PUT", token, json });
    return { ...((await answer.json()) as object), status: answer.status };
  };
  return Object.assign(library, { mara: token, get: ask, report, change });
}

describe.each(dialects)("the key of a task on %s", (dialect) => {
  test("is taken with events, shown as Jira and Linear write it, and found in any case", async () => {
    await using tracker = await openTracker(dialect);
    await tracker.report(
      runEvent({ run_id: "a", task: "proj-123", cost_equiv: 1 }),
      runEvent({ run_id: "b", task: "PROJ-123", cost_equiv: 0.5 }),
      runEvent({ run_id: "c", task: "sketch_of.CU86", cost_equiv: 2 }),
      runEvent({ run_id: "d", issue: 123, cost_equiv: 4 }),
      runEvent({ run_id: "e", task: "PROJ-123", project: "beacon" }),
      runEvent({ run_id: "f" }),
    );
    const events = async (query: string) =>
      (await tracker.get<{ events: Event[] }>(`/feed?${query}`)).events.map(({ run_id }) => run_id);
    expect(await events("task=Proj-123")).toEqual(["e", "b", "a"]);
    expect(await events("task=PROJ-123&project=atlas")).toEqual(["b", "a"]);
    expect(await events("task=SKETCH_OF.cu86")).toEqual(["c"]);
    expect(await events("issue=123")).toEqual(["d"]);
    expect(await events("task=PROJ-123&issue=123")).toEqual([]);
    const { events: all } = await tracker.get<{ events: Event[] }>("/feed?project=atlas");
    const named = all.map(({ run_id, issue, task }) => [run_id, issue, task]);
    expect(named.toReversed()).toEqual([
      ["a", null, "PROJ-123"],
      ["b", null, "PROJ-123"],
      ["c", null, "sketch_of.CU86"],
      ["d", 123, undefined],
      ["f", null, undefined],
    ]);
    const { runs } = await tracker.get<{ runs: Run[] }>("/runs?task=proj-123&project=atlas");
    expect(runs).toMatchObject([
      { id: "b", issue: null, task: "PROJ-123" },
      { id: "a", issue: null, task: "PROJ-123" },
    ]);
    const { rows } = await tracker.get<UsageReport>("/usage?by=task");
    expect(rows.map(({ project, issue, task, cost_equiv }) => [project, issue, task, cost_equiv])).toEqual([
      ["atlas", 123, null, 4],
      ["atlas", null, "sketch_of.CU86", 2],
      ["atlas", null, "PROJ-123", 1.5],
    ]);
    await expectConsistent(tracker.ctx.data);
  });

  test("stands in the board with its runs, versions and pull requests, open until it is closed", async () => {
    await using tracker = await openTracker(dialect);
    await tracker.ctx.data.append([
      {
        ...runEvent({}),
        kind: "issue.opened",
        actor: "human:mara",
        task: "PROJ-9",
        summary: "Draw the coast",
      },
    ] as never);
    await tracker.report(
      runEvent({ run_id: "a", task: "PROJ-9" }),
      runEvent({ run_id: "a", kind: "run.finished", cost_equiv: 1.25 }),
      runEvent({
        kind: "pr.opened",
        actor: "human:mara",
        pr: 40,
        task: "PROJ-9",
        summary: "PR #40 opened: Coast",
      }),
      runEvent({ run_id: "b", pr: 40 }),
    );
    await tracker.upload({ project: "atlas", title: "Coast", task: "proj-9" });
    await tracker.upload({ project: "atlas", title: "Shore", pr: "40" });
    const { tasks } = await tracker.get<{ tasks: ListedTask[] }>("/tasks?project=atlas");
    expect(tasks).toMatchObject([
      {
        issue: null,
        task: "PROJ-9",
        pr: null,
        title: "Draw the coast",
        state: "open",
        stage: "running",
        pulls: [{ number: 40 }],
        runs: 2,
        versions: 2,
        cost_equiv: 1.25,
      },
    ]);
    expect(tasks).toHaveLength(1);
    const { columns } = await tracker.get<TaskBoard>("/tasks/board?project=atlas");
    expect(columns.flatMap(({ stage, tasks }) => tasks.map(({ task }) => [stage, task]))).toEqual([
      ["running", "PROJ-9"],
    ]);
    await tracker.report(runEvent({ run_id: "c", task: "PROJ-10" }));
    type Found = { tasks: ListedTask[]; next_cursor: string };
    const first = await tracker.get<Found>("/tasks?limit=1");
    const second = await tracker.get<Found>(`/tasks?limit=1&cursor=${first.next_cursor}`);
    expect([...first.tasks, ...second.tasks].map(({ task }) => task).toSorted()).toEqual([
      "PROJ-10",
      "PROJ-9",
    ]);
    const { runs } = await tracker.get<{ runs: Run[] }>("/runs?task=PROJ-9");
    expect(runs.map(({ id, issue, task }) => [id, issue, task])).toEqual([
      ["b", null, "PROJ-9"],
      ["a", null, "PROJ-9"],
    ]);
    const { assets } = await tracker.get<{ assets: Asset[] }>("/assets?task=PROJ-9");
    expect(assets.map(({ title, issue, task }) => [title, issue, task])).toEqual([["Coast", null, "PROJ-9"]]);
    await expectConsistent(tracker.ctx.data);
  });

  test("brings its rejections into the next brief of the task, and names who works on it", async () => {
    await using tracker = await openTracker(dialect);
    await tracker.report(runEvent({ run_id: "a", task: "PROJ-5", branch: "PROJ-5-coast" }));
    const { body } = await tracker.upload({ project: "atlas", title: "Coast", task: "PROJ-5" });
    const other = await tracker.upload({ project: "atlas", title: "Harbor", issue: "5" });
    await tracker.review(other.body.id, { decision: "rejected", note: "The harbor is closed." });
    await tracker.review(body.id, { decision: "rejected", note: "The coast is wrong." });
    const brief = async (query: string) =>
      (await tracker.get<{ text: string }>(`/projects/atlas/brief?${query}`)).text.split("\n\n## ");
    for (const query of ["task=proj-5", "intent=Redraw%20it%2C%20PROJ-5", "branch=feature/PROJ-5-again"]) {
      const parts = await brief(query);
      const rejected = parts.find((part) => part.startsWith("Rejected for task PROJ-5: do not repeat"));
      expect(rejected).toContain("The coast is wrong.");
      expect(rejected).toContain(", task PROJ-5, not replaced yet");
      expect(rejected).not.toContain("harbor");
      expect(parts.find((part) => part.startsWith("Also at work now"))).toContain(
        "works on task PROJ-5, branch",
      );
    }
    expect((await brief("issue=5"))[1]).toContain("Rejected for issue 5");
    const next = await tracker.upload({ project: "atlas", title: "Coast", replaces: body.id });
    expect(next.body).toMatchObject({ version: 2, issue: null, task: "PROJ-5" });
    await expectConsistent(tracker.ctx.data);
  });

  test("is refused with what to change if it is none", async () => {
    await using tracker = await openTracker(dialect);
    for (const task of ["123", "#12", "PROJ 1", "PROJ/1", "-PROJ-1", "", "x".repeat(65), 12])
      expect(await tracker.report(runEvent({ task })), String(task)).toMatchObject({
        status: 400,
        detail: expect.stringContaining("events[0].task must be the key of a task, such as PROJ-123"),
      });
    expect(await tracker.report(runEvent({ task: "PROJ-1", issue: 1 }))).toMatchObject({
      status: 400,
      detail: "events[0].task cannot be given beside an issue: a task is one of both.",
    });
    const both = await tracker.upload({ project: "atlas", title: "Map", task: "PROJ-1", issue: "1" });
    expect(both).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("a task is one of both") },
    });
    expect(await tracker.get("/feed?task=12")).toMatchObject({ status: 400 });
    expect(await tracker.get("/projects/atlas/brief?task=%2312")).toMatchObject({ status: 400 });
  });

  test("links to the tracker of its project, by a URL that is checked", async () => {
    await using tracker = await openTracker(dialect);
    const linkWith = (task_url: string | null) =>
      tracker.change("/projects/atlas", { repo: "acme/atlas", task_url });
    for (const [url, why] of [
      ["javascript:alert('{task}')", "must begin with https:// or http://"],
      ["https://linear.app/acme/issue/", "must have {task} where the key of a task belongs"],
      ["https://{task}.example.com/", "must have {task} after the host"],
      ["https://mara:secret@jira.example.com/{task}", "must not have a user name or a password"],
      ["linear.app/{task}", "must be a URL"],
      ["data:text/html,{task}", "must begin with https:// or http://"],
    ] as const)
      expect(await linkWith(url), url).toMatchObject({ status: 400, detail: expect.stringContaining(why) });
    expect((await linkWith("https://linear.app/acme/issue/{task}")).status).toBe(200);
    const { body } = await tracker.upload({ project: "atlas", title: "Coast", task: "PROJ-5" });
    const { task_url } = await tracker.get<{ task_url: string }>(`/assets/${body.id}`);
    expect(task_url).toBe("https://linear.app/acme/issue/PROJ-5");
    expect((await linkWith(null)).status).toBe(200);
    expect(await tracker.get(`/assets/${body.id}`)).toMatchObject({ task: "PROJ-5", task_url: null });
  });
});
