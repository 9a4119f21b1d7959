/**
 * Appends through `POST /events` of four nodes with one Postgres against one node with another, beside it and
 * some network away: what an event costs the nodes together with their Postgres. Both are sent the same number
 * of events, every node the same number at the same time, and all append to the same projects. A read of tasks
 * ends a round, so that both have derived what their events change: a round is shorter on one node, which would
 * do that after it. What idle nodes take is no part of it: on a busy machine, where a round takes longer, that
 * would be most of the difference.
 */
import type { Postgres } from "../../support/database/postgres.ts";
import { eventOf, projects, timeOf } from "../measuring/events.ts";
import { median, type Place, type Result, ratioOf } from "../measuring/measure.ts";
import { cpuSeconds } from "../measuring/process-cost.ts";
import { bearer, read, serveSvc, withData } from "../measuring/svc.ts";
import { type Measure, resultOf } from "../measuring/targets.ts";
import { openDelayedLine } from "./delayed-line.ts";

/** In each direction. */
const delays = [0, 2, 10] as const;
const rounds = 3;
/**
 * How often every node appends as much as one node does in a round before it is measured. A process compiles to
 * machine code for its first tens of thousands of events, and each of four nodes gets a quarter of a round.
 */
const warmUps = 4;
const nodesMax = 4;
/** How long idle nodes are watched, and how often: after many appends, Postgres vacuums for some seconds. */
const idleMs = 1_000;
const idleTimes = 8;
const variety = 10_000;
/** How many events are in a request, how many clients send them to a node, and how many each sends one of four. */
const kinds = {
  "batches of 100 by 4 writers a node": { size: 100, writers: 4, requests: 2 },
  "single events of 64 writers a node": { size: 1, writers: 64, requests: 2 },
} as const;
type Kind = keyof typeof kinds;

interface Cost {
  /** Seconds of CPU of the nodes and Postgres for an event, beyond what they take when idle. */
  cpu: number;
  /** Events a second. */
  rate: number;
}

/** Nodes with a Postgres of their own, so that the nodes of another side do not wake up for their events. */
interface Side {
  setDelay(delay: number): Promise<unknown>;
  warmUp(kind: Kind): Promise<unknown>;
  append(kind: Kind): Promise<Cost>;
  rest(): Promise<void>;
}

export async function measureAppendNodes(place: Place, svc: string): Promise<Result[]> {
  const servers = [
    await place.startPostgres({ durable: true }),
    await place.startPostgres({ durable: true }),
  ] as const;
  const [one, four] = await Promise.all([
    sideOf(place, svc, servers[0], 1),
    sideOf(place, svc, servers[1], nodesMax),
  ]);
  for (let round = 0; round < warmUps; round++)
    for (const kind of Object.keys(kinds) as Kind[]) for (const side of [one, four]) await side.warmUp(kind);
  await Promise.all([one.rest(), four.rest()]);
  const results: Result[] = [];
  for (const delay of delays) {
    await Promise.all([one.setDelay(delay), four.setDelay(delay)]);
    for (const kind of Object.keys(kinds) as Kind[]) {
      const measure: Measure = `append on Postgres ${delay} ms away, ${kind}, 4 nodes against one`;
      const costs: [Cost[], Cost[]] = [[], []];
      for (let round = 0; round < rounds; round++) {
        costs[0].push(await one.append(kind));
        costs[1].push(await four.append(kind));
      }
      const [ofOne, ofFour] = costs.map(cpuOf) as [number[], number[]];
      const cells = [describe(costs[1]), describe(costs[0])] as const;
      results.push(resultOf(measure, ...cells, ratioOf(ofFour, ofOne), median(ofFour)));
    }
  }
  return results;
}

async function sideOf(place: Place, svc: string, postgres: Postgres, count: number): Promise<Side> {
  await withData(postgres.url, (data) =>
    data.atomically(async (writes) => {
      for (const link of projects) await writes.linkProject(link, timeOf(0));
    }),
  );
  const url = new URL(postgres.url);
  const { port, setDelay } = await openDelayedLine(place, Number(url.port));
  url.port = `${port}`;
  const start = (node: number) =>
    serveSvc(place, svc, `node-${count}-${node}`, { SVC_DATABASE_URL: url.href });
  const nodes = await Promise.all(Array.from({ length: count }, (_, node) => start(node)));

  const cpuSoFar = () =>
    nodes.reduce((sum, node) => sum + place.cpuSeconds(node), cpuSeconds(postgres.pid()));
  /** Seconds of CPU in a second. */
  let idle = 0;
  return {
    setDelay,
    async warmUp(kind) {
      await Promise.all(nodes.map((node) => load(node, kind, kinds[kind].requests * nodesMax)));
      await read(tasksOf(nodes));
    },
    async append(kind) {
      const { size, writers, requests } = kinds[kind];
      const before = cpuSoFar();
      const startedAt = performance.now();
      await Promise.all(nodes.map((node) => load(node, kind, (requests * nodesMax) / nodes.length)));
      const seconds = (performance.now() - startedAt) / 1_000;
      const events = nodesMax * writers * requests * size;
      await read(tasksOf(nodes));
      const secondsInAll = (performance.now() - startedAt) / 1_000;
      return { cpu: (cpuSoFar() - before - idle * secondsInAll) / events, rate: events / seconds };
    },
    async rest() {
      const found: number[] = [];
      while (found.length < idleTimes) {
        const before = cpuSoFar();
        await Bun.sleep(idleMs);
        found.push((cpuSoFar() - before) / (idleMs / 1_000));
      }
      idle = Math.min(...found);
    },
  };
}

/** A read that derives what the events changed. */
const tasksOf = ([node]: readonly string[]): string => `${node}/api/v1/tasks?limit=1`;

let sent = 0;

/** Each writer sends its next request when the last one is answered. */
async function load(node: string, kind: Kind, requests: number): Promise<void> {
  const { size, writers } = kinds[kind];
  const write = async () => {
    for (let request = 0; request < requests; request++) {
      const events = Array.from({ length: size }, () => ({
        ...eventOf(++sent % variety),
        dedupe_key: `nodes:${sent}`,
      }));
      const response = await fetch(`${node}/api/v1/events`, {
        method: "POST",
        headers: { ...bearer, "Content-Type": "application/json" },
        body: JSON.stringify({ events }),
      });
      if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
}

const cpuOf = (costs: readonly Cost[]): number[] => costs.map(({ cpu }) => cpu);

const describe = (costs: readonly Cost[]): string =>
  `${Math.round(median(cpuOf(costs)) * 1e6)} µs CPU, ${Math.round(median(costs.map(({ rate }) => rate)))} events/s`;
