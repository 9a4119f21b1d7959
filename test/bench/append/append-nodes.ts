/**
 * Single events through `POST /events` of several nodes with one Postgres, 2 ms of network away. Each node
 * gets the events of a project of its own.
 */
import { startPostgres } from "../../support/database/postgres.ts";
import { eventOf, projects as linked, timeOf } from "../measuring/events.ts";
import { http, type Sample, unique, wrk } from "../measuring/load.ts";
import { median, type Place, type Result } from "../measuring/measure.ts";
import { bearer, serveSvc, withData } from "../measuring/svc.ts";
import { resultOf } from "../measuring/targets.ts";

const delayMs = 2;
const rounds = 3;
const seconds = 3;
const variety = 200;
const nodesMax = 4;
const projects = [...linked, { slug: "delta", repo: "acme/delta" }];

function requestsOf(project: string): string[] {
  return Array.from({ length: variety }, (_, index) => {
    const event = { ...eventOf(index), project, dedupe_key: `nodes:${project}:${unique}` };
    const headers = { ...bearer, "Content-Type": "application/json" };
    return http("POST", "/api/v1/events", headers, JSON.stringify({ events: [event] }));
  });
}

export async function measureAppendNodes(place: Place, svc: string): Promise<Result[]> {
  const postgres = await startPostgres({ durable: true });
  try {
    await withData(postgres.url, (data) =>
      data.atomically(async (writes) => {
        for (const link of projects) await writes.linkProject(link, timeOf(0));
      }),
    );
    const url = new URL(postgres.url);
    const line = [process.execPath, `${import.meta.dir}/delayed-line.ts`, url.port, `${delayMs}`];
    url.host = new URL(await place.serve(line)).host;
    const nodes: string[] = [];
    for (let index = 0; index < nodesMax; index++)
      nodes.push(await serveSvc(place, svc, `node-${index}`, { SVC_DATABASE_URL: url.href }));
    const load = (node: number, connections: number) =>
      wrk(place, {
        ...{ url: nodes[node] as string, requests: requestsOf((projects[node] as { slug: string }).slug) },
        ...{ connections, seconds },
      });
    const single = await Promise.all(nodes.map((_, node) => load(node, 1)));
    const sides = {
      one: single.slice(0, 1),
      two: single.slice(0, 2),
      four: single,
      many: [await load(0, 64)],
    };
    const rates = { one: [], two: [], four: [], many: [] } as Record<keyof typeof sides, number[]>;
    for (let round = -1; round < rounds; round++)
      for (const [name, side] of Object.entries(sides) as [keyof typeof sides, typeof single][]) {
        const samples: Sample[] = await Promise.all(side.map((run) => run()));
        if (round >= 0) rates[name].push(samples.reduce((sum, { rate }) => sum + rate, 0));
      }
    const one = median(rates.one);
    const row = (measure: Parameters<typeof resultOf>[0], name: keyof typeof sides): Result =>
      resultOf(measure, perSecond(median(rates[name])), perSecond(one), median(rates[name]) / one);
    return [
      row("append on Postgres 2 ms away, one writer each on two nodes, against one", "two"),
      row("append on Postgres 2 ms away, one writer each on four nodes, against one", "four"),
      row("append on Postgres 2 ms away, 64 writers on one node, against one", "many"),
    ];
  } finally {
    await postgres.stop();
  }
}

const perSecond = (rate: number): string => `${Math.round(rate)} events/s`;
