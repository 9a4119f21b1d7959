/**
 * Transactional outbox: delivers comments to forges in the background, at least once. Each comment has a
 * marker, so that a retry does not post it twice. A process claims a row before it delivers it, so that only
 * one does; the claim expires, because the process may die.
 */
import type { Config } from "../../core/config.ts";
import { forges } from "../../core/forges/schema.ts";
import { dayMicros, type Micros, secondMicros } from "../../core/lib/time.ts";
import { takesComments } from "../../library/outbox/comment.ts";
import type { OutboxRow } from "../../library/rows.ts";
import type { IntegrationsContext } from "../context.ts";
import { type CallForge, type ForgeIssues, PermanentError, type TaskPlace } from "../forges/forge.ts";
import { forgesByName } from "../forges/forges.ts";

const retryMin = 1 * secondMicros;
const retryMax = 300 * secondMicros;
const giveUpAfter = 3 * dayMicros;
const batchMax = 20;
/** Timeout of one attempt. */
const attemptTimeoutMs = 30_000;

/** Exponential backoff: one second, doubling up to five minutes. */
const retryDelay = (attempts: number): Micros =>
  Math.min(retryMax, retryMin * 2 ** Math.min(attempts - 1, 20));

/** Delivers the due rows of one round. @returns how many were delivered or given up */
export async function deliverOutbox(
  ctx: IntegrationsContext,
  deadlineMs = attemptTimeoutMs,
): Promise<number> {
  const { data, log } = ctx;
  let settled = 0;
  for (const row of await data.dueOutbox(ctx.now(), batchMax)) {
    const until = ctx.now() + 2 * deadlineMs * 1_000;
    if (!(await data.atomically((writes) => writes.claimOutbox(row, until)))) continue;
    const attempts = row.attempts + 1;
    try {
      await postComment(ctx.config, row, AbortSignal.timeout(deadlineMs));
    } catch (error) {
      const isGivenUp = error instanceof PermanentError || ctx.now() - row.created_at > giveUpAfter;
      log(
        isGivenUp ? "error" : "warn",
        `${forges[row.forge].label} comment failed, ${isGivenUp ? "giving up" : "will retry"}`,
        {
          repo: row.repo,
          number: row.number,
          attempts,
          error: (error as Error).message,
        },
      );
      if (!isGivenUp) {
        await data.atomically((writes) => writes.delayOutbox(row.id, ctx.now() + retryDelay(attempts)));
        continue;
      }
    }
    await data.atomically((writes) => writes.removeOutbox(row.id));
    settled++;
  }
  return settled;
}

/**
 * Posts the comment unless an earlier attempt did and its response was lost.
 * @throws {PermanentError} if a retry cannot succeed, any other error if it may
 */
async function postComment(
  config: Pick<Config, "forgeApis">,
  row: Pick<OutboxRow, "forge" | "host" | "body" | "marker"> & TaskPlace,
  signal: AbortSignal,
): Promise<void> {
  if (!takesComments(config, row)) throw new Error(`no token is configured for ${row.forge} at ${row.host}`);
  const { token, url } = config.forgeApis[row.forge];
  const { issues } = forgesByName[row.forge];
  const call = forgeApi(url, issues.headers(token), signal);
  const mark = issues.mark(row.marker);
  if (!(await hasComment(issues, call, row, mark)))
    await issues.postComment(call, row, `${row.body}\n\n${mark}`);
  // Some tasks cannot be reopened, such as a merged pull request. The comment is enough.
  await issues.reopen(call, row).catch((error) => {
    if (!(error instanceof PermanentError)) throw error;
  });
}

async function hasComment(
  issues: ForgeIssues,
  call: CallForge,
  task: TaskPlace,
  mark: string,
): Promise<boolean> {
  for (let page = 1; ; page++) {
    const { bodies, isLast } = await issues.listComments(call, task, page);
    if (bodies.some((body) => body?.includes(mark))) return true;
    if (isLast) return false;
  }
}

/**
 * Sends requests to the API of a forge: the only place that connects to one. The URL is the configured one,
 * never one from a row or a webhook, so a token is sent to its own host alone; redirects are not followed.
 * @param headers those that authenticate
 */
const forgeApi =
  (baseUrl: string, headers: Record<string, string>, signal: AbortSignal): CallForge =>
  async (method, path, body) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      signal,
      redirect: "error",
      headers: {
        accept: "application/json",
        "user-agent": "svc",
        ...(body && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (response.ok) return response.json();
    await response.body?.cancel();
    const { status } = response;
    // 410 Gone and 422 Unprocessable never succeed. 401, 403 and 404 may: a token's permissions can change,
    // and forges answer 404 for a repository that the token cannot see.
    if (status === 410 || status === 422) throw new PermanentError(`${method} ${path} answered ${status}`);
    throw new Error(`${method} ${path} answered ${status}`);
  };
