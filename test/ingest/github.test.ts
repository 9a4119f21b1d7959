import { describe, expect, test } from "bun:test";
import { openData } from "../../db/open.ts";
import { buildApp } from "../../src/app.ts";
import { Event, type FeedPage } from "../../src/feed/schema.ts";
import { secondMicros } from "../../src/lib/time.ts";
import { checker } from "../../src/lib/validate.ts";
import {
  delivery,
  type Example,
  example,
  examples,
  names,
  type Payload,
  secret,
  sign,
} from "../support/github-webhooks.ts";
import { dialects, link, openApp, rowsOf, type TestApp } from "../support/harness.ts";

type Json = Record<string, unknown>;

const env = { SVC_GITHUB_WEBHOOK_SECRET: secret, SVC_PUBLIC_READ: "1" };

/** Actions that add an event; for a deployment status, its state. */
const mapped = new Set([
  ...[
    "issues opened",
    "issues reopened",
    "issues labeled",
    "issues closed",
    "issues deleted",
    "issues transferred",
  ],
  ...["pull_request opened", "pull_request reopened", "pull_request closed"],
  ...["pull_request_review submitted", "workflow_run completed"],
  ...["deployment_status success", "deployment_status failure", "deployment_status error"],
]);
const isMapped = ({ name, body }: Pick<Example, "name" | "body">) =>
  mapped.has(`${name} ${body.deployment_status?.state ?? body.action}`);

const formOf = (name: string, text: string, headers: Record<string, string> = {}): RequestInit =>
  delivery(name, text, { "content-type": "application/x-www-form-urlencoded", ...headers });
/** In GitHub's default encoding. */
const asForm = (name: string, body: unknown): RequestInit =>
  formOf(name, new URLSearchParams({ payload: JSON.stringify(body) }).toString());

async function deliver(
  app: TestApp,
  ...args: Parameters<typeof delivery>
): Promise<{ status: number; body: Json }> {
  const response = await app.ask("/api/hooks/github", delivery(...args));
  return { status: response.status, body: (await response.json()) as Json };
}

const added = { status: 202, body: { accepted: 1, duplicates: 0 } };
const duplicate = { status: 202, body: { accepted: 0, duplicates: 1 } };
const ignored = (reason: string) => ({ status: 202, body: { accepted: 0, duplicates: 0, ignored: reason } });

/** Returns the whole feed, oldest first, and checks each event against its schema. */
async function feedOf(app: TestApp): Promise<Event[]> {
  const response = await app.ask("/api/v1/feed?limit=200");
  const { events } = (await response.json()) as FeedPage;
  for (const event of events) expect(checker(Event).Errors(event).First()).toBeUndefined();
  return events.reverse();
}

/** Returns an event without the fields that svc sets or a webhook cannot contain. */
function contentOf(event: Event): Json {
  const {
    id: _,
    ts: __,
    tokens_in,
    tokens_out,
    cache_read,
    cache_write,
    cost_equiv,
    lane,
    model,
    subscription,
    ...rest
  } = event;
  expect([tokens_in, tokens_out, cache_read, cache_write, cost_equiv, lane, model, subscription]).toEqual([
    0,
    0,
    0,
    0,
    0,
    null,
    null,
    null,
  ]);
  return rest;
}

/** Returns the repository name and id of each project. */
async function repositories(app: TestApp): Promise<Json> {
  const rows = await rowsOf(app.url, "select slug, repo, repo_id from projects");
  return Object.fromEntries(
    rows.map(({ slug, repo, repo_id }) => [slug, [repo, repo_id === null ? null : Number(repo_id)]]),
  );
}

async function openLinked(dialect: (typeof dialects)[number]): Promise<TestApp> {
  const app = await openApp(dialect, env);
  // In other case than the deliveries use.
  await link(app.ctx.data, "hello", "codertocat/HELLO-world");
  await link(app.ctx.data, "octo", "octo-org/octo-repo");
  return app;
}

const codertocat = { actor: "human:Codertocat", issue: null, pr: null, duration_ms: null, url: null };
const hello = { ...codertocat, project: "hello", repo: "Codertocat/Hello-World" };
const octo = { ...codertocat, project: "octo", repo: "octo-org/octo-repo" };
const github = "https://github.com/Codertocat/Hello-World";
const enterprise = "https://octocoders.github.io/Codertocat/Hello-World";
const typo = "Spelling error in the README file";
const readme = "Update the README with new information.";

/** The events of all examples, in order. */
const eventsOfExamples: Json[] = [
  { ...hello, kind: "preview.ready", summary: "Deployment to production succeeded" },
  {
    ...hello,
    kind: "issue.closed",
    summary: `Issue #1 deleted: ${typo}`,
    issue: 1,
    url: `${github}/issues/1`,
  },
  {
    ...hello,
    kind: "issue.labeled",
    summary: `Issue #1 labeled bug: ${typo}`,
    issue: 1,
    url: `${github}/issues/1`,
  },
  {
    ...hello,
    kind: "issue.opened",
    summary: `Issue #1 opened: ${typo}`,
    issue: 1,
    url: `${github}/issues/1`,
  },
  {
    ...hello,
    kind: "issue.opened",
    summary: `Issue #1 reopened: ${typo}`,
    issue: 1,
    url: `${github}/issues/1`,
  },
  {
    ...{
      ...octo,
      kind: "issue.closed",
      summary: "Issue #1 transferred to Codertocat/Hello-World: Update package.json",
      issue: 1,
    },
    url: "https://github.com/octo-org/hello-world-npm/pull/1",
  },
  { ...hello, kind: "pr.opened", summary: `PR #2 opened: ${readme}`, pr: 2, url: `${github}/pull/2` },
  { ...hello, kind: "pr.closed", summary: `PR #2 closed: ${readme}`, pr: 2, url: `${github}/pull/2` },
  { ...hello, kind: "pr.opened", summary: `PR #2 reopened: ${readme}`, pr: 2, url: `${github}/pull/2` },
  {
    ...hello,
    kind: "pr.review",
    summary: `PR #2 commented: ${readme}`,
    pr: 2,
    url: `${github}/pull/2#pullrequestreview-237895671`,
  },
  {
    ...{
      ...hello,
      kind: "workflow.run",
      summary: "Manually triggered workflow #36 on main: completed",
      duration_ms: 0,
    },
    url: "https://github.com/octo-org/octo-repo/actions/runs/1589141559",
  },
  {
    ...{ ...octo, kind: "workflow.run", summary: "Workflow #163 on master: success", duration_ms: 0 },
    url: "https://github.com/octo-org/octo-repo/actions/runs/289782451",
  },
  { ...hello, kind: "preview.ready", summary: "Deployment to production succeeded" },
  { ...hello, kind: "pr.opened", summary: `PR #2 opened: ${readme}`, pr: 2, url: `${enterprise}/pull/2` },
  {
    ...hello,
    kind: "pr.review",
    summary: `PR #2 commented: ${readme}`,
    pr: 2,
    url: `${enterprise}/pull/2#pullrequestreview-2`,
  },
  {
    ...hello,
    kind: "issue.labeled",
    summary: `Issue #1 labeled bug: ${typo}`,
    issue: 1,
    url: `${enterprise}/issues/1`,
  },
  {
    ...hello,
    kind: "issue.opened",
    summary: `Issue #1 opened: ${typo}`,
    issue: 1,
    url: `${enterprise}/issues/1`,
  },
  { ...hello, kind: "pr.closed", summary: `PR #2 closed: ${readme}`, pr: 2, url: `${enterprise}/pull/2` },
];

/** Actions and fields that no example covers. */
const moreEvents: [name: string, body: Payload, event: Json][] = [
  [
    "issues",
    example("issues", "opened", (body) => {
      body.action = "closed";
      body.sender = { login: "dependabot[bot]", type: "Bot" };
    }),
    {
      ...hello,
      kind: "issue.closed",
      actor: "bot:dependabot[bot]",
      summary: `Issue #1 closed: ${typo}`,
      issue: 1,
      url: `${github}/issues/1`,
    },
  ],
  [
    "pull_request",
    example("pull_request", "closed", (body) => {
      body.pull_request.merged = true;
    }),
    { ...hello, kind: "pr.merged", summary: `PR #2 merged: ${readme}`, pr: 2, url: `${github}/pull/2` },
  ],
  [
    "pull_request_review",
    example("pull_request_review", "submitted", ({ review }) => {
      Object.assign(review, {
        state: "changes_requested",
        body: "\n  Please keep the old name.\r\n\r\nIt is in the guide.",
      });
    }),
    {
      ...{
        ...hello,
        kind: "pr.review",
        summary: "PR #2 changes requested: Please keep the old name.",
        pr: 2,
      },
      url: `${github}/pull/2#pullrequestreview-237895671`,
    },
  ],
  [
    "workflow_run",
    example("workflow_run", "completed", ({ workflow_run: run, repository }) => {
      Object.assign(run, {
        name: "CI",
        conclusion: "timed_out",
        head_branch: "fix/retry",
        run_number: 7,
        run_started_at: "2021-12-16T19:30:00Z",
      });
      run.pull_requests = [
        { number: 91, base: { repo: { id: 5 } } },
        { number: 12, base: { repo: { id: repository.id } } },
      ];
    }),
    {
      ...{
        ...hello,
        kind: "workflow.run",
        summary: "CI #7 on fix/retry: timed out",
        pr: 12,
        duration_ms: 442_000,
      },
      url: "https://github.com/octo-org/octo-repo/actions/runs/1589141559",
    },
  ],
  [
    "deployment_status",
    example("deployment_status", "success", ({ deployment_status: status }) => {
      Object.assign(status, {
        state: "failure",
        environment: "preview-12",
        description: "The build ran out of memory",
        target_url: "https://ci.example/9",
      });
    }),
    {
      ...hello,
      kind: "preview.failed",
      summary: "Preview failed in preview-12: The build ran out of memory",
      url: "https://ci.example/9",
    },
  ],
  [
    "deployment_status",
    example("deployment_status", "success", ({ deployment_status: status }) => {
      Object.assign(status, {
        state: "error",
        environment_url: "https://pr-12.example/",
        target_url: "https://ci.example/9",
      });
    }),
    {
      ...hello,
      kind: "preview.failed",
      summary: "Deployment to production failed",
      url: "https://pr-12.example/",
    },
  ],
  [
    "deployment_status",
    example("deployment_status", "success", ({ deployment_status: status }) => {
      Object.assign(status, {
        environment: "",
        description: null,
        target_url: null,
        updated_at: "2026-03-01T12:00:00Z",
      });
    }),
    { ...hello, kind: "preview.ready", summary: "Preview ready", url: null },
  ],
  [
    "workflow_run",
    example("workflow_run", "completed", ({ workflow_run: run }) => {
      Object.assign(run, {
        name: null,
        conclusion: null,
        head_branch: null,
        run_number: 8,
        pull_requests: null,
      });
      Object.assign(run, { html_url: null, run_started_at: null, updated_at: "2026-03-01T12:00:00Z" });
    }),
    { ...hello, kind: "workflow.run", summary: "Workflow #8: completed", url: null },
  ],
];

/** Titles, before and after cleaning. */
const hostile: [title: string, cleaned: string][] = [
  ["\u0000nul\u0000", "nul"],
  ["two\r\nlines\u2028or\u2029more\tand\u0085tabs", "two lines or more and tabs"],
  ["\u001b[2J\u001b[31mred\u001b[0m \u009b1mbold", "red bold"],
  ["\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007 \u001b]52;c;aGk=\u001b\\end", "link end"],
  ["back\bspace\u007f bell\u0007", "back space bell"],
  ["\u202eevol\u202c \u2066isolate\u2069 \u200fmark\ufeff", "evol isolate mark"],
  ["hid\u{e0068}\u{e0069}den ze\u200bro", "hidden zero"],
  ["half \ud83d of a pair \udc4d", "half \ufffd of a pair \ufffd"],
  ["cafe\u0301", "café"],
  ["<script>alert(1)</script> & \"quotes\" '\\'", "<script>alert(1)</script> & \"quotes\" '\\'"],
  ["event: forged\n\ndata: {}", "event: forged data: {}"],
  ["a".repeat(10_240), `${"a".repeat(1004)}…`],
  ["👩‍💻".repeat(1000), `${"👩‍💻".repeat(91)}…`],
  [" \u0007 ", ""],
];

const addresses: [address: unknown, url: string | null][] = [
  ["https://github.com/acme/atlas/issues/1", "https://github.com/acme/atlas/issues/1"],
  ["https://a.example/\u001b[31m\n\u202e<b>", "https://a.example/%1B%5B31m%E2%80%AE%3Cb%3E"],
  ["http://github.com/acme/atlas", null],
  ["javascript:alert(1)", null],
  ["data:text/html,<script>alert(1)</script>", null],
  ["//evil.example", null],
  ["https://", null],
  ["", null],
  [null, null],
  [undefined, null],
  [`https://a.example/${"x".repeat(3000)}`, null],
];

const signedText = JSON.stringify(example("issues", "opened"));
const hex = sign(signedText).slice("sha256=".length);
const signature = (text: string | null) => ({ "x-hub-signature-256": text });

const badSignatures: [title: string, headers: Record<string, string | null>, bytes?: string][] = [
  ["missing", signature(null)],
  ["empty", signature("")],
  ["the older header alone", { ...signature(null), "x-hub-signature": sign(signedText, secret, "sha1") }],
  ["sha1", signature(sign(signedText, secret, "sha1"))],
  ["sha512", signature(sign(signedText, secret, "sha512"))],
  ["sha1 called sha256", signature(sign(signedText, secret, "sha1").replace("sha1", "sha256"))],
  ["no prefix", signature(hex)],
  ["the prefix alone", signature("sha256=")],
  ["an upper-case prefix", signature(`SHA256=${hex}`)],
  ["upper-case digits", signature(`sha256=${hex.toUpperCase()}`)],
  ["a digit short", signature(`sha256=${hex.slice(1)}`)],
  ["a digit long", signature(`sha256=${hex}0`)],
  ["the last digit changed", signature(`sha256=${hex.slice(0, -1)}${hex.endsWith("0") ? "1" : "0"}`)],
  ["no digits", signature(`sha256=${"z".repeat(64)}`)],
  ["base64", signature(`sha256=${Buffer.from(hex, "hex").toString("base64")}`)],
  ["two of them", signature(`sha256=${hex}, sha256=${hex}`)],
  ["of another secret", signature(sign(signedText, `${secret}!`))],
  ["of an empty secret", signature(sign(signedText, ""))],
  ["of an empty body", signature(sign(""))],
  [
    "of a body with one letter changed",
    signature(sign(signedText)),
    signedText.replace("Spelling", "spelling"),
  ],
  [
    "of the same document, written again",
    signature(sign(signedText)),
    JSON.stringify(JSON.parse(signedText), null, 2),
  ],
  ["of a body without its line break", signature(sign(signedText)), `${signedText}\n`],
];

/** Fields that the body of each event must have. */
const needed: Record<string, string[]> = {
  issues: ["/action", "/issue", "/issue/id", "/issue/number", "/issue/title", "/repository", "/sender"],
  pull_request: ["/action", "/number", "/pull_request", "/pull_request/id", "/pull_request/title"],
  pull_request_review: ["/action", "/review", "/review/state", "/pull_request/number"],
  workflow_run: ["/action", "/workflow_run", "/workflow_run/id", "/workflow_run/run_number"],
  deployment_status: [
    "/deployment",
    "/deployment_status/state",
    "/repository/id",
    "/repository/full_name",
    "/sender/login",
  ],
};

describe.each([...dialects])("GitHub webhooks on %s", (dialect) => {
  test("every example gets a 202, and the mapped events and actions add exactly their feed events", async () => {
    await using app = await openLinked(dialect);
    for (const one of examples) {
      const { status, body } = await deliver(app, one.name, one.body);
      expect([one.source, one.name, status, Number(body.accepted) + Number(body.duplicates)]).toEqual([
        ...[one.source, one.name, one.name === "ping" ? 200 : 202, Number(isMapped(one))],
      ]);
    }
    expect((await feedOf(app)).map(contentOf)).toEqual(eventsOfExamples);
  });

  test("every other mapped action adds its event, and open issues are counted", async () => {
    await using app = await openLinked(dialect);
    expect(await deliver(app, "issues", example("issues", "opened"))).toEqual(added);
    const opened = (await (await app.ask("/api/v1/projects/hello")).json()) as Json;
    for (const [name, body] of moreEvents) expect(await deliver(app, name, body)).toEqual(added);
    const closed = (await (await app.ask("/api/v1/projects/hello")).json()) as Json;
    expect((await feedOf(app)).slice(1).map(contentOf)).toEqual(moreEvents.map(([, , event]) => event));
    expect([opened.openIssues, closed.openIssues]).toEqual([1, 0]);
  });

  test("a delivery sent twenty times concurrently to two processes, and again later, adds one event", async () => {
    await using app = await openLinked(dialect);
    await using opened = new AsyncDisposableStack();
    const other = opened.adopt(await openData(app.url, { now: app.clock.now, log: app.ctx.log }), (data) =>
      data.close(),
    );
    const elsewhere = buildApp({ ...app.ctx, data: other });
    for (const [name, body] of moreEvents.slice(0, 3)) {
      const sent = delivery(name, body);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, turn) =>
          turn % 2
            ? app.ask("/api/hooks/github", sent)
            : elsewhere(new Request("http://svc.test/api/hooks/github", sent), null),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(202));
      const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as Json[];
      expect(bodies.filter(({ accepted }) => accepted === 1)).toHaveLength(1);
      expect(await (await app.ask("/api/hooks/github", sent)).json()).toEqual(duplicate.body);
    }
    expect(await feedOf(app)).toHaveLength(3);
  });

  test("a replayed body with a new delivery id adds nothing, nor does another body of the same change", async () => {
    await using app = await openLinked(dialect);
    for (const [name, body] of moreEvents) expect(await deliver(app, name, body)).toEqual(added);
    for (const [name, body] of moreEvents) {
      expect(await deliver(app, name, body)).toEqual(duplicate);
      expect(await deliver(app, name, { ...body, installation: { id: 7 } })).toEqual(duplicate);
    }
    expect(await feedOf(app)).toHaveLength(moreEvents.length);
  });

  test("form-encoded deliveries, GitHub's default, are accepted like JSON and count as the same delivery", async () => {
    await using app = await openLinked(dialect);
    for (const [name, body] of moreEvents) {
      const response = await app.ask("/api/hooks/github", asForm(name, body));
      expect({ status: response.status, body: (await response.json()) as Json }).toEqual(added);
      expect(await deliver(app, name, body)).toEqual(duplicate);
    }
    expect((await feedOf(app)).map(contentOf)).toEqual(moreEvents.map(([, , event]) => event));
  });

  test("a ping is answered with the project, the events that svc uses and those the webhook does not send", async () => {
    await using app = await openLinked(dialect);
    const ping = (repository: object | undefined, events: string[]) =>
      deliver(app, "ping", { zen: "Keep it logically awesome.", hook: { events }, repository });
    expect(
      await ping({ id: 7, full_name: "CoderToCat/hello-world" }, ["issues", "pull_request", "push"]),
    ).toEqual({
      status: 200,
      body: {
        ...{
          accepted: 0,
          duplicates: 0,
          repository: "CoderToCat/hello-world",
          project: "hello",
          events: ["issues", "pull_request"],
        },
        missing: ["pull_request_review", "workflow_run", "deployment_status", "repository"],
      },
    });
    expect(await repositories(app)).toMatchObject({ hello: ["codertocat/HELLO-world", 7] });
    expect(await ping({ id: 8, full_name: "acme/other" }, ["*"])).toMatchObject({
      ...{
        status: 200,
        body: { project: null, missing: [], ignored: "repository acme/other is not linked" },
      },
    });
    expect(await ping(undefined, ["issues"])).toMatchObject({
      status: 200,
      body: { repository: null, project: null },
    });
    expect((await deliver(app, "ping", { hook: 7 })).status).toBe(400);
  });

  test("ignored webhooks say why, are counted, and are logged at most once a minute", async () => {
    await using app = await openLinked(dialect);
    const lines = () =>
      app.logged.filter(({ message }) => message === "GitHub webhooks ignored").map(({ fields }) => fields);
    expect(await deliver(app, "push", example("push", undefined as never))).toEqual(
      ignored("event push is not used"),
    );
    expect(await deliver(app, "issues", example("issues", "assigned"))).toEqual(
      ignored("issues assigned is not used"),
    );
    const elsewhere = example("issues", "opened", ({ repository }) =>
      Object.assign(repository, { full_name: "acme/x" }),
    );
    for (let time = 0; time < 3; time++)
      expect(await deliver(app, "issues", elsewhere)).toEqual(ignored("repository acme/x is not linked"));
    expect(lines()).toEqual([{ count: 1, reasons: ["event push is not used"] }]);
    app.clock.advance(60 * secondMicros);
    await deliver(app, "issues", elsewhere);
    expect(lines().slice(1)).toEqual([
      { count: 5, reasons: ["issues assigned is not used", "repository acme/x is not linked"] },
    ]);
    const metrics = await (await app.ask("/metrics")).text();
    for (const [reason, count] of Object.entries({ event: 1, action: 1, repository: 4 }))
      expect(metrics).toContain(`svc_webhook_ignored_total{reason="${reason}"} ${count}\n`);
  });

  test("a renamed or transferred repository stays with its project, which takes over the new name", async () => {
    await using app = await openLinked(dialect);
    const issue = (number: number, repository: object) => {
      const body = example("issues", "opened");
      Object.assign(body.issue, { id: number, number });
      Object.assign(body.repository, repository);
      return deliver(app, "issues", body);
    };
    const moved = (action: string, changes: object, full_name: string) =>
      deliver(app, "repository", {
        action,
        changes,
        repository: { id: 5, full_name },
        sender: { login: "a", type: "User" },
      });
    const nothingAdded = { status: 202, body: { accepted: 0, duplicates: 0 } };
    expect(await issue(1, { id: 5, full_name: "Codertocat/Hello-World" })).toEqual(added);
    expect(await repositories(app)).toMatchObject({ hello: ["codertocat/HELLO-world", 5] });

    expect(
      await moved("renamed", { repository: { name: { from: "Hello-World" } } }, "Codertocat/World"),
    ).toEqual(nothingAdded);
    expect(await repositories(app)).toMatchObject({ hello: ["Codertocat/World", 5] });
    expect(
      await moved("transferred", { owner: { from: { user: { login: "Codertocat" } } } }, "acme/World"),
    ).toEqual(nothingAdded);
    expect(await repositories(app)).toMatchObject({ hello: ["acme/World", 5] });
    // A replay of the earlier rename.
    expect(
      await moved("renamed", { repository: { name: { from: "Hello-World" } } }, "Codertocat/World"),
    ).toEqual(nothingAdded);
    expect(await issue(1, { id: 5, full_name: "Codertocat/Hello-World" })).toEqual(duplicate);
    expect(await repositories(app)).toMatchObject({ hello: ["acme/World", 5] });

    // A rename that is first seen with the next event.
    expect(await issue(2, { id: 5, full_name: "acme/Earth" })).toEqual(added);
    expect(await repositories(app)).toMatchObject({ hello: ["acme/Earth", 5] });
    expect((await feedOf(app)).at(-1)).toMatchObject({ project: "hello", repo: "acme/Earth" });
    expect(await moved("archived", {}, "acme/Earth")).toEqual(ignored("repository archived is not used"));
    // Another repository that now has the old name is not linked; a project that is linked to the new name
    // keeps it.
    expect(await issue(3, { id: 6, full_name: "acme/World" })).toEqual(
      ignored("repository acme/World is not linked"),
    );
    await link(app.ctx.data, "mars", "acme/Mars");
    expect(await issue(4, { id: 5, full_name: "acme/Mars" })).toEqual(added);
    expect(await repositories(app)).toMatchObject({ hello: ["acme/Earth", null], mars: ["acme/Mars", 5] });
    await link(app.ctx.data, "mars", "acme/Phobos");
    expect(await repositories(app)).toMatchObject({ mars: ["acme/Phobos", null] });
    const renames = (await app.ctx.data.audit({ limit: 100 })).filter(
      ({ what }) => what === "webhook rename",
    );
    expect(renames.map(({ project }) => project)).toEqual(["hello", "hello", "hello"]);
  });

  test("deleted and transferred issues are closed", async () => {
    await using app = await openLinked(dialect);
    const open = async () => ((await (await app.ask("/api/v1/projects/hello")).json()) as Json).openIssues;
    for (const [action, detail] of [
      ["deleted", ""],
      ["transferred", " to acme/other"],
    ] as const) {
      expect(
        await deliver(
          app,
          "issues",
          example("issues", "reopened", ({ issue }) =>
            Object.assign(issue, {
              updated_at: action === "deleted" ? "2026-01-01T00:00:00Z" : "2026-01-02T00:00:00Z",
            }),
          ),
        ),
      ).toEqual(added);
      expect(await open()).toBe(1);
      const gone = example("issues", "opened", (body) =>
        Object.assign(body, {
          action,
          ...(detail && { changes: { new_repository: { full_name: "acme/other" } } }),
        }),
      );
      expect(await deliver(app, "issues", gone)).toEqual(added);
      expect(await open()).toBe(0);
      expect((await feedOf(app)).at(-1)).toMatchObject({
        kind: "issue.closed",
        summary: `Issue #1 ${action}${detail}: ${typo}`,
      });
    }
  });

  test("a repeated delivery id adds nothing", async () => {
    await using app = await openLinked(dialect);
    const again = { "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958" };
    expect(await deliver(app, "issues", example("issues", "opened"), again)).toEqual(added);
    expect(await deliver(app, "issues", example("issues", "reopened"), again)).toEqual(duplicate);
  });

  test("a change without a timestamp is deduplicated by the hash of its body", async () => {
    await using app = await openLinked(dialect);
    const timeless = example("issues", "opened", ({ issue }) => void delete issue.updated_at);
    expect(await deliver(app, "issues", timeless)).toEqual(added);
    expect(await deliver(app, "issues", timeless)).toEqual(duplicate);
    timeless.issue.title = "Another";
    expect(await deliver(app, "issues", timeless)).toEqual(added);
    const run = example(
      "workflow_run",
      "completed",
      ({ workflow_run }) => void delete workflow_run.updated_at,
    );
    expect(await deliver(app, "workflow_run", run)).toEqual(added);
    expect((await feedOf(app)).at(-1)?.duration_ms).toBeNull();
  });

  test("the same action at another time adds another event", async () => {
    await using app = await openLinked(dialect);
    for (const updated_at of ["2026-02-01T10:00:00Z", "2026-02-01T10:00:01Z"])
      expect(
        await deliver(
          app,
          "issues",
          example("issues", "reopened", ({ issue }) => Object.assign(issue, { updated_at })),
        ),
      ).toEqual(added);
  });

  test("two labels added at the same time are two events", async () => {
    await using app = await openLinked(dialect);
    const labeled = (id: number, name: string) =>
      example("issues", "labeled", (body) => void (body.label = { id, name }));
    expect(await deliver(app, "issues", labeled(1, "bug"))).toEqual(added);
    expect(await deliver(app, "issues", labeled(2, "urgent"))).toEqual(added);
    expect(await deliver(app, "issues", labeled(1, "renamed"))).toEqual(duplicate);
  });

  test("hostile text is cleaned and truncated, never rejected", async () => {
    await using app = await openLinked(dialect);
    for (const [index, [title]] of hostile.entries())
      expect(
        await deliver(
          app,
          "issues",
          example("issues", "opened", ({ issue }) => Object.assign(issue, { id: index + 1, title })),
        ),
      ).toEqual(added);
    const summaries = (await feedOf(app)).map(({ summary }) => summary.replace(/^Issue #1 opened: ?/, ""));
    expect(summaries).toEqual(hostile.map(([, cleaned]) => cleaned));
  });

  test("timestamps in a delivery do not affect the order of the feed", async () => {
    await using app = await openLinked(dialect);
    for (const [index, updated_at] of [
      "9999-12-31T23:59:59Z",
      "1970-01-01T00:00:00Z",
      "2019-05-15T15:20:18+14:00",
    ].entries())
      expect(
        await deliver(
          app,
          "issues",
          example("issues", "opened", ({ issue }) => Object.assign(issue, { id: index + 1, updated_at })),
        ),
      ).toEqual(added);
    const times = (await feedOf(app)).map(({ ts }) => ts);
    expect(times).toEqual([
      "2026-03-01T12:00:00.000000Z",
      "2026-03-01T12:00:00.000001Z",
      "2026-03-01T12:00:00.000002Z",
    ]);
  });

  test("webhooks of a repository that is not linked are ignored", async () => {
    await using app = await openApp(dialect, env);
    await link(app.ctx.data, "near", "Codertocat/Hello-Worlds");
    for (const one of examples.filter(isMapped))
      expect(await deliver(app, one.name, one.body)).toEqual(
        ignored(`repository ${one.body.repository.full_name} is not linked`),
      );
    for (const full_name of ["ann_acme/notes", "no slash", ""]) {
      const body = example("issues", "opened", ({ repository }) => Object.assign(repository, { full_name }));
      expect(await deliver(app, "issues", body)).toEqual(ignored(`repository ${full_name} is not linked`));
    }
    expect(await feedOf(app)).toEqual([]);
  });

  test("a body sent with another event's name adds nothing", async () => {
    await using app = await openLinked(dialect);
    const strange = [
      "ISSUES",
      "issues ",
      "issue",
      "constructor",
      "__proto__",
      "toString",
      "pull_request_target",
    ];
    for (const [name, body] of moreEvents) {
      for (const other of [...names, ...strange].filter((other) => other.trim() !== name)) {
        const { status, body: answer } = await deliver(app, other, body);
        expect([other, status === 400 || answer.accepted === 0]).toEqual([other, true]);
        if (moreEvents.some(([mappedName]) => mappedName === other))
          expect([name, other, status]).toEqual([name, other, 400]);
      }
    }
    for (const { name, body } of examples.filter(({ source }) => source === "api.github.com")) {
      for (const other of new Set(moreEvents.map(([mappedName]) => mappedName))) {
        if (other === name) continue;
        const { status, body: answer } = await deliver(app, other, body);
        expect([name, other, status === 400 || answer.accepted === 0]).toEqual([name, other, true]);
      }
    }
    expect(await feedOf(app)).toEqual([]);
  });

  test("an invalid signature is a 401, and nothing is written", async () => {
    await using app = await openLinked(dialect);
    for (const [title, headers, bytes = signedText] of badSignatures) {
      const response = await app.ask("/api/hooks/github", delivery("issues", bytes, headers));
      expect([title, response.status, response.headers.get("content-type")]).toEqual([
        title,
        401,
        "application/problem+json",
      ]);
      expect(response.headers.get("www-authenticate")).not.toBeNull();
    }
    expect(await feedOf(app)).toEqual([]);
    expect(await deliver(app, "issues", signedText)).toEqual(added);
  });
});

describe("a GitHub webhook", () => {
  test("gets an actor even from a hostile login", async () => {
    await using app = await openLinked("sqlite");
    const logins = ["a b\u0000\nc", "\u202eevil\ud800", "x".repeat(5000), " \u0007 "];
    for (const [index, login] of logins.entries()) {
      const body = example("issues", "opened", ({ issue, sender }) => {
        issue.id = index + 1;
        sender.login = login;
      });
      expect(await deliver(app, "issues", body)).toEqual(added);
    }
    const actors = (await feedOf(app)).map(({ actor }) => actor);
    expect(actors).toEqual(["human:abc", "human:evil\ufffd", `human:${"x".repeat(125)}…`, "human:unknown"]);
  });

  test("keeps only https URLs, with special characters escaped", async () => {
    await using app = await openLinked("sqlite");
    for (const [index, [html_url]] of addresses.entries()) {
      const body = example("issues", "opened", ({ issue }) =>
        Object.assign(issue, { id: index + 1, html_url }),
      );
      expect(await deliver(app, "issues", body)).toEqual(added);
    }
    expect((await feedOf(app)).map(({ url }) => url)).toEqual(addresses.map(([, url]) => url));
  });

  test("without a required field is a 400 that names the field", async () => {
    await using app = await openLinked("sqlite");
    for (const [name, path] of Object.entries(needed).flatMap(([name, paths]) =>
      paths.map((path) => [name, path] as const),
    )) {
      const [, body] = moreEvents.find(([mappedName]) => mappedName === name) as (typeof moreEvents)[number];
      const lacking = structuredClone(body);
      const steps = path.split("/").slice(1);
      const last = steps.pop() as string;
      delete steps.reduce((at, step) => at[step], lacking)[last];
      const { status, body: problem } = await deliver(app, name, lacking);
      expect([name, path, status, problem.detail]).toEqual([
        name,
        path,
        400,
        `The body does not match X-GitHub-Event: ${name}. Missing or invalid: ${path}.`,
      ]);
    }
    expect(await feedOf(app)).toEqual([]);
  });

  test.each<[what: string, status: number, sent: RequestInit]>([
    ["a form without its field", 400, formOf("issues", "pay=%7B%7D")],
    ["a form with two payloads", 400, formOf("issues", "payload=%7B%7D&payload=%7B%7D")],
    ["a form that holds no JSON", 400, formOf("issues", "payload=x")],
    [
      "another signature than that of the form",
      401,
      formOf("issues", "payload=%7B%7D", { "x-hub-signature-256": sign("{}") }),
    ],
    [
      "a header of Gitea",
      400,
      delivery("issues", example("issues", "opened"), { "x-gitea-event": "issues" }),
    ],
    [
      "a header of Forgejo",
      400,
      delivery("issues", example("issues", "opened"), { "x-forgejo-event": "issues" }),
    ],
    ["a header of Gogs", 400, delivery("issues", example("issues", "opened"), { "x-gogs-event": "issues" })],
    ["plain text", 415, delivery("issues", example("issues", "opened"), { "content-type": "text/plain" })],
    ["no JSON", 400, delivery("issues", "payload=%7B%7D")],
    [
      "half of a JSON document",
      400,
      delivery("issues", JSON.stringify(example("issues", "opened")).slice(0, 900)),
    ],
    ["nothing", 400, delivery("issues", "")],
    ["a list", 400, delivery("issues", [example("issues", "opened")])],
    ["null", 400, delivery("push", "null")],
    ["no UTF-8", 400, delivery("issues", Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d))],
    ["33 levels", 400, delivery("push", `${"[".repeat(33)}${"]".repeat(33)}`)],
    [
      "the body of a comment under the name of its issue",
      400,
      delivery("issues", examples.find(({ name }) => name === "issue_comment")?.body),
    ],
    ["no event name", 400, delivery("issues", example("issues", "opened"), { "x-github-event": null })],
    ["no delivery id", 400, delivery("issues", example("issues", "opened"), { "x-github-delivery": null })],
    [
      "a delivery id without end",
      400,
      delivery("issues", example("issues", "opened"), { "x-github-delivery": "7".repeat(129) }),
    ],
  ])("that is or has %s gets a %d", async (_, status, sent) => {
    await using app = await openLinked("sqlite");
    const response = await app.ask("/api/hooks/github", sent);
    expect([response.status, ((await response.json()) as Json).status]).toEqual([status, status]);
    expect(await feedOf(app)).toEqual([]);
  });

  test.each([
    ["no secret", { SVC_PUBLIC_READ: "1" }],
    ["demo data", { ...env, SVC_DATA_MODE: "mock" }],
  ])("gets a 501 in a deployment with %s", async (_, environment) => {
    await using app = await openApp("sqlite", environment);
    await link(app.ctx.data, "hello", "Codertocat/Hello-World");
    expect((await deliver(app, "issues", example("issues", "opened"))).status).toBe(501);
    expect(await feedOf(app)).toEqual([]);
  });

  test("may have up to 25 MiB, with or without a Content-Length", async () => {
    await using app = await openLinked("sqlite");
    const origin = app.listen();
    const body = JSON.stringify(example("issues", "opened")).padEnd(25 * 2 ** 20);
    const tooMuch = delivery("issues", body.padEnd(26 * 2 ** 20));
    const stream = new Blob([tooMuch.body as string]).stream();
    expect((await fetch(`${origin}/api/hooks/github`, tooMuch)).status).toBe(413);
    expect((await fetch(`${origin}/api/hooks/github`, { ...tooMuch, body: stream })).status).toBe(413);
    expect((await app.ask("/api/hooks/github", delivery("issues", `${body} `))).status).toBe(413);
    expect(await feedOf(app)).toEqual([]);
    const answer = await fetch(`${origin}/api/hooks/github`, delivery("issues", body));
    expect({ status: answer.status, body: (await answer.json()) as Json }).toEqual(added);
  });

  test("is accepted over HTTP as in this process", async () => {
    await using app = await openLinked("sqlite");
    const origin = app.listen();
    for (const [name, body] of moreEvents)
      expect((await fetch(`${origin}/api/hooks/github`, delivery(name, body))).status).toBe(202);
    expect((await feedOf(app)).map(contentOf)).toEqual(moreEvents.map(([, , event]) => event));
  });
});

describe("GitHub's examples", () => {
  test("are enough to be representative", () => {
    expect(examples.length).toBeGreaterThan(700);
    expect(names.length).toBeGreaterThan(55);
  });
});
