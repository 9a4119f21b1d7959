import type { Json } from "./github-deliveries.ts";
import { example, type Payload } from "./github-webhooks.ts";

const codertocat = { actor: "human:Codertocat", issue: null, pr: null, duration_ms: null, url: null };
const hello = { ...codertocat, project: "hello", repo: "Codertocat/Hello-World" };
const octo = { ...codertocat, project: "octo", repo: "octo-org/octo-repo" };
const github = "https://github.com/Codertocat/Hello-World";
const enterprise = "https://octocoders.github.io/Codertocat/Hello-World";
export const typo = "Spelling error in the README file";
const readme = "Update the README with new information.";

const manualRun = "github-actions/1589141559/1";

const checkRun = (url: string): Json => ({
  ...{ ...hello, kind: "workflow.run", summary: "Octocoders-linter on changes: success" },
  ...{ pr: 2, duration_ms: 0, url },
});

/** The events of all examples, in order. */
export const eventsOfExamples: Json[] = [
  checkRun(`${github}/runs/128620228`),
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
    ...{ url: "https://github.com/octo-org/octo-repo/actions/runs/1589141559", run_id: manualRun },
  },
  {
    ...{ ...octo, kind: "workflow.run", summary: "Workflow #163 on master: success", duration_ms: 0 },
    url: "https://github.com/octo-org/octo-repo/actions/runs/289782451",
    run_id: "github-actions/289782451/1",
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
  checkRun(`${enterprise}/runs/2`),
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
export const moreEvents: [name: string, body: Payload, event: Json][] = [
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
      ...{ url: "https://github.com/octo-org/octo-repo/actions/runs/1589141559", run_id: manualRun },
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
    { ...hello, kind: "workflow.run", summary: "Workflow #8: completed", url: null, run_id: manualRun },
  ],
];
