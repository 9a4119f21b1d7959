/** Drives a fleet of agents, and receives its webhooks: a process of its own, with a core of its own. */
import { receiveWebhooks } from "./receipts.ts";
import { type Plan, type Report, runSessions } from "./sessions.ts";

export interface Drive {
  plan: Plan;
  receiver: { port: number; secret: string };
}

export interface Driven extends Report {
  missing: string[];
  repeated: number;
  /** Share of its core. */
  busy: number;
}

process.on("message", async (drive: Drive) => process.send?.(await run(drive)));

async function run({ plan, receiver: { port, secret } }: Drive): Promise<Driven> {
  const receipts = receiveWebhooks(secret, port);
  const [startCpu, startedAt] = [process.cpuUsage(), performance.now()];
  const report = await runSessions(plan);
  const { user, system } = process.cpuUsage(startCpu);
  const busy = (user + system) / 1000 / (performance.now() - startedAt);
  const webhooks = await receipts.settle(plan, report);
  await receipts.stop();
  return { ...report, ...webhooks, busy };
}
