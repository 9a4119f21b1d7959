/** Receives the webhooks of a fleet, one for each of its projects: the starts and ends of runs. */
import { Webhook } from "standardwebhooks";
import { type Plan, projectOf, runOf } from "./sessions.ts";

/** Of every run, in the order of the feed. */
export const toldKinds = ["run.started", "run.finished"] as const;

export interface Receipts {
  origin: string;
  /** Waits for what is on its way. @returns events that did not come, and how many messages came again */
  settle(plan: Plan): Promise<{ missing: string[]; repeated: number }>;
  stop(): Promise<void>;
}

const patienceMs = 60_000;

/** @param secret signs the messages */
export function receiveWebhooks(secret: string, port: number): Receipts {
  const signatures = new Webhook(secret);
  /** The project, run and kind of each event, and the IDs of the messages that brought it. */
  const received = new Map<string, Set<string>>();
  let count = 0;
  const server = Bun.serve({
    ...{ hostname: "127.0.0.1", port },
    async fetch(request) {
      const { data } = signatures.verify(await request.text(), Object.fromEntries(request.headers)) as {
        data: { kind: string; run_id: string };
      };
      const event = `${new URL(request.url).pathname} ${data.run_id} ${data.kind}`;
      received.set(event, (received.get(event) ?? new Set()).add(request.headers.get("webhook-id") ?? ""));
      count++;
      return new Response();
    },
  });
  return {
    origin: server.url.origin,
    async settle({ sessions, projects }) {
      const expected = Array.from({ length: sessions }, (_, session) =>
        toldKinds.map((kind) => `/${projectOf(session, projects)} ${runOf(session)} ${kind}`),
      ).flat();
      for (const end = performance.now() + patienceMs; performance.now() < end; await Bun.sleep(100))
        if (expected.every((event) => received.has(event))) break;
      const renamed = [...received].filter(([, ids]) => ids.size > 1);
      if (renamed.length > 0) throw new Error(`${renamed[0]} came under several IDs`);
      if (received.size > expected.length) throw new Error(`${received.size - expected.length} more came`);
      return { missing: expected.filter((event) => !received.has(event)), repeated: count - received.size };
    },
    stop: () => server.stop(true),
  };
}
