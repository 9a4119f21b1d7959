/** GitLab webhooks: every used event adds exactly its feed event, once; no event turns the webhook off. */
import { describe, expect, test } from "bun:test";
import { secondMicros } from "../../../src/core/lib/time.ts";
import {
  deliverTo,
  fixture,
  linkOn,
  openForgeApp,
  type Payload,
} from "../../support/forges/forge-deliveries.ts";
import {
  added,
  addedBy,
  contentOf,
  duplicate,
  duplicateOf,
  feedOf,
  ignored,
  type Json,
  repositories,
  withoutRuns,
} from "../../support/forges/github-deliveries.ts";
import { dialects, type TestApp } from "../../support/harness.ts";

const host = "gitlab.example.com:8443";
const repo = "group/sub/project";

/** An example, moved to the linked project. */
const example = (name: string, change: (body: Payload) => void = () => {}): Promise<Payload> =>
  fixture(`gitlab/${name}`, (body) => {
    if (body.project)
      Object.assign(body.project, { id: 7, path_with_namespace: repo, web_url: `https://${host}/${repo}` });
    change(body);
  });

/** Jobs of the example of a pipeline that ended. */
const jobs = 2;

const acted = (name: string, action: string, fields: object = {}) =>
  example(name, ({ object_attributes }) => Object.assign(object_attributes, { action, ...fields }));

async function openLinked(dialect: (typeof dialects)[number]): Promise<TestApp> {
  const app = await openForgeApp(dialect);
  await linkOn(app, "gitlab", host, ["atlas", "Group/Sub/project"]);
  return app;
}

const base = { project: "atlas", repo, issue: null, pr: null, duration_ms: null, url: null };
const title = "New API: create/update/delete file";
const issueUrl = `https://${host}/${repo}/-/issues/23`;

const cases: [title: string, body: () => Promise<Payload>, event: Json][] = [
  [
    "an opened issue",
    () => acted("issue", "open", { url: issueUrl }),
    {
      ...{ ...base, kind: "issue.opened", actor: "human:root", issue: 23, url: issueUrl },
      summary: `Issue #23 opened: ${title}`,
    },
  ],
  [
    "a label",
    () => acted("issue", "update"),
    {
      ...{ ...base, kind: "issue.labeled", actor: "human:root", issue: 23 },
      summary: `Issue #23 labeled Platform: ${title}`,
    },
  ],
  [
    "a closed incident, which is a work item",
    () => acted("issue", "close").then((body) => ({ ...body, object_kind: "work_item" })),
    {
      ...{ ...base, kind: "issue.closed", actor: "human:root", issue: 23 },
      summary: `Issue #23 closed: ${title}`,
    },
  ],
  [
    "an opened merge request",
    () => acted("merge_request", "open"),
    { ...{ ...base, kind: "pr.opened", actor: "human:user1", pr: 1 }, summary: "MR !1 opened: MS-Viewport" },
  ],
  [
    "an approval by a project's access token",
    () =>
      acted("merge_request", "approval").then((body) => ({
        ...body,
        user: { id: 9, username: "project_7_bot_4f" },
      })),
    {
      ...{ ...base, kind: "pr.review", actor: "bot:project_7_bot_4f", pr: 1 },
      summary: "MR !1 approved: MS-Viewport",
    },
  ],
  [
    "a merge",
    () => acted("merge_request", "merge"),
    { ...{ ...base, kind: "pr.merged", actor: "human:user1", pr: 1 }, summary: "MR !1 merged: MS-Viewport" },
  ],
  [
    "a finished pipeline of a merge request",
    () => example("pipeline", ({ merge_request }) => Object.assign(merge_request, { target_project_id: 7 })),
    {
      ...{ ...base, kind: "workflow.run", actor: "human:user1", pr: 1, duration_ms: 63_000 },
      ...{ summary: "Pipeline #31 on master: success", url: `https://${host}/${repo}/-/pipelines/31` },
      run_id: "gitlab-ci/31",
    },
  ],
  [
    "a pipeline of a fork's merge request",
    () =>
      example("pipeline", ({ object_attributes }) =>
        Object.assign(object_attributes, { id: 32, status: "failed", name: "Nightly" }),
      ),
    {
      ...{ ...base, kind: "workflow.run", actor: "human:user1", duration_ms: 63_000 },
      ...{ summary: "Nightly #32 on master: failed", url: `https://${host}/${repo}/-/pipelines/32` },
      run_id: "gitlab-ci/32",
    },
  ],
  [
    "a deployment",
    () => example("deployment"),
    {
      ...{ ...base, kind: "preview.ready", actor: "human:user1" },
      ...{ summary: "Preview ready in staging", url: "https://staging.example.com/" },
    },
  ],
  [
    "a failed deployment to production without a user",
    () =>
      example("deployment", (body) =>
        Object.assign(body, {
          status: "failed",
          environment: "eu",
          environment_tier: "production",
          deployment_id: 16,
          user: null,
        }),
      ),
    {
      ...{ ...base, kind: "preview.failed", actor: "bot:gitlab" },
      ...{ summary: "Deployment to eu failed", url: "https://staging.example.com/" },
    },
  ],
];

describe.each([...dialects])("GitLab webhooks on %s", (dialect) => {
  test("every used event adds exactly its feed event, and open issues are counted", async () => {
    await using app = await openLinked(dialect);
    for (const [what, body, event] of cases)
      expect([what, await deliverTo(app, "gitlab", await body())]).toEqual([what, addedBy(event, jobs)]);
    expect((await withoutRuns(app)).map(contentOf)).toEqual(cases.map(([, , event]) => event));
    expect(await repositories(app)).toEqual({ atlas: ["Group/Sub/project", 7] });
  });

  test("a change adds one event, whatever webhook, delivery id or form of its time tells it", async () => {
    await using app = await openLinked(dialect);
    for (const [, body, event] of cases)
      expect(await deliverTo(app, "gitlab", await body())).toEqual(addedBy(event, jobs));
    for (const [, body, event] of cases) {
      const again = duplicateOf(event, jobs);
      expect(await deliverTo(app, "gitlab", await body())).toEqual(again);
      expect(await deliverTo(app, "gitlab", { ...(await body()), extra: 1 })).toEqual(again);
    }
    const pipeline = await example("pipeline", ({ object_attributes, merge_request }) => {
      object_attributes.finished_at = "2016-08-12T17:26:29.000+02:00";
      merge_request.target_project_id = 7;
    });
    expect(await deliverTo(app, "gitlab", pipeline)).toEqual(duplicateOf({ kind: "workflow.run" }, jobs));
    expect(await withoutRuns(app)).toHaveLength(cases.length);
  });

  test("the same delivery id adds nothing a second time", async () => {
    await using app = await openLinked(dialect);
    const headers = { "idempotency-key": "f5e5f430-f57b-4e6e-9fac-d9128cd7232f" };
    expect(await deliverTo(app, "gitlab", await acted("issue", "open"), { headers })).toEqual(added);
    expect(await deliverTo(app, "gitlab", await acted("issue", "close"), { headers })).toEqual(duplicate);
  });

  test("two people's approvals in one second are two reviews", async () => {
    await using app = await openLinked(dialect);
    for (const id of [1, 2]) {
      const body = await acted("merge_request", "approval");
      expect(await deliverTo(app, "gitlab", { ...body, user: { id, username: `user${id}` } })).toEqual(added);
    }
  });

  test("what is not used, or not as expected, is accepted and ignored: a refusal would turn the webhook off", async () => {
    await using app = await openLinked(dialect);
    const send = (body: object) => deliverTo(app, "gitlab", body);
    for (const name of ["push", "note_merge_request"]) {
      const body = await example(name);
      expect(await send(body)).toEqual(ignored(`event ${body.object_kind} is not used`));
    }
    const waiting = await example("job", (body) => Object.assign(body, { build_status: "pending" }));
    expect(await send(waiting)).toEqual(ignored("build pending is not used"));
    expect(await send(await acted("merge_request", "update"))).toEqual(
      ignored("merge_request update is not used"),
    );
    const pending = await example("pipeline", ({ object_attributes }) => {
      object_attributes.status = "pending";
    });
    expect(await send(pending)).toEqual(ignored("pipeline pending is not used"));
    for (const body of [{}, { object_kind: 7 }, { object_kind: "__proto__" }, { object_kind: "toString" }])
      expect(await send(body)).toMatchObject({ status: 202, body: { accepted: 0 } });
    // An epic belongs to a group.
    const { project: _, ...epic } = await acted("issue", "open");
    expect(await send({ ...epic, object_kind: "work_item" })).toEqual(
      ignored("The body does not match object_kind: work_item. Missing or invalid: /project."),
    );
    expect(await feedOf(app)).toEqual([]);
    const metrics = await (await app.ask("/metrics")).text();
    expect(metrics).toContain('svc_webhook_ignored_total{sender="gitlab",reason="action"} 3\n');
  });

  test("a repository of this name on another host or forge is not the linked one", async () => {
    await using app = await openForgeApp(dialect);
    await linkOn(app, "gitlab", "gitlab.com", ["public", repo]);
    await linkOn(app, "gitea", host, ["gitea", "group/project"]);
    expect(await deliverTo(app, "gitlab", await acted("issue", "open"))).toEqual(
      ignored(`repository ${host}/${repo} is not linked`),
    );
    await linkOn(app, "gitlab", host, ["own", repo]);
    expect(await deliverTo(app, "gitlab", await acted("issue", "open"))).toEqual(added);
    expect((await feedOf(app)).map(({ project }) => project)).toEqual(["own"]);
  });

  test("a moved project keeps its events, by its id", async () => {
    await using app = await openLinked(dialect);
    expect(await deliverTo(app, "gitlab", await acted("issue", "open"))).toEqual(added);
    app.clock.advance(secondMicros);
    const moved = await acted("issue", "close");
    moved.project.path_with_namespace = "elsewhere/project";
    expect(await deliverTo(app, "gitlab", moved)).toEqual(added);
    expect(await repositories(app)).toEqual({ atlas: ["elsewhere/project", 7] });
  });
});
