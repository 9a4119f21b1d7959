/** What a server does besides answering: the sweep, and what waits for the source host. */
import { sweepAssets } from "../src/assets/retention.ts";
import type { Context } from "../src/context.ts";
import { githubTasks } from "../src/outbox/github.ts";
import { deliverOutbox } from "../src/outbox/outbox.ts";

const sweepEveryMs = 600_000;
const outboxEveryMs = 1_000;

/** @returns stops them, and resolves when what they were at is done */
export function startWorkers(ctx: Context): () => Promise<void> {
  if (ctx.config.mock) return async () => {};
  const workers = [repeat("sweep", sweepEveryMs, ctx, () => sweepAssets(ctx))];
  if (ctx.config.githubToken) {
    const tasks = githubTasks(ctx.config);
    workers.push(repeat("outbox", outboxEveryMs, ctx, () => deliverOutbox(ctx, tasks)));
  }
  return async () => void (await Promise.all(workers.map((stop) => stop())));
}

/** Now, and again so long after it was done. What fails is tried again the next time. */
function repeat(name: string, everyMs: number, { log }: Context, work: () => Promise<unknown>): () => Promise<void> {
  const stop = Promise.withResolvers<void>();
  let stopped = false;
  const loop = async () => {
    while (!stopped) {
      await work().catch((error: Error) => log("warn", `the ${name} failed`, { error: error.message }));
      await Promise.race([Bun.sleep(everyMs), stop.promise]);
    }
  };
  const running = loop();
  return () => {
    stopped = true;
    stop.resolve();
    return running;
  };
}
