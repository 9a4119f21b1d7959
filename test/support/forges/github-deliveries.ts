/** Deliveries of GitHub webhooks to an app, and the events they add. */
import { expect } from "bun:test";
import { checker } from "../../../src/core/lib/validate.ts";
import { Event, type FeedPage } from "../../../src/feed/schema.ts";
import { type dialects, link, openApp, rowsOf, type TestApp } from "../harness.ts";
import { delivery, type Example, secret } from "./github-webhooks.ts";

export type Json = Record<string, unknown>;

export const env = { SVC_GITHUB_WEBHOOK_SECRET: secret, SVC_PUBLIC_READ: "1" };

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
  ...["pull_request_review submitted", "workflow_run completed", "check_run completed"],
  ...["workflow_run requested", "workflow_job completed"],
  ...["deployment_status success", "deployment_status failure", "deployment_status error"],
]);
export const isMapped = ({ name, body }: Pick<Example, "name" | "body">) =>
  mapped.has(`${name} ${body.deployment_status?.state ?? body.action}`) &&
  body.check_run?.app?.slug !== "github-actions";

export const formOf = (name: string, text: string, headers: Record<string, string> = {}): RequestInit =>
  delivery(name, text, { "content-type": "application/x-www-form-urlencoded", ...headers });

export async function deliver(
  app: TestApp,
  ...args: Parameters<typeof delivery>
): Promise<{ status: number; body: Json }> {
  const response = await app.ask("/api/hooks/github", delivery(...args));
  return { status: response.status, body: (await response.json()) as Json };
}

const counted = (accepted: number, duplicates: number) => ({
  status: 202,
  body: { accepted, duplicates },
});
export const added = counted(1, 0);
export const duplicate = counted(0, 1);

/** The end of a pipeline adds the start and the end of its run, its jobs, and its own event. */
const eventsOf = (kind: unknown, jobs: number): number => (kind === "workflow.run" ? 3 + jobs : 1);
/** @param jobs how many the delivery tells */
export const addedBy = ({ kind }: Json, jobs = 0) => counted(eventsOf(kind, jobs), 0);
export const duplicateOf = ({ kind }: Json, jobs = 0) => counted(0, eventsOf(kind, jobs));
export const ignored = (reason: string) => ({
  status: 202,
  body: { accepted: 0, duplicates: 0, ignored: reason },
});

/** Returns the whole feed, oldest first, and checks each event against its schema. */
export async function feedOf(app: TestApp): Promise<Event[]> {
  const response = await app.ask("/api/v1/feed?limit=200");
  const { events } = (await response.json()) as FeedPage;
  for (const event of events) expect(checker(Event).Errors(event).First()).toBeUndefined();
  return events.reverse();
}

/** The feed without the events of pipelines' runs. */
export const withoutRuns = async (app: TestApp): Promise<Event[]> =>
  (await feedOf(app)).filter(({ actor }) => !actor.startsWith("runner:"));

/** Returns an event without the fields that svc sets or a webhook cannot contain. */
export function contentOf(event: Event): Json {
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
export async function repositories(app: TestApp): Promise<Json> {
  const rows = await rowsOf(app.url, "select slug, repo, repo_id from projects");
  return Object.fromEntries(
    rows.map(({ slug, repo, repo_id }) => [slug, [repo, repo_id === null ? null : Number(repo_id)]]),
  );
}

export async function openLinked(dialect: (typeof dialects)[number]): Promise<TestApp> {
  const app = await openApp(dialect, env);
  // In other case than the deliveries use.
  await link(app.ctx.data, "hello", "codertocat/HELLO-world");
  await link(app.ctx.data, "octo", "octo-org/octo-repo");
  return app;
}
