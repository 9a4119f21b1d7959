/** Pipelines of GitLab and workflows of Gitea are runs, whatever webhooks tell their jobs. */
import { describe, expect, test } from "bun:test";
import {
  deliverTo,
  fixture,
  linkOn,
  openForgeApp,
  type Payload,
} from "../../support/forges/forge-deliveries.ts";
import { dialects, storedEvents, type TestApp } from "../../support/harness.ts";
import { runRowsOf, wrongRuns } from "../../support/memory/runs.ts";

const host = "gitlab.example.com";
const repo = "group/project";

const pipeline = (fields: object = {}): Promise<Payload> =>
  fixture("gitlab/pipeline", (body) => {
    Object.assign(body.project, { id: 7, path_with_namespace: repo, web_url: `https://${host}/${repo}` });
    Object.assign(body.object_attributes, fields);
  });

/** GitLab's example of a job, whose body names its project as older versions do. */
const job = (fields: object = {}): Promise<Payload> =>
  fixture("gitlab/job", (body) => {
    body.repository.homepage = `https://${host}/${repo}`;
    Object.assign(body, { project_id: 7, pipeline_id: 31, build_id: 378, build_name: "test-build" });
    Object.assign(body, { build_finished_at: "2016-08-12 15:26:29 UTC", build_duration: 17, ...fields });
  });

const eventRowsOf = async (app: TestApp) =>
  (await storedEvents(app.url)).map(({ kind, summary, url, pr, duration_ms, run_id, dedupe_key }) => ({
    ...{ kind, summary, url, pr, duration_ms, run_id, dedupe_key },
  }));

async function openGitlab(dialect: (typeof dialects)[number]): Promise<TestApp> {
  const app = await openForgeApp(dialect);
  await linkOn(app, "gitlab", host, ["atlas", repo]);
  return app;
}

describe.each([...dialects])("on %s", (dialect) => {
  test("a GitLab pipeline is one run with the jobs that ran", async () => {
    await using app = await openGitlab(dialect);
    for (const body of [await pipeline({ status: "running" }), await pipeline()])
      expect((await deliverTo(app, "gitlab", body)).status).toBe(202);
    const [run, ...others] = await runRowsOf(app.url);
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      ...{ id: "gitlab-ci/31", actor: "runner:gitlab-ci", status: "finished", steps: 2, duration_ms: 63_000 },
      summary: "Pipeline #31 on master: success",
    });
  });

  test("a GitLab pipeline is of the issue in its branch, which a merge request names, but no fork", async () => {
    for (const [request, ref, issue] of [
      [null, "42-login", 42],
      [{ iid: 1, source_project_id: 7, source_branch: "42-login" }, "refs/merge-requests/1/head", 42],
      [{ iid: 1, source_project_id: 8, source_branch: "42-login" }, "42-login", null],
    ] as const) {
      await using app = await openGitlab(dialect);
      await deliverTo(app, "gitlab", { ...(await pipeline({ ref })), merge_request: request });
      expect(await runRowsOf(app.url)).toMatchObject([{ issue }]);
    }
  });

  test("GitLab's jobs are the same whether their own webhook tells them, or their pipeline's", async () => {
    const outcomes: unknown[] = [];
    const [running, failed] = [
      await pipeline({ status: "running" }),
      await pipeline({ status: "failed", finished_at: "2016-08-12T15:27:00Z" }),
    ];
    for (const list of [
      [running, failed],
      [await job(), failed, running],
      [failed, await job(), failed],
    ]) {
      await using app = await openGitlab(dialect);
      for (const body of list) expect((await deliverTo(app, "gitlab", body)).status).toBe(202);
      outcomes.push({ runs: await runRowsOf(app.url), events: await eventRowsOf(app) });
      expect(await wrongRuns(app.ctx.data)).toEqual([]);
    }
    expect(outcomes[0]).toMatchObject({ runs: [{ status: "failed", steps: 2 }] });
    for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
  });

  test("a GitLab job alone is no run, and says why it failed", async () => {
    await using app = await openGitlab(dialect);
    const failed = await job({ build_status: "failed", build_failure_reason: "script_failure" });
    expect(await deliverTo(app, "gitlab", failed)).toMatchObject({ body: { accepted: 1 } });
    expect(await runRowsOf(app.url)).toEqual([]);
    expect(await eventRowsOf(app)).toMatchObject([
      { summary: "Job test-build: failed at script failure", url: `https://${host}/${repo}/-/jobs/378` },
    ]);
  });

  test("a workflow of Gitea is one run, and its jobs are steps", async () => {
    await using app = await openForgeApp(dialect);
    await linkOn(app, "gitea", "codeberg.org", ["atlas", "example/example"]);
    const common = {
      repository: { id: 1, full_name: "example/example", html_url: "https://codeberg.org/example/example" },
      sender: { id: 2, login: "gitea-actions" },
    };
    // Gitea writes a missing time so.
    const never = "0001-01-01T00:00:00Z";
    const run = (action: string, fields: object) => ({
      ...{ ...common, action, workflow: { name: "CI" } },
      workflow_run: {
        ...{ id: 5, run_number: 9, head_branch: "main", started_at: "2026-02-27T12:00:00+01:00" },
        ...{ completed_at: never, conclusion: "", ...fields },
      },
    });
    const job = {
      ...{ ...common, action: "completed" },
      workflow_job: {
        ...{ id: 8, run_id: 5, name: "test", conclusion: "failure", steps: null },
        ...{ started_at: "2026-02-27T12:00:05+01:00", completed_at: "2026-02-27T12:00:35+01:00" },
      },
    };
    const send = async (event: string, body: object) =>
      (await deliverTo(app, "gitea", body, { event })).body.accepted;
    const end = { conclusion: "failure", completed_at: "2026-02-27T12:01:01+01:00" };
    expect(await send("workflow_run", run("requested", { started_at: never }))).toBe(0);
    expect(await send("workflow_job", job)).toBe(1);
    expect(await send("workflow_run", run("in_progress", {}))).toBe(1);
    expect(await send("workflow_run", run("completed", end))).toBe(2);
    expect(await runRowsOf(app.url)).toMatchObject([
      {
        id: "gitea-actions/5",
        actor: "runner:gitea-actions",
        status: "failed",
        steps: 1,
        duration_ms: 61_000,
      },
    ]);
  });
});
