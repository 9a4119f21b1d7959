/** Sends reports to a server, and reads from its answer what to do with them. */

import { cleanLine } from "../../../src/core/lib/strings/clean-text.ts";
import { taskOfBranch } from "../../../src/feed/projects/branch-task.ts";
import { readConnections } from "../connections.ts";
import type { SpoolItem } from "./spool.ts";
import type { Destination } from "./status.ts";

const requestMs = 15_000;
const branchBytesMax = 255;

export type Answer =
  | { outcome: "acknowledged" }
  /** The server will not take these reports. */
  | { outcome: "refused"; reason: string }
  /** The server, the network or the token: the reports are kept. */
  | { outcome: "later"; reason: string; retryAfterMs?: number };

/** Access to a destination; null if the connection was removed. */
export interface Access {
  token: string | undefined;
  branchPattern: string | null;
}

/** Finds the token of a destination: that of its connection as it is now, else of the login. */
export async function accessTo({ server, connection }: Destination): Promise<Access | null> {
  if (connection === null) {
    // Loaded only here: with it the sender takes three times as long to start.
    const { tokenFor } = await import("../../login/target.ts");
    return { token: tokenFor(server).token, branchPattern: null };
  }
  const found = readConnections().find(
    (one) => one.server === server && one.agent === connection.agent && one.folder === connection.folder,
  );
  return found ? { token: found.token, branchPattern: found.branch_pattern } : null;
}

/** Sends the reports of items in one request: events together, others alone. */
export async function postReports(
  server: string,
  access: Access,
  items: readonly SpoolItem[],
): Promise<Answer> {
  const [first] = items;
  if (first && "brief" in first.report) {
    const { run_id, ...brief } = first.report.brief;
    return post(server, access, `/runs/${encodeURIComponent(run_id)}/briefs`, brief);
  }
  if (first && "stop" in first.report) {
    const { id, ...stop } = first.report.stop;
    return post(server, access, `/decisions/${id}/stops`, stop);
  }
  if (first && "claim" in first.report) {
    const { project, ...claim } = first.report.claim;
    return post(server, access, `/projects/${project}/claims`, claim, [409]); // its brief says who holds it
  }
  if (first && "anchors" in first.report) {
    // Loaded only here: most senders have no files to look for.
    const { newAnchorReport } = await import("./anchor-news.ts");
    const { project } = first.report.anchors;
    const news = newAnchorReport(server, first.report.anchors);
    if (!news) return { outcome: "acknowledged" };
    const answer = await post(server, access, `/projects/${project}/anchors`, news.body);
    if (answer.outcome !== "later") news.remember();
    return answer.outcome === "refused" ? { outcome: "acknowledged" } : answer;
  }
  const events = items.flatMap((item) => eventsOf(item, access.branchPattern));
  return post(server, access, "/events", { events });
}

function eventsOf({ report, branch }: SpoolItem, pattern: string | null): object[] {
  if (!("event" in report)) return [];
  const task = branch === null ? null : taskOfBranch(branch, { branch_pattern: pattern, task_url: null });
  const name = branch === null ? "" : cleanLine(branch, branchBytesMax);
  return [
    {
      ...report.event,
      ...((report.event.issue ?? report.event.task) === undefined && task),
      ...(name && { branch: name }),
    },
  ];
}

/** @param settled statuses that the report is done with, beside those of success */
async function post(
  server: string,
  { token }: Access,
  path: string,
  body: object,
  settled: readonly number[] = [],
): Promise<Answer> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  const init = { method: "POST", headers, body: JSON.stringify(body), redirect: "manual" as const };
  try {
    const signal = AbortSignal.timeout(requestMs);
    const response = await fetch(`${server}/api/v1${path}`, { ...init, signal });
    return await answerOf(response, settled);
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    return { outcome: "later", reason: `Cannot connect to ${server} (${code ?? name}).` };
  }
}

/** Statuses that say that the request itself cannot be taken. */
const refusals = new Set([400, 404, 405, 413, 415, 422]);

async function answerOf(response: Response, settled: readonly number[]): Promise<Answer> {
  const { status, ok, headers } = response;
  if (ok || settled.includes(status)) {
    await response.arrayBuffer();
    return { outcome: "acknowledged" };
  }
  const isProblem = headers.get("content-type")?.startsWith("application/problem+json");
  const { detail } = (isProblem ? await response.json() : {}) as { detail?: string };
  const reason = detail ?? `The server answered ${status}.`;
  // Another program at this URL, such as a proxy, also answers 404: only svc's own answer refuses.
  if (isProblem && refusals.has(status)) return { outcome: "refused", reason };
  const seconds = Number(headers.get("retry-after"));
  return { outcome: "later", reason, ...(seconds > 0 && { retryAfterMs: seconds * 1000 }) };
}
