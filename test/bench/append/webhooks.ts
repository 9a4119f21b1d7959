/**
 * 1,000 webhooks, a tenth of them dead (refused, hanging, 500): the time from the append of an event to its
 * receipt, and what they cost appends. Each is for the runs of one agent that finished, as a team would have
 * them: an event in twenty is for webhooks, and then for about 48.
 */
import { join } from "node:path";
import type { EventKind } from "../../../src/feed/schema.ts";
import { quantile } from "../../support/process-times.ts";
import { eventOf, makeDatabase, projects } from "../measuring/events.ts";
import { compareCpu, type Side, wrk } from "../measuring/load.ts";
import type { Place, Result } from "../measuring/measure.ts";
import { bearer, serveSvc, sqliteUrl, withData } from "../measuring/svc.ts";
import { limitedResult } from "../measuring/targets.ts";
import { append } from "./append.ts";

const webhooks = 1_000;
const deadEvery = 10;
const agentsOfProject = 7;
const eventsPerSecond = 100;
const forSeconds = 6;
const steadyEvents = eventsPerSecond * forSeconds;
const writers = 64;
/** How many different requests are sent in turn. */
const variety = 500;
/** How long an event may take to a live receiver. */
const lagMax = 2_000;
/** Past what the appends of other measurements use. */
const firstEvent = 500_000_000;

/** Adds the webhooks to a database. @param receiver the origin of the receiver */
async function addWebhooks(url: string, receiver: string): Promise<void> {
  const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
  const dead = ["http://127.0.0.1:9/", `${receiver}/hang`, `${receiver}/fail`];
  await withData(url, (data) =>
    data.atomically(async (writes) => {
      for (let index = 0; index < webhooks; index++) {
        const { slug } = projects[index % projects.length] as (typeof projects)[number];
        const agent = `agent:${slug}-${Math.floor(index / projects.length) % agentsOfProject}`;
        await writes.addWebhook({
          ...{ id: `w${String(index).padStart(4, "0")}`, name: null, owner: null, secret, created_at: 1 },
          url: (index % deadEvery === 0 && dead[(index / deadEvery) % dead.length]) || `${receiver}/live`,
          format: "json",
          filters: { kind: ["run.finished" as EventKind], project: [slug], actor: [agent] },
        });
      }
    }),
  );
}

/** Sends so many single events at a steady rate. */
async function sendSteadily(url: string, first: number, perSecond: number, count: number): Promise<void> {
  const startedAt = performance.now();
  const open: Promise<unknown>[] = [];
  for (let sent = 0; sent < count; sent++) {
    await Bun.sleep(Math.max(0, startedAt + (sent * 1000) / perSecond - performance.now()));
    open.push(
      fetch(`${url}/api/v1/events`, {
        method: "POST",
        headers: { ...bearer, "content-type": "application/json" },
        body: JSON.stringify({ events: [eventOf(first + sent)] }),
      }).then((response) => response.arrayBuffer()),
    );
  }
  await Promise.all(open);
}

/** Waits until nothing is received any more. @returns milliseconds from append to receipt */
async function receivedTimes(receiver: string): Promise<number[]> {
  const read = async (): Promise<number[]> => (await fetch(`${receiver}/times`)).json();
  const times: number[] = [];
  for (let quiet = 0; quiet < 3; ) {
    await Bun.sleep(250);
    const some = await read();
    quiet = some.length === 0 ? quiet + 1 : 0;
    times.push(...some);
  }
  return times;
}

export async function measureWebhooks(place: Place, svc: string): Promise<Result[]> {
  const receiver = await place.serve([
    process.execPath,
    join(import.meta.dir, "../plain/webhook-receiver.ts"),
  ]);
  for (const name of ["with", "without"]) await makeDatabase(place.path(`${name}/svc.db`), 0);
  await addWebhooks(sqliteUrl(place, "with"), receiver);
  const serve = (name: string) => serveSvc(place, svc, name, { SVC_WEBHOOK_ALLOW: "127.0.0.1" });
  const urls = { with: await serve("with"), without: await serve("without") };
  // So many that all webhooks have had some: the dead ones are known, as they are on most days.
  await sendSteadily(urls.with, firstEvent, eventsPerSecond * 5, steadyEvents);
  await receivedTimes(receiver);
  const before = place.cpuSeconds(urls.with);
  await sendSteadily(urls.with, firstEvent + steadyEvents, eventsPerSecond, steadyEvents);
  const cpu = ((place.cpuSeconds(urls.with) - before) / forSeconds) * 100;
  const times = await receivedTimes(receiver);
  const [p50, p99, most = 0] = [0.5, 0.99, 1].map((share) => quantile(times, share));
  const load = async (name: keyof typeof urls): Promise<Side> => {
    const requests = Array.from({ length: variety }, (_, index) => append(index, 1));
    const side = await wrk(place, { url: urls[name], requests, connections: writers });
    return async () => {
      const sample = await side();
      // What is put off until now must not slow down the next run.
      if (name === "with") await receivedTimes(receiver);
      return sample;
    };
  };
  const costs = await compareCpu(
    { with: await load("with"), without: await load("without") },
    [["append, single events of 64 writers, with 1,000 webhooks against none", "with", "without"]],
    { unit: "events" },
  );
  return [
    limitedResult(
      `webhooks, ${webhooks} of which a tenth is dead: append to receipt at ${eventsPerSecond} events/s`,
      `p50 ${p50} ms, p99 ${p99} ms, max ${most} ms; ${times.length / forSeconds} received/s, ${cpu.toFixed(0)} % CPU`,
      most,
      [lagMax, "ms"],
    ),
    ...costs,
  ];
}
