/** A pipeline of a linked repository is one run, whatever order its webhooks arrive in. */
import { describe, expect, test } from "bun:test";
import type { Run } from "../../../src/feed/runs/schema.ts";
import type { Brief } from "../../../src/overview/brief/schema.ts";
import type { RunDetail } from "../../../src/overview/runs/schema.ts";
import type { Today } from "../../../src/overview/today/schema.ts";
import { addedBy, deliver, feedOf, ignored, openLinked } from "../../support/forges/github-deliveries.ts";
import { example, type Payload } from "../../support/forges/github-webhooks.ts";
import { dialects, scaled, storedEvents, type TestApp } from "../../support/harness.ts";
import { runRowsOf, wrongRuns } from "../../support/memory/runs.ts";
import { seededRandom } from "../../support/random.ts";

type Delivered = [event: string, body: Payload];

const id = 289782451;
const runId = `github-actions/${id}/1`;
const random = seededRandom(23);

/** A body of `workflow_run` in the linked repository. */
const workflow = (action: string, fields: object = {}): Delivered => [
  "workflow_run",
  example("workflow_run", "completed", (body) => {
    const { repository, workflow_run } = body;
    body.action = action;
    Object.assign(workflow_run, {
      ...{ id, name: "CI", run_number: 7, run_attempt: 1, head_branch: "fix/retry" },
      ...{ run_started_at: "2026-02-27T09:00:00Z", updated_at: "2026-02-27T09:00:01Z", conclusion: null },
      pull_requests: [{ number: 12, base: { repo: { id: repository.id } } }],
      head_repository: { id: repository.id },
      ...fields,
    });
  }),
];
const completed = workflow("completed", { conclusion: "failure", updated_at: "2026-02-27T09:05:00Z" });

/** A body of `workflow_job`, as GitHub's example of a job that failed at one of its steps. */
const job = (jobId: number, name: string, fields: object = {}, action = "completed"): Delivered => [
  "workflow_job",
  example("workflow_job", "completed", (body) => {
    body.action = action;
    Object.assign(body.workflow_job, {
      ...{ id: jobId, name, run_id: id, run_attempt: 1, workflow_name: "CI" },
      ...{ started_at: "2026-02-27T09:00:10Z", completed_at: `2026-02-27T09:0${jobId}:00Z`, ...fields },
    });
  }),
];
const jobs = [job(1, "lint"), job(2, "test", { conclusion: "success", steps: [] })];

const deliveries: Delivered[] = [
  ...[workflow("requested"), job(1, "lint", {}, "queued"), job(1, "lint", {}, "in_progress")],
  ...[workflow("in_progress"), ...jobs, job(3, "deploy", { conclusion: "skipped" }), completed],
];

const deliverAll = async (app: TestApp, list: readonly Delivered[]) => {
  for (const [name, body] of list) expect((await deliver(app, name, body)).status).toBe(202);
};

const runsOf = async (app: TestApp): Promise<Run[]> =>
  ((await (await app.ask("/api/v1/runs")).json()) as { runs: Run[] }).runs;

/** The rows of events that do not depend on the time of their arrival. */
const eventRowsOf = async (app: TestApp) =>
  (await storedEvents(app.url)).map(({ id: _id, ts: _ts, payload, ...row }) => ({
    ...row,
    payload: row.kind === "workflow.run" ? null : payload,
  }));

describe.each([...dialects])("a GitHub pipeline on %s", (dialect) => {
  test("is one run: its jobs are steps, and its failure is the run's", async () => {
    await using app = await openLinked(dialect);
    await deliverAll(app, deliveries);
    const [run, ...others] = await runsOf(app);
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      ...{ id: runId, project: "hello", pr: 12, actor: "runner:github-actions", status: "failed" },
      ...{ steps: 2, tokens_in: 0, cost_equiv: 0, duration_ms: 300_000 },
      ...{ started_at: "2026-02-27T09:00:00.000000Z", ended_at: "2026-02-27T09:05:00.000000Z" },
      summary: "CI #7 on fix/retry: failure",
    });
    const detail = (await (await app.ask(`/api/v1/runs/${encodeURIComponent(runId)}`)).json()) as RunDetail;
    expect(detail.events.map(({ kind, summary, duration_ms }) => [kind, summary, duration_ms])).toEqual([
      ["run.started", "CI #7 on fix/retry started", null],
      ["step.usage", "Job lint of CI: failure at Run yarn run format-check", 50_000],
      ["step.usage", "Job test of CI: success", 110_000],
      ["run.failed", "CI #7 on fix/retry: failure", 300_000],
      ["workflow.run", "CI #7 on fix/retry: failure", 300_000],
    ]);
  });

  test("has the same rows whatever deliveries are late, repeated, or missing at the start", async () => {
    const outcomes: unknown[] = [];
    for (let round = 0; round < scaled(5, 60); round++) {
      await using app = await openLinked(dialect);
      const repeated = [...deliveries, ...deliveries.filter(() => random.chance(0.3))];
      const shuffled = round === 0 ? deliveries : round === 1 ? [...jobs, completed] : shuffle(repeated);
      await deliverAll(app, shuffled);
      outcomes.push({ events: await eventRowsOf(app), runs: await runRowsOf(app.url) });
      expect(await wrongRuns(app.ctx.data)).toEqual([]);
      expect(await app.ctx.data.findInconsistencies()).toEqual([]);
      await app.ctx.data.rebuildDerivedRows(["runs"]);
      outcomes.push({ events: await eventRowsOf(app), runs: await runRowsOf(app.url) });
    }
    for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
  });

  test("is no run while only its jobs are told, and gets them when it begins", async () => {
    await using app = await openLinked(dialect);
    await deliverAll(app, jobs);
    expect(await runsOf(app)).toEqual([]);
    expect((await feedOf(app)).map(({ kind, run_id }) => [kind, run_id])).toEqual([
      ["step.usage", runId],
      ["step.usage", runId],
    ]);
    expect(await app.ctx.data.findInconsistencies()).toEqual([]);
    await deliverAll(app, [workflow("in_progress")]);
    expect(await runsOf(app)).toMatchObject([{ id: runId, status: "running", steps: 2 }]);
  });

  test("that is run again is another run; one that timed out failed, a canceled one did not", async () => {
    await using app = await openLinked(dialect);
    await deliverAll(app, [completed]);
    const times = { run_started_at: "2026-02-27T10:00:00Z", updated_at: "2026-02-27T10:01:00Z" };
    const again = { run_attempt: 2, ...times };
    await deliverAll(app, [workflow("completed", { ...again, conclusion: "cancelled" })]);
    const last = { run_attempt: 3, conclusion: "timed_out" };
    await deliverAll(app, [workflow("completed", { ...times, ...last })]);
    expect((await runsOf(app)).map(({ id, status }) => [id, status])).toEqual([
      [`github-actions/${id}/3`, "failed"],
      [`github-actions/${id}/2`, "finished"],
      [runId, "failed"],
    ]);
  });

  test("is on Today only if it failed, and does not count as a run of an agent", async () => {
    await using app = await openLinked(dialect);
    const success = { id: 5, run_number: 8, conclusion: "success", head_branch: "main" };
    await deliverAll(app, [...deliveries, workflow("completed", success), workflow("requested", { id: 6 })]);
    const today = (await (await app.ask("/api/v1/today")).json()) as Today;
    expect([today.running.count, today.finished.count, today.lost.count]).toEqual([0, 0, 0]);
    expect(today.failures.events.map(({ summary }) => summary)).toEqual(["CI #7 on fix/retry: failure"]);
    await deliverAll(app, [workflow("completed", { ...success, id: 9, head_branch: "fix/retry" })]);
    const repaired = (await (await app.ask("/api/v1/today")).json()) as Today;
    expect(repaired.failures.events).toEqual([]);
    const usage = (await (await app.ask("/api/v1/usage")).json()) as { total: object };
    expect(usage.total).toMatchObject({ runs: 0, failures: 0 });
    expect(await runsOf(app)).toHaveLength(4);
  });

  test("is of the issue in the name of its branch, and in the brief of that issue alone", async () => {
    await using app = await openLinked(dialect);
    await deliverAll(app, [
      workflow("completed", { id: 5, conclusion: "failure", head_branch: "fix/42-retry" }),
      workflow("completed", {
        ...{ id: 6, conclusion: "failure", head_branch: "fix/43-retry", head_repository: { id: 1 } },
        pull_requests: [],
      }),
    ]);
    const issues = (await runsOf(app)).map(({ issue }) => issue);
    expect(issues.toSorted()).toEqual([42, null]); // not that of a fork's branch
    const failures = async (query: string) => {
      const { text } = (await (await app.ask(`/api/v1/projects/hello/brief${query}`)).json()) as Brief;
      return text.split("\n").filter((line) => line.includes("run.failed"));
    };
    expect(await failures("?issue=42")).toEqual([expect.stringContaining("CI #7 on fix/42-retry: failure")]);
    expect([await failures("?issue=43"), await failures("")]).toEqual([[], []]);
  });

  test("ignores jobs that were skipped or have not ended, and other actions", async () => {
    await using app = await openLinked(dialect);
    const [name, skipped] = job(3, "deploy", { conclusion: "skipped" });
    expect(await deliver(app, name, skipped)).toEqual(ignored("workflow_job skipped is not used"));
    const [, queued] = job(3, "deploy", { conclusion: null }, "queued");
    expect(await deliver(app, name, queued)).toEqual(ignored("workflow_job queued is not used"));
    const [event, other] = workflow("rerequested");
    expect(await deliver(app, event, other)).toEqual(ignored("workflow_run rerequested is not used"));
    expect(await deliver(app, event, completed[1])).toEqual(addedBy({ kind: "workflow.run" }));
  });
});

const shuffle = <T>(list: readonly T[]): T[] =>
  list
    .map((one) => ({ one, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one);
