/**
 * Live sessions of agents, as a deployment has them: each starts a run, reads its brief, reports a usage every few
 * seconds, and finishes; some wait for the review of an asset meanwhile. A request that fails or takes too long is
 * sent again until it is answered, an event with the same `dedupe_key`, as hooks and exporters do. What has no answer
 * at the end of the plan is given up, so that a run also ends on a server that is past its limit.
 */

export interface Plan {
  /** Of the server. */
  url: string;
  sessions: number;
  /** Sessions take turns with them. */
  tokens: string[];
  projects: string[];
  /** A reviewer decides them in this order. Each wait is for one of them, first for the one of its number. */
  assets: string[];
  /** How many sessions wait for a review, at any time. */
  waits: number;
  reviewsPerSecond: number;
  /** In which all sessions start; they finish as far apart. */
  rampMs: number;
  reportEveryMs: number;
  /** Of a session. */
  forMs: number;
  /** A request without an answer is given up after this, and sent again. */
  timeoutMs: number;
  /** After the last session should have finished, for those that are late. */
  graceMs: number;
}

export interface Report {
  /** Requests that were answered; of a wait, from the review to the answer. One that timed out took as long. */
  times: Record<Action, Timed[]>;
  /** Events that the server acknowledged. */
  acknowledged: Acknowledged[];
  /** Requests that got no answer in time, a 429 or a 5xx, and were sent again. */
  refused: number;
}

export interface Timed {
  /** After the first session began. */
  sentAtMs: number;
  ms: number;
}

/** Of a session: whether its start and its end were, and how many of its usage events. */
export interface Acknowledged {
  start: number;
  report: number;
  finish: number;
}

export const actions = ["start", "brief", "report", "review", "wait", "finish"] as const;
export type Action = (typeof actions)[number];

interface Request {
  method?: string;
  body?: string;
  /** What it is timed as. */
  action?: Action;
  timeoutMs?: number;
  /** Gives it up. */
  end?: AbortSignal;
}

const retryAfterMs = 500;
const waitSeconds = 50;

/** The ID of the run of a session. */
export const runOf = (session: number): string => `fleet-run-${session}`;
export const projectOf = <T>(session: number, projects: readonly T[]): T =>
  projects[session % projects.length] as T;

/**
 * Runs all sessions until the last has finished, or until the end of the plan.
 * @throws if a request was refused for good
 */
export async function runSessions(plan: Plan): Promise<Report> {
  const { url, sessions, tokens, projects, assets, waits, rampMs, reportEveryMs, forMs } = plan;
  const times = Object.fromEntries(actions.map((action) => [action, []])) as unknown as Report["times"];
  const acknowledged = Array.from({ length: sessions }, () => ({ start: 0, report: 0, finish: 0 }));
  const report: Report = { times, acknowledged, refused: 0 };
  const startedAt = performance.now();
  const isOver = () => performance.now() - startedAt > rampMs + forMs + plan.graceMs;
  const until = (ms: number) => Bun.sleep(Math.max(0, startedAt + ms - performance.now()));
  const noReviews = new AbortController();
  const reviewedAt = new Map<string, number>();
  let nextAsset = waits;

  function add(action: Action, sentAt: number): void {
    times[action].push({ sentAtMs: sentAt - startedAt, ms: performance.now() - sentAt });
  }

  /** Sends a request until it is answered. @returns its text, and when it was sent; null once it is given up */
  async function ask(session: number, path: string, init: Request = {}) {
    const { timeoutMs = plan.timeoutMs, action, end, ...request } = init;
    const headers = {
      authorization: `Bearer ${tokens[session % tokens.length]}`,
      "content-type": "application/json",
    };
    while (!end?.aborted && !isOver()) {
      const sentAt = performance.now();
      const timeout = AbortSignal.timeout(timeoutMs);
      const signal = end ? AbortSignal.any([end, timeout]) : timeout;
      const answer = await fetch(url + path, { ...request, headers, signal })
        .then(async (response) => ({ status: response.status, text: await response.text() }))
        .catch(() => null);
      if (action && (answer?.status === 200 || timeout.aborted)) add(action, sentAt);
      if (answer?.status === 200) return { text: answer.text, sentAt };
      if (answer && answer.status < 500 && answer.status !== 429)
        throw new Error(`${path} was answered with ${answer.status}: ${answer.text}`);
      if (end?.aborted) break;
      report.refused++;
      await Bun.sleep(retryAfterMs * (1 + Math.random()));
    }
    return null;
  }

  async function append(action: keyof Acknowledged, session: number, kind: string, step = 0): Promise<void> {
    const run_id = runOf(session);
    const event = {
      ...{ kind, run_id, project: projectOf(session, projects), issue: 1 + session },
      ...{ actor: `agent:worker-${session}`, model: "claude-opus-5" },
      ...{ dedupe_key: `${run_id}:${kind}:${step}`, summary: `Step ${step} of ${run_id}` },
      ...(kind === "step.usage" && {
        tokens_in: 1_200,
        tokens_out: 350,
        cache_read: 90_000,
        cost_equiv: 0.08,
      }),
    };
    const body = JSON.stringify({ events: [event] });
    const answer = await ask(session, "/api/v1/events", { method: "POST", body, action });
    if (answer) (acknowledged[session] as Acknowledged)[action]++;
  }

  async function work(session: number): Promise<void> {
    const begin = (rampMs * session) / sessions;
    await until(begin);
    await append("start", session, "run.started");
    const brief = `/api/v1/projects/${projectOf(session, projects)}/brief`;
    await ask(session, `${brief}?issue=${1 + session}&run_id=${runOf(session)}`, { action: "brief" });
    const waiting = session < waits && waitForReviews(session);
    for (let step = 1; step * reportEveryMs < forMs; step++) {
      await until(begin + step * reportEveryMs);
      await append("report", session, "step.usage", step);
    }
    await until(begin + forMs);
    await waiting;
    await append("finish", session, "run.finished");
  }

  /** Waits for the review of one asset after the other. */
  async function waitForReviews(session: number): Promise<void> {
    for (let asset = assets[session]; asset; ) {
      const path = `/api/v1/assets/${asset}/review?wait=${waitSeconds}`;
      const timeoutMs = waitSeconds * 1000 + plan.timeoutMs;
      const answer = await ask(session, path, { end: noReviews.signal, timeoutMs });
      if (!answer) return;
      if (!answer.text.includes('"state":"decided"')) continue;
      // After the end of a server, the wait for a reviewed asset begins too late to be woken.
      const reviewed = reviewedAt.get(asset) ?? 0;
      if (reviewed > answer.sentAt) add("wait", reviewed);
      asset = assets[nextAsset++];
    }
  }

  async function review(): Promise<void> {
    for (const [index, asset] of assets.entries()) {
      const at = rampMs + (index * 1000) / plan.reviewsPerSecond;
      if (at > forMs) break;
      await until(at);
      reviewedAt.set(asset, performance.now());
      const body = JSON.stringify({ decision: "approved" });
      await ask(0, `/api/v1/assets/${asset}/review`, { method: "PUT", body, action: "review" });
    }
    noReviews.abort();
  }

  await Promise.all([review(), ...Array.from({ length: sessions }, (_, session) => work(session))]);
  return report;
}
