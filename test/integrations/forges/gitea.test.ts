/** Webhooks of Gitea and Forgejo: exact events, and the signature over the JSON also in form mode. */
import { describe, expect, test } from "bun:test";
import {
  deliverTo,
  fixture,
  forgeDelivery,
  hexHmac,
  linkOn,
  openForgeApp,
  type Payload,
  secretOf,
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

/** An example, of a server with TLS. */
const example = async (name: string, change: (body: Payload) => void = () => {}): Promise<Payload> => {
  const body = JSON.parse(
    JSON.stringify(await fixture(`gitea/${name}`)).replaceAll(
      "http://localhost:3000",
      "https://codeberg.org",
    ),
  );
  change(body);
  return body;
};

async function openLinked(dialect: (typeof dialects)[number]): Promise<TestApp> {
  const app = await openForgeApp(dialect);
  await linkOn(app, "gitea", "codeberg.org", ["atlas", "Example/example"]);
  return app;
}

test.each(["gitea", "forgejo", "gogs"])("headers of the family %s alone are enough", async (family) => {
  await using app = await openLinked("sqlite");
  const body = await example("issues-event", (body) => {
    body.action = "opened";
  });
  const others = ["x-gitea", "x-github", "x-gogs"].flatMap((prefix) =>
    ["event", "delivery", "signature"].map((name) => [`${prefix}-${name}`, null]),
  );
  const own = {
    [`x-${family}-event`]: "issues",
    [`x-${family}-delivery`]: "1",
    [`x-${family}-signature`]: hexHmac(secretOf("gitea"), JSON.stringify(body)),
  };
  const headers = { ...Object.fromEntries(others), "x-hub-signature-256": null };
  expect(await deliverTo(app, "gitea", body, { headers: { ...headers, ...own } })).toEqual(added);
  const unsigned = { ...headers, ...own, [`x-${family}-signature`]: "" };
  expect((await deliverTo(app, "gitea", body, { headers: unsigned })).status).toBe(401);
});

const base = {
  ...{ project: "atlas", repo: "example/example", actor: "human:example", issue: null, pr: null },
  ...{ duration_ms: null, url: null },
};
const issue = { ...base, issue: 1, url: "https://codeberg.org/example/example/issues/1" };
const pull = { ...base, pr: 2, url: "https://codeberg.org/example/example/pulls/2" };

const workflowRun = {
  action: "completed",
  workflow: { name: "CI" },
  workflow_run: {
    ...{ id: 5, run_number: 9, head_branch: "main", conclusion: "failure", status: "completed" },
    ...{ html_url: "https://codeberg.org/example/example/actions/runs/9", display_title: "Fix the map" },
    ...{ started_at: "2026-03-01T12:00:00Z", completed_at: "2026-03-01T12:01:01Z" },
  },
};

const cases: [event: string, body: () => Promise<Payload>, expected: Json][] = [
  [
    "issues",
    () => example("issues-event"),
    { ...issue, kind: "issue.opened", summary: "Issue #1 opened: example" },
  ],
  [
    "issues",
    () => example("issue-label-event"),
    { ...issue, kind: "issue.labeled", summary: "Issue #1 labeled bug: example" },
  ],
  [
    "issues",
    () => example("issues-event", (body) => Object.assign(body, { action: "closed" })),
    { ...issue, kind: "issue.closed", summary: "Issue #1 closed: example" },
  ],
  [
    "pull_request",
    () => example("pull-request-event"),
    { ...pull, kind: "pr.opened", actor: "human:example2", summary: "PR #2 opened: update" },
  ],
  [
    "pull_request_comment",
    () => example("pull-request-review-event"),
    { ...pull, kind: "pr.review", summary: "PR #2 commented: 123" },
  ],
  [
    "pull_request_rejected",
    () =>
      example("pull-request-review-event", ({ review }) =>
        Object.assign(review, { type: "pull_request_review_rejected", content: "" }),
      ),
    { ...pull, kind: "pr.review", summary: "PR #2 changes requested: update" },
  ],
  [
    "pull_request",
    () =>
      example("pull-request-event", (body) => {
        body.action = "closed";
        body.pull_request.merged = true;
      }),
    { ...pull, kind: "pr.merged", actor: "human:example2", summary: "PR #2 merged: update" },
  ],
  [
    "workflow_run",
    async () => {
      const { repository, sender } = await example("issues-event");
      return { ...workflowRun, repository, sender: { ...sender, login: "gitea-actions" } };
    },
    {
      ...{ ...base, kind: "workflow.run", actor: "bot:gitea-actions", duration_ms: 61_000 },
      ...{ summary: "CI #9 on main: failure", url: workflowRun.workflow_run.html_url },
      run_id: "gitea-actions/5",
    },
  ],
];

/** The request of a webhook with the content type `application/x-www-form-urlencoded`. */
const asForm = (event: string, text: string, signature: string): RequestInit =>
  forgeDelivery("gitea", new URLSearchParams({ payload: text }).toString(), {
    event,
    headers: { "content-type": "application/x-www-form-urlencoded", "x-gitea-signature": signature },
  });

describe.each([...dialects])("Gitea webhooks on %s", (dialect) => {
  test("every used event adds exactly its feed event, once", async () => {
    await using app = await openLinked(dialect);
    for (const [event, body, expected] of cases)
      expect([event, await deliverTo(app, "gitea", await body(), { event })]).toEqual([
        ...[event, addedBy(expected)],
      ]);
    for (const [event, body, expected] of cases)
      expect(await deliverTo(app, "gitea", await body(), { event })).toEqual(duplicateOf(expected));
    expect((await withoutRuns(app)).map(contentOf)).toEqual(cases.map(([, , expected]) => expected));
    expect(await repositories(app)).toEqual({ atlas: ["Example/example", 1] });
  });

  test("in form mode the signature is that of the JSON, unlike GitHub's", async () => {
    await using app = await openLinked(dialect);
    const text = JSON.stringify(await example("issues-event"));
    const form = new URLSearchParams({ payload: text }).toString();
    const send = async (signature: string) =>
      (await app.ask("/api/hooks/gitea", asForm("issues", text, signature))).status;
    expect(await send(hexHmac(secretOf("gitea"), form))).toBe(401);
    expect(await send(hexHmac(secretOf("gitea"), text))).toBe(202);
    expect(await deliverTo(app, "gitea", text, { event: "issues" })).toEqual(duplicate);
  });

  test("a missing, empty or wrong signature is a 401, also with a valid one for GitHub", async () => {
    await using app = await openLinked(dialect);
    const text = JSON.stringify(await example("issues-event"));
    const right = hexHmac(secretOf("gitea"), text);
    const signatures = [
      ...[null, "", right.toUpperCase(), right.slice(1), `sha256=${right}`, hexHmac("", text)],
      ...[hexHmac(secretOf("gitea"), `${text}\n`), hexHmac(secretOf("gitea"), text, "sha1")],
    ];
    for (const signature of signatures) {
      const headers = { "x-gitea-signature": signature };
      const { status } = await deliverTo(app, "gitea", text, { event: "issues", headers });
      expect([signature, status]).toEqual([signature, 401]);
    }
    expect(await feedOf(app)).toEqual([]);
  });

  test("a body sent with another event's name adds nothing, and the verdict is that of the body", async () => {
    await using app = await openLinked(dialect);
    const send = (event: string, body: object) => deliverTo(app, "gitea", body, { event });
    expect((await send("pull_request", await example("issues-event"))).status).toBe(400);
    expect((await send("issues", await example("issue-comment-event"))).status).toBe(400);
    expect((await send("issues", await example("pull-request-event"))).status).toBe(400);
    expect((await send("pull_request", await example("pull-request-review-event"))).status).toBe(400);
    expect(await send("pull_request_approved", await example("pull-request-review-event"))).toEqual(added);
    expect((await feedOf(app)).map(({ summary }) => summary)).toEqual(["PR #2 commented: 123"]);
  });

  test("events and actions that are not used are ignored", async () => {
    await using app = await openLinked(dialect);
    const send = (event: string, body: object) => deliverTo(app, "gitea", body, { event });
    expect(await send("push", await example("push-event"))).toEqual(ignored("event push is not used"));
    const pushed = await example("pull-request-event", (body) =>
      Object.assign(body, { action: "synchronized" }),
    );
    expect(await send("pull_request", pushed)).toEqual(ignored("pull_request synchronized is not used"));
    const cleared = await example("issue-label-event", (body) => {
      Object.assign(body, { action: "label_cleared" });
      body.issue.labels = [];
    });
    expect(await send("issues", cleared)).toEqual(ignored("issues label_cleared is not used"));
    const elsewhere = await example("issues-event", ({ repository }) => {
      repository.html_url = "https://gitea.com/example/example";
    });
    expect(await send("issues", elsewhere)).toEqual(
      ignored("repository gitea.com/example/example is not linked"),
    );
  });
});

test("a webhook at the URL of another forge is told its own", async () => {
  await using app = await openForgeApp("sqlite", { SVC_GITHUB_WEBHOOK_SECRET: secretOf("gitea") });
  const delivery = forgeDelivery("gitea", await example("issues-event"), { event: "issues" });
  const atGithub = await app.ask("/api/hooks/github", delivery);
  expect([atGithub.status, await atGithub.text()]).toEqual([
    400,
    expect.stringContaining("/api/hooks/gitea"),
  ]);
  const headers = { "x-gitea-event": null, "x-gogs-event": null };
  const { status } = await deliverTo(app, "gitea", await example("issues-event"), {
    event: "issues",
    headers,
  });
  expect(status).toBe(400);
});
