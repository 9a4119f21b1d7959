/** Receives the webhooks of a fleet, one for each of its projects: the starts and ends of runs. */
import { Webhook } from "standardwebhooks";
import { type Acknowledged, type Plan, projectOf, type Report, runOf } from "./sessions.ts";

/** Of every run, in the order of the feed. */
export const toldKinds = ["run.started", "run.finished"] as const;

export interface Receipts {
  origin: string;
  /** Waits for what is on its way. @returns acknowledged events that did not come, and how many messages came again */
  settle(plan: Plan, report: Report): Promise<{ missing: string[]; repeated: number }>;
  stop(): Promise<void>;
}

const patienceMs = 30_000;

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
    async settle({ projects }, { acknowledged }) {
      const namesOf = (isCounted: (event: Acknowledged[keyof Acknowledged]) => boolean) =>
        acknowledged.flatMap(({ start, finish }, session) =>
          toldKinds
            .filter((kind) => isCounted(kind === "run.started" ? start : finish))
            .map((kind) => `/${projectOf(session, projects)} ${runOf(session)} ${kind}`),
        );
      const expected = namesOf((count) => count > 0);
      for (const end = performance.now() + patienceMs; performance.now() < end; await Bun.sleep(100))
        if (expected.every((event) => received.has(event))) break;
      const renamed = [...received].filter(([, ids]) => ids.size > 1);
      if (renamed.length > 0) throw new Error(`${renamed[0]} came under several IDs`);
      const others = new Set(received.keys()).difference(new Set(namesOf(() => true)));
      if (others.size > 0) throw new Error(`${others.size} came that no session sent`);
      return { missing: expected.filter((event) => !received.has(event)), repeated: count - received.size };
    },
    stop: () => server.stop(true),
  };
}
