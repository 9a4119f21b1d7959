/**
 * 10,000 live agents on one server with SQLite: sessions that start with their brief, report a usage each ten
 * seconds, and finish; 2,000 of them wait for reviews; 200 webhooks. In the middle the server is killed and started
 * again. The server has one core, the agents another. `bun run bench agents 20000 40000` looks for the limit.
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { generateSecret } from "../../../src/integrations/webhooks/destination/sign.ts";
import { freePort } from "../../support/servers/proxy.ts";
import type { Options, Place, Result } from "../measuring/measure.ts";
import { sqliteUrl, withData } from "../measuring/svc.ts";
import { limitedResult } from "../measuring/targets.ts";
import type { Drive, Driven } from "./driver.ts";
import { seedFleet } from "./seed.ts";
import { type Action, actions, type Plan } from "./sessions.ts";

const usual = 10_000;
const waits = 2_000;
/** A token may have 8 waits. */
const tokens = 250;
const webhooks = 200;
const reviewsPerSecond = 5;
const [rampMs, reportEveryMs, forMs] = [100_000, 10_000, 160_000];
const killAfterMs = rampMs + 30_000;
const limitMs = 250;
const limitMegabytes = 600;

export async function measureAgents(
  place: Place,
  svc: string,
  { sizes = [usual] }: Options,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const sessions of sizes) results.push(...(await measureFleet(place, svc, sessions)));
  return results;
}

async function measureFleet(place: Place, svc: string, sessions: number): Promise<Result[]> {
  const name = `agents-${sessions}`;
  const [secret, port, receiverPort] = [generateSecret(), await freePort(), await freePort()];
  const receiver = `http://127.0.0.1:${receiverPort}`;
  const assets = waits + Math.ceil((reviewsPerSecond * forMs) / 1000);
  const seeded = await withData(sqliteUrl(place, name), (data) =>
    seedFleet(data, { projects: webhooks, tokens, assets, receiver, secret }),
  );
  const serve = () =>
    place.serve(["taskset", "-c", "0", svc, "serve"], {
      ...{ SVC_DATABASE_URL: sqliteUrl(place, name), SVC_DATA_DIR: place.path(name), SVC_PORT: String(port) },
      ...{ SVC_RATE_LIMIT: "999999999/60", SVC_WEBHOOK_ALLOW: "127.0.0.1" },
    });
  const url = await serve();
  const plan: Plan = {
    ...{ url, sessions, ...seeded, waits, reviewsPerSecond },
    ...{ rampMs, reportEveryMs, forMs },
  };
  // A client of this many connections would otherwise queue its own requests.
  const drive = place.run<Drive, Driven>(
    ["taskset", "-c", "1", process.execPath, join(import.meta.dir, "driver.ts")],
    { BUN_CONFIG_MAX_HTTP_REQUESTS: "65000" },
  );
  const driving = drive({ plan, receiver: { port: receiverPort, secret } });
  const used = await killInTheMiddle(place, url, serve);
  const driven = await driving;
  const megabytes = Math.max(used.megabytes, place.peakMemory(url));
  const lost = lostEvents(place.path(`${name}/svc.db`), driven);
  await place.stop(url);
  return rowsOf(sessions, driven, { ...used, megabytes }, lost);
}

interface Used {
  /** Peak memory of the server. */
  megabytes: number;
  /** Share of its core while all sessions ran. */
  cpu: number;
  /** From the kill to the first answer of the next server. */
  outageMs: number;
}

/** Kills the server once all sessions have run for a while, and starts it again. */
async function killInTheMiddle(place: Place, url: string, serve: () => Promise<string>): Promise<Used> {
  await Bun.sleep(rampMs);
  const before = place.cpuSeconds(url);
  await Bun.sleep(killAfterMs - rampMs);
  const cpu = ((place.cpuSeconds(url) - before) * 1000) / (killAfterMs - rampMs);
  const megabytes = place.peakMemory(url);
  const killedAt = performance.now();
  await place.stop(url);
  await serve();
  return { megabytes, cpu, outageMs: performance.now() - killedAt };
}

/** @returns how many events of the sessions are not in the feed, or there twice */
function lostEvents(path: string, { reported }: Driven): number {
  using database = new Database(path, { readonly: true });
  const rows = database
    .query<{ run_id: string; kind: string; count: number }, []>(
      "select run_id, kind, count(*) as count from events where run_id like 'fleet-run-%' group by 1, 2",
    )
    .all();
  const found = new Map(rows.map(({ run_id, kind, count }) => [`${run_id} ${kind}`, count]));
  return reported.reduce((lost, steps, session) => {
    const wanted = { "run.started": 1, "step.usage": steps, "run.finished": 1 };
    const differences = Object.entries(wanted).map(([kind, count]) =>
      Math.abs(count - (found.get(`fleet-run-${session} ${kind}`) ?? 0)),
    );
    return lost + differences.reduce((sum, one) => sum + one);
  }, 0);
}

const labels: Record<Action, string> = {
  start: "start of a run",
  brief: "brief",
  report: "usage event",
  review: "review",
  wait: "review until the agent that waits has it",
  finish: "end of a run",
};

function rowsOf(sessions: number, driven: Driven, used: Used, lost: number): Result[] {
  const row = (what: string, svc: string, amount: number, limit: readonly [number, string]): Result =>
    limitedResult(`${sessions} agents, ${what}`, svc, amount, limit);
  const { missing, repeated, retries, busy } = driven;
  const share = (value: number) => `${Math.round(value * 100)} %`;
  return [
    ...actions.map((action) => {
      const sorted = driven.times[action].toSorted((a, b) => a - b);
      const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0;
      const text = `p99 ${at(0.99).toFixed(0)} ms, p50 ${at(0.5).toFixed(1)} ms of ${sorted.length}`;
      return row(labels[action], text, at(0.99), [limitMs, "ms"]);
    }),
    row(
      "peak memory",
      `${Math.round(used.megabytes)} MB, ${share(used.cpu)} CPU (load tool ${share(busy)} busy)`,
      used.megabytes,
      [limitMegabytes, "MB"],
    ),
    {
      measure: `${sessions} agents, events lost over a kill and restart`,
      svc: `${lost} of the feed, ${missing.length} of webhooks (${repeated} repeated; ${retries} requests retried; outage ${Math.round(used.outageMs)} ms)`,
      ...{ ceiling: "", ratio: lost + missing.length, amount: lost + missing.length },
      ...{ aim: "none lost", reached: lost + missing.length === 0 },
    },
  ];
}
