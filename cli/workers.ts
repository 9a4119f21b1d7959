/** What a server does besides answering: the sweep, and what waits for the source host. One process of a deployment does each. */
import { sweepAssets } from "../src/assets/retention.ts";
import { trimAudit } from "../src/audit/retention.ts";
import { removeExpiredSessions } from "../src/auth/session.ts";
import type { Context } from "../src/context.ts";
import { githubTasks } from "../src/outbox/github.ts";
import { deliverOutbox } from "../src/outbox/outbox.ts";

const sweepEveryMs = 600_000;
const outboxEveryMs = 1_000;
/** How long a process may not notice that it is the one now. */
const lookEveryMs = 1_000;
const loopEveryMs = 250;

/** @returns stops them, and resolves when what they were at is done */
export function startWorkers(ctx: Context): () => Promise<void> {
  watchLoop(ctx);
  if (ctx.config.mock) return async () => {};
  const workers = [
    repeat("sweep", sweepEveryMs, ctx, () => sweepAssets(ctx)),
    repeat("sweep of the audit", sweepEveryMs, ctx, () => trimAudit(ctx)),
    repeat("session cleanup", sweepEveryMs, ctx, () => removeExpiredSessions(ctx)),
  ];
  if (ctx.config.githubToken) {
    const tasks = githubTasks(ctx.config);
    workers.push(repeat("outbox", outboxEveryMs, ctx, () => deliverOutbox(ctx, tasks)));
  }
  return async () => void (await Promise.all(workers.map((stop) => stop())));
}

/** Now, and again so long after it was done, as long as it is this process's to do. What fails is tried again the next time. */
function repeat(
  name: string,
  everyMs: number,
  { data, log, metrics }: Context,
  work: (goesOn: () => boolean) => Promise<unknown>,
): () => Promise<void> {
  const stop = Promise.withResolvers<void>();
  const leads = metrics.leads.of(name);
  let stopped = false;
  let doneAt = Number.NEGATIVE_INFINITY;
  const round = async () => {
    try {
      await work(() => !stopped);
      metrics.workerRuns.of(name, "done").add();
    } catch (error) {
      metrics.workerRuns.of(name, "failed").add();
      log("warn", `the ${name} failed`, { error: (error as Error).message });
    }
    doneAt = performance.now();
  };
  const loop = async () => {
    while (!stopped) {
      const ours = data.leads(name);
      leads.set(ours ? 1 : 0);
      if (ours && performance.now() - doneAt >= everyMs) await round();
      await Promise.race([Bun.sleep(Math.min(everyMs, lookEveryMs)), stop.promise]);
    }
  };
  const running = loop();
  return () => {
    stopped = true;
    stop.resolve();
    return running;
  };
}

/** How late a timer fires is how long somebody kept the process to himself. */
function watchLoop({ metrics }: Context): void {
  const delay = metrics.loopDelay.of();
  let due = performance.now() + loopEveryMs;
  const timer = setInterval(() => {
    const now = performance.now();
    delay.observe(Math.max(0, now - due) / 1000);
    due = now + loopEveryMs;
  }, loopEveryMs);
  timer.unref();
}
