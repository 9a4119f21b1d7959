/**
 * 10,000 live agents on one server with SQLite: sessions that start with their brief, report a usage each ten
 * seconds, and finish; a fifth of them waits for reviews; 200 webhooks. In the middle the server is killed and
 * started again. The server has one core, the agents another. A number takes less than five minutes. If 10,000 are too
 * many, half as many are tried, and so on: the limit is between the last two. `bun run bench agents 20000 40000`
 * measures these.
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { generateSecret } from "../../../src/integrations/webhooks/destination/sign.ts";
import { freePort } from "../../support/servers/proxy.ts";
import type { Options, Place, Result } from "../measuring/measure.ts";
import { sqliteUrl, withData } from "../measuring/svc.ts";
import type { Drive, Driven } from "./driver.ts";
import { fleetRows, type Used } from "./fleet-rows.ts";
import { seedFleet } from "./seed.ts";
import { type Acknowledged, type Plan, runOf } from "./sessions.ts";

const usual = 10_000;
/** Fewer need no limit: a laptop runs them. */
const fewest = 1_000;
/** A token may have 8 waits. */
const waitsPerToken = 8;
const webhooks = 200;
const reviewsPerSecond = 5;
const [rampMs, reportEveryMs, forMs] = [100_000, 10_000, 140_000];
const killAfterMs = rampMs + 20_000;
const [timeoutMs, graceMs] = [10_000, 20_000];

export async function measureAgents(place: Place, svc: string, { sizes }: Options): Promise<Result[]> {
  const results: Result[] = [];
  if (sizes) {
    for (const sessions of sizes) results.push(...(await measureFleet(place, svc, sessions)));
    return results;
  }
  for (let sessions = usual; sessions >= fewest; sessions = Math.round(sessions / 2)) {
    const rows = await measureFleet(place, svc, sessions);
    results.push(...rows);
    if (rows.every(({ reached }) => reached)) break;
  }
  return results;
}

async function measureFleet(place: Place, svc: string, sessions: number): Promise<Result[]> {
  const name = `agents-${sessions}`;
  const [secret, port, receiverPort] = [generateSecret(), await freePort(), await freePort()];
  const receiver = `http://127.0.0.1:${receiverPort}`;
  const waits = Math.ceil(sessions / 5);
  const assets = waits + Math.ceil((reviewsPerSecond * forMs) / 1000);
  const tokens = Math.ceil(waits / waitsPerToken);
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
    ...{ rampMs, reportEveryMs, forMs, timeoutMs, graceMs },
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
  const lost = lostEvents(place.path(`${name}/svc.db`), driven.acknowledged);
  await place.stop(url);
  return fleetRows(plan, driven, { ...used, megabytes }, lost);
}

/** Kills the server once all sessions have run for a while, and starts it again. */
async function killInTheMiddle(place: Place, url: string, serve: () => Promise<string>): Promise<Used> {
  const startedAt = performance.now();
  const atStart = place.cpuSeconds(url);
  await Bun.sleep(rampMs);
  const atWork = place.cpuSeconds(url);
  const cpuOfStarts = (atWork - atStart) / ((performance.now() - startedAt) / 1000);
  const allAt = performance.now();
  await Bun.sleep(killAfterMs - rampMs);
  const cpuOfAll = (place.cpuSeconds(url) - atWork) / ((performance.now() - allAt) / 1000);
  const megabytes = place.peakMemory(url);
  const killedAt = performance.now();
  await place.stop(url);
  await serve();
  const restartedAt = performance.now();
  return {
    ...{ megabytes, cpuOfStarts, cpuOfAll },
    killedAtMs: killedAt - startedAt,
    outageMs: restartedAt - killedAt,
  };
}

/** @returns how many acknowledged events are not in the feed, and how many events are there twice */
function lostEvents(path: string, acknowledged: readonly Acknowledged[]): number {
  using database = new Database(path, { readonly: true });
  const rows = database
    .query<{ run_id: string; kind: string; count: number; keys: number }, []>(
      `select run_id, kind, count(*) as count, count(distinct dedupe_key) as keys
        from events where run_id like 'fleet-run-%' group by 1, 2`,
    )
    .all();
  const twice = rows.reduce((sum, { count, keys }) => sum + count - keys, 0);
  const found = new Map(rows.map(({ run_id, kind, count }) => [`${run_id} ${kind}`, count]));
  const missing = acknowledged.flatMap(({ start, report, finish }, session) =>
    Object.entries({ "run.started": start, "step.usage": report, "run.finished": finish }).map(
      ([kind, count]) => Math.max(0, count - (found.get(`${runOf(session)} ${kind}`) ?? 0)),
    ),
  );
  return twice + missing.reduce((sum, one) => sum + one, 0);
}
