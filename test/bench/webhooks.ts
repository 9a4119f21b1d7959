/**
 * 1,000 webhooks, a tenth of them dead (refused, hanging, 500): the time from the append of an event to its
 * receipt, and what they cost appends. Each is for the runs of one agent that finished, as a team would have
 * them: an event in twenty is for webhooks, and then for about 48.
 */
import { join } from "node:path";
import { openData } from "../../db/open.ts";
import type { EventKind } from "../../src/feed/schema.ts";
import { eventOf, makeDatabase, projects } from "./events.ts";
import { inRounds, median, type Place, type Result, ratioOf } from "./measure.ts";
import { append, perSecond } from "./singles.ts";

const webhooks = 1_000;
const deadEvery = 10;
const agentsOfProject = 7;
const eventsPerSecond = 100;
const forSeconds = 20;
const writers = 64;
/** Long enough to see what deliveries cost the appends beside them. */
const singles = 3_000;
const rounds = 9;
/** How long an event may take to a live receiver. */
const lagMax = 2_000;
/** Past what the appends of other measurements use. */
const firstEvent = 500_000_000;

/** Adds the webhooks to a database. @param receiver its origin */
async function addWebhooks(path: string, receiver: string): Promise<void> {
  const data = await openData(`sqlite:${path}`, { now: () => Date.now() * 1000, log() {} });
  const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
  const dead = ["http://127.0.0.1:9/", `${receiver}/hang`, `${receiver}/fail`];
  await data.atomically(async (writes) => {
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
  });
  await data.close();
}

/** Sends single events at a steady rate. */
async function sendSteadily(url: string, first: number): Promise<void> {
  const startedAt = performance.now();
  const open: Promise<unknown>[] = [];
  for (let sent = 0; sent < eventsPerSecond * forSeconds; sent++) {
    await Bun.sleep(Math.max(0, startedAt + (sent * 1000) / eventsPerSecond - performance.now()));
    open.push(
      fetch(`${url}/api/v1/events`, {
        method: "POST",
        headers: { authorization: "Bearer bench", "content-type": "application/json" },
        body: JSON.stringify({ events: [eventOf(first + sent)] }),
      }).then((response) => response.arrayBuffer()),
    );
  }
  await Promise.all(open);
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number;

/** Waits until nothing is received any more. @returns milliseconds from append to receipt, sorted */
async function receivedTimes(receiver: string): Promise<number[]> {
  const read = async (): Promise<number[]> => (await fetch(`${receiver}/times`)).json();
  const times: number[] = [];
  for (let quiet = 0; quiet < 3; ) {
    await Bun.sleep(500);
    const some = await read();
    quiet = some.length === 0 ? quiet + 1 : 0;
    times.push(...some);
  }
  return times.sort((a, b) => a - b);
}

export async function measureWebhooks(place: Place, svc: string): Promise<Result[]> {
  const receiver = await place.serve([process.execPath, join(import.meta.dir, "plain/webhook-receiver.ts")]);
  for (const name of ["with", "without"]) await makeDatabase(place.path(`${name}.db`), 0);
  await addWebhooks(place.path("with.db"), receiver);
  const env = {
    ...{ SVC_PORT: "0", SVC_RATE_LIMIT: "off", SVC_API_TOKENS: "bench:feed:write" },
    SVC_WEBHOOK_ALLOW: "127.0.0.1",
  };
  const serve = (name: string) =>
    place.serve([svc, "serve"], { ...env, SVC_DATABASE_URL: `sqlite:${place.path(`${name}.db`)}` });
  const urls = { with: await serve("with"), without: await serve("without") };
  await sendSteadily(urls.with, firstEvent); // the dead ones are known by now, as they are on most days
  await receivedTimes(receiver);
  const before = place.cpuSeconds(urls.with);
  await sendSteadily(urls.with, firstEvent + eventsPerSecond * forSeconds);
  const cpu = ((place.cpuSeconds(urls.with) - before) / forSeconds) * 100;
  const times = await receivedTimes(receiver);
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => percentile(times, share)) as [
    number,
    number,
    number,
  ];
  let first = firstEvent * 2;
  const costs: Record<string, number[]> = { with: [], without: [] };
  const load = (name: keyof typeof urls) => async () => {
    const requests = Array.from({ length: singles }, () => append(first++, 1));
    const startedWith = place.cpuSeconds(urls[name]);
    const rate = await place.fire({ url: urls[name], connections: writers, requests });
    costs[name]?.push(((place.cpuSeconds(urls[name]) - startedWith) / singles) * 1e6);
    await receivedTimes(receiver); // what is put off until now must not slow down the next run
    return rate;
  };
  const found = await inRounds(rounds, { with: load("with"), without: load("without") });
  const ratio = ratioOf(found.with, found.without);
  const cpuOf = (name: string) => `${median(costs[name] as number[]).toFixed(0)} µs CPU each`;
  return [
    {
      measure: `webhooks, ${webhooks} of which a tenth is dead: append to receipt at ${eventsPerSecond} events/s`,
      svc: `p50 ${p50} ms, p99 ${p99} ms, max ${most} ms; ${times.length / forSeconds} received/s, ${cpu.toFixed(0)} % CPU`,
      ceiling: `${lagMax} ms`,
      ...{ ratio: most / lagMax, aim: "at most 1.00 x", reached: most <= lagMax },
    },
    {
      measure: `append, single events, ${writers} writers, with ${webhooks} webhooks against none`,
      svc: `${perSecond(found.with)}, ${cpuOf("with")}`,
      ceiling: `${perSecond(found.without)}, ${cpuOf("without")}`,
      ...{ ratio, aim: "at least 0.95 x", reached: ratio >= 0.95 },
    },
  ];
}
