/**
 * Appends through `POST /events` of several nodes with one Postgres, beside it and some network away: what an
 * event costs all of them together with Postgres. All nodes append to the same projects.
 */
import { startPostgres } from "../../support/database/postgres.ts";
import { eventOf, projects, timeOf } from "../measuring/events.ts";
import { http, type Sample, unique, wrk } from "../measuring/load.ts";
import { inRounds, median, type Place, type Result, ratioOf } from "../measuring/measure.ts";
import { cpuSeconds } from "../measuring/process-cost.ts";
import { bearer, serveSvc, withData } from "../measuring/svc.ts";
import { type Measure, resultOf } from "../measuring/targets.ts";

/** In each direction. */
const delays = [0, 2, 10] as const;
const rounds = 3;
const seconds = 4;
const variety = 100;
const counts = [1, 2, 4] as const;

/**
 * How many events are in a request, and how many clients send them to a node: a part of all, or as many to
 * each. A commit holds what the clients of one node send meanwhile, and costs little more for many events.
 */
const kinds = {
  "batches of 100": { size: 100, clientsOf: (nodes: number) => 16 / nodes },
  "single events of 64 writers": { size: 1, clientsOf: (nodes: number) => 64 / nodes },
  "single events of 64 writers a node": { size: 1, clientsOf: () => 64 },
} as const;
type Kind = keyof typeof kinds;

function requestsOf(size: number): string[] {
  const headers = { ...bearer, "Content-Type": "application/json" };
  return Array.from({ length: variety }, (_, request) => {
    const events = Array.from({ length: size }, (_, at) => {
      const index = request * size + at;
      return { ...eventOf(index), dedupe_key: `nodes:${index}:${unique}` };
    });
    return http("POST", "/api/v1/events", headers, JSON.stringify({ events }));
  });
}

interface Cost {
  /** Seconds of CPU of all nodes and Postgres. */
  cpu: number;
  /** Events a second. */
  rate: number;
}

export async function measureAppendNodes(place: Place, svc: string): Promise<Result[]> {
  const results: Result[] = [];
  for (const delay of delays) results.push(...(await measureAt(place, svc, delay)));
  return results;
}

async function measureAt(place: Place, svc: string, delay: (typeof delays)[number]): Promise<Result[]> {
  const postgres = await startPostgres({ durable: true });
  try {
    await withData(postgres.url, (data) =>
      data.atomically(async (writes) => {
        for (const link of projects) await writes.linkProject(link, timeOf(0));
      }),
    );
    const url = new URL(postgres.url);
    const line = [process.execPath, `${import.meta.dir}/delayed-line.ts`, url.port, `${delay}`];
    url.host = new URL(await place.serve(line)).host;
    const nodes: string[] = [];
    for (const node of Array(Math.max(...counts)).keys())
      nodes.push(await serveSvc(place, svc, `node-${delay}-${node}`, { SVC_DATABASE_URL: url.href }));

    async function sideOf(kind: Kind, count: number): Promise<() => Promise<Cost>> {
      const { size, clientsOf } = kinds[kind];
      const requests = requestsOf(size);
      const loads = await Promise.all(
        nodes
          .slice(0, count)
          .map((node) =>
            wrk(place, { url: node, requests, connections: clientsOf(count), seconds, units: size }),
          ),
      );
      return async () => {
        const before = cpuSeconds(postgres.pid());
        const samples: Sample[] = await Promise.all(loads.map((load) => load()));
        const sum = (of: (sample: Sample) => number) =>
          samples.reduce((total, sample) => total + of(sample), 0);
        const ofNodes = sum(({ cpu, answers }) => cpu * answers);
        return {
          cpu: (ofNodes + cpuSeconds(postgres.pid()) - before) / sum(({ answers }) => answers),
          rate: sum(({ rate }) => rate),
        };
      };
    }

    const rows: Result[] = [];
    for (const kind of Object.keys(kinds) as Kind[]) {
      const sides = await Promise.all(
        counts.map(async (count) => [count, await sideOf(kind, count)] as const),
      );
      const costs = await inRounds<string, Cost>(rounds, Object.fromEntries(sides));
      const [one = []] = counts.map((count) => costs[count]);
      for (const count of [2, 4] as const) {
        const measure: Measure = `append on Postgres ${delay} ms away, ${kind}, ${count} nodes against one`;
        const found = costs[count] ?? [];
        const ratio = ratioOf(cpuOf(found), cpuOf(one));
        rows.push(resultOf(measure, describe(found), describe(one), ratio, median(cpuOf(found))));
      }
    }
    return rows;
  } finally {
    await postgres.stop();
  }
}

const cpuOf = (costs: readonly Cost[]): number[] => costs.map(({ cpu }) => cpu);

const describe = (costs: readonly Cost[]): string =>
  `${Math.round(median(cpuOf(costs)) * 1e6)} µs CPU, ${Math.round(median(costs.map(({ rate }) => rate)))} events/s`;
