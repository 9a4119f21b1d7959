/** Bitbucket Cloud's webhooks: exact events. Names of events are not signed, so the body has to fit. */
import { describe, expect, test } from "bun:test";
import {
  deliverTo,
  fixture,
  hexHmac,
  linkOn,
  openForgeApp,
  type Payload,
  secretOf,
} from "../../support/forges/forge-deliveries.ts";
import {
  added,
  contentOf,
  duplicate,
  feedOf,
  ignored,
  type Json,
  repositories,
} from "../../support/forges/github-deliveries.ts";
import { dialects, type TestApp } from "../../support/harness.ts";

/** An example whose placeholders are filled in. */
const example = (name: string, change: (body: Payload) => void = () => {}): Promise<Payload> =>
  fixture(`bitbucket/${name}`, (body) => {
    if (body.pullrequest) body.pullrequest.state = "OPEN";
    if (body.issue) body.issue.state = "new";
    change(body);
  });
const pullIn = (name: string, state: string) => () =>
  example(name, ({ pullrequest }) => Object.assign(pullrequest, { state }));
const issueTo = (before: string, after: string) => () =>
  example("issue-updated", ({ issue, changes }) => {
    changes.status = { old: before, new: after };
    issue.updated_on = `2026-03-01T12:00:0${before.length}+00:00`;
  });

async function openLinked(dialect: (typeof dialects)[number]): Promise<TestApp> {
  const app = await openForgeApp(dialect);
  await linkOn(app, "bitbucket", "bitbucket.org", ["atlas", "team_name/repo_name"]);
  return app;
}

const base = {
  ...{ project: "atlas", repo: "team_name/repo_name", actor: "human:emmap1", issue: null, pr: null },
  ...{ duration_ms: null, url: null },
};
const issue = { ...base, issue: 1, url: "https://api.bitbucket.org/issue_id" };
const pull = { ...base, pr: 1, url: "https://api.bitbucket.org/pullrequest_id" };
const title = "Title of pull request";

const cases: [event: string, body: () => Promise<Payload>, expected: Json][] = [
  [
    "issue:created",
    () => example("issue-created"),
    { ...issue, kind: "issue.opened", summary: "Issue #1 opened: Issue title" },
  ],
  [
    "issue:updated",
    issueTo("open", "resolved"),
    { ...issue, kind: "issue.closed", summary: "Issue #1 closed: Issue title" },
  ],
  [
    "issue:updated",
    issueTo("resolved", "open"),
    { ...issue, kind: "issue.opened", summary: "Issue #1 reopened: Issue title" },
  ],
  [
    "pullrequest:created",
    pullIn("pull-request-created", "OPEN"),
    { ...pull, kind: "pr.opened", summary: `PR #1 opened: ${title}` },
  ],
  [
    "pullrequest:approved",
    pullIn("pull-request-approved", "OPEN"),
    { ...pull, kind: "pr.review", summary: `PR #1 approved: ${title}` },
  ],
  [
    "pullrequest:rejected",
    pullIn("pull-request-declined", "DECLINED"),
    { ...pull, kind: "pr.closed", summary: `PR #1 declined: ${title}` },
  ],
  [
    "pullrequest:fulfilled",
    pullIn("pull-request-merged", "MERGED"),
    { ...pull, kind: "pr.merged", summary: `PR #1 merged: ${title}` },
  ],
  [
    "repo:commit_status_updated",
    () => example("repo-commit-status-updated"),
    {
      ...{ ...base, kind: "workflow.run", summary: "Unit Tests (Python): successful" },
      url: "https://my-build-tool.com/builds/MY-PROJECT/BUILD-792",
    },
  ],
];

describe.each([...dialects])("Bitbucket webhooks on %s", (dialect) => {
  test("every used event adds exactly its feed event, once", async () => {
    await using app = await openLinked(dialect);
    for (const [event, body] of cases)
      expect([event, await deliverTo(app, "bitbucket", await body(), { event })]).toEqual([event, added]);
    for (const [event, body] of cases)
      expect(await deliverTo(app, "bitbucket", await body(), { event })).toEqual(duplicate);
    expect((await feedOf(app)).map(contentOf)).toEqual(cases.map(([, , expected]) => expected));
    expect(await repositories(app)).toEqual({ atlas: ["team_name/repo_name", 0x673a60703421] });
  });

  test("a body sent with another event's name adds nothing", async () => {
    await using app = await openLinked(dialect);
    const names = [...new Set(cases.map(([event]) => event))];
    for (const [event, body] of cases)
      for (const other of names.filter((name) => name !== event))
        expect([
          event,
          other,
          (await deliverTo(app, "bitbucket", await body(), { event: other })).status,
        ]).toEqual([event, other, 400]);
    expect(await feedOf(app)).toEqual([]);
  });

  test("a missing, empty or wrong signature is a 401", async () => {
    await using app = await openLinked(dialect);
    const text = JSON.stringify(await example("issue-created"));
    const right = hexHmac(secretOf("bitbucket"), text);
    for (const signature of [null, "", "sha256=", right, `sha1=${right}`, `sha256=${hexHmac("x", text)}`]) {
      const { status } = await deliverTo(app, "bitbucket", text, {
        ...{ event: "issue:created", headers: { "x-hub-signature": signature } },
      });
      expect([signature, status]).toEqual([signature, 401]);
    }
  });

  test("what is not used is ignored", async () => {
    await using app = await openLinked(dialect);
    const send = async (event: string, name: string) =>
      deliverTo(app, "bitbucket", await example(name), { event });
    expect(await send("repo:push", "repo-push")).toEqual(ignored("event repo:push is not used"));
    expect(await send("issue:updated", "issue-updated")).toEqual(
      ignored("issue:updated updated is not used"),
    );
    expect(await send("repo:commit_status_created", "repo-commit-status-created")).toEqual(
      ignored("repo:commit_status_created inprogress is not used"),
    );
  });
});
