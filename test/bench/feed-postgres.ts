/**
 * `GET /feed?limit=50` on Postgres: what a page takes of one core, the server and the database together,
 * beside what PostgREST made of one.
 */
import { readdirSync, readFileSync } from "node:fs";
import { openData } from "../../db/open.ts";
import { fromMicros } from "../../src/lib/time.ts";
import type { ExportedRow } from "../../src/maintenance.ts";
import { startPostgres } from "../support/postgres.ts";
import { columns, timeOf, valuesOf } from "./events.ts";
import { inRounds, median, type Place, type Result } from "./measure.ts";
import { againstPeer, servePrebuilt } from "./peers.ts";

const eventCount = 200_000;
const putAtOnce = 1_000;
const rounds = 9;
const forMs = 400;
const connections = 8;

export async function measureFeedOnPostgres(place: Place, svc: string): Promise<Result[]> {
  const postgres = await startPostgres({ durable: false }).catch(() => null);
  if (!postgres) return []; // no binaries for this machine
  try {
    await fill(postgres.url);
    const env = {
      SVC_DATABASE_URL: postgres.url,
      SVC_DATA_DIR: place.path("."),
      SVC_PORT: "0",
      SVC_RATE_LIMIT: "off",
      SVC_PUBLIC_READ: "1",
    };
    const url = await place.serve([svc, "serve"], env);
    const prebuilt = await servePrebuilt(place, await (await fetch(`${url}/api/v1/feed?limit=50`)).text());
    const results: Result[] = [];
    for (const where of ["newest", "random"] as const) {
      const requests = queries(where).map(
        (query) => `GET /api/v1/feed${query} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
      );
      const perCore: number[] = [];
      const found = await inRounds(rounds, {
        async ours() {
          const before = place.cpuSeconds(url) + cpuSecondsOfPostgres();
          const rate = await place.fire({ url, connections, forMs, requests });
          perCore.push((rate * (forMs / 1000)) / (place.cpuSeconds(url) + cpuSecondsOfPostgres() - before));
          return rate;
        },
        prebuilt: () =>
          place.fire({
            url: prebuilt,
            connections,
            forMs,
            requests: ["GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"],
          }),
      });
      const [rate, each] = [Math.round(median(found.ours)), (1e6 / median(perCore)).toFixed(0)];
      results.push(
        againstPeer(
          `feed on Postgres, ${where} page, per second of CPU time (${rate} pages/s, ${each} µs CPU each)`,
          "PostgREST on Postgres, a page of the feed",
          perCore,
          found.prebuilt,
          1.4,
        ),
      );
    }
    return results;
  } finally {
    await postgres.stop();
  }
}

const queries = (where: "newest" | "random"): string[] =>
  where === "newest"
    ? ["?limit=50"]
    : Array.from(
        { length: 500 },
        (_, index) => `?limit=50&before=${fromMicros(timeOf((index * 618_033) % eventCount))}`,
      );

async function fill(url: string): Promise<void> {
  const data = await openData(url, { now: () => Date.now() * 1000, log() {} });
  await data.replaceAllRows(async (rows) => {
    for (let first = 0; first < eventCount; first += putAtOnce) {
      const some = Array.from({ length: putAtOnce }, (_, index): ExportedRow => {
        const values = valuesOf(first + index, timeOf(first + index));
        return Object.fromEntries(columns.map((name, at) => [name, values[at]]));
      });
      await rows.put("events", some);
    }
    await rows.put("feed_head", [{ one: 1, id: eventCount, ts: timeOf(eventCount - 1) }]);
  });
  await data.close();
}

/** Of all its processes; the unit of Linux is a hundredth of a second. NaN where the system does not tell. */
function cpuSecondsOfPostgres(): number {
  let ticks = 0;
  for (const name of process.platform === "linux" ? readdirSync("/proc") : []) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const [head = "", fields = ""] = readFileSync(`/proc/${name}/stat`, "latin1").split(") ");
      if (!head.endsWith("(postgres")) continue;
      for (const part of fields.split(" ").slice(11, 13)) ticks += Number(part);
    } catch {
      // it ended meanwhile
    }
  }
  return process.platform === "linux" ? ticks / 100 : Number.NaN;
}
