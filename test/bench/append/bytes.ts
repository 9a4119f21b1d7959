/** What an event takes on disk with all its indexes, in three mixes of kinds, appended as they happen. */
import { Database } from "bun:sqlite";
import { openData } from "../../../db/open.ts";
import { type DatabaseSize, sizeOfFile, sizeOfPostgres } from "../measuring/database-size.ts";
import { eventOf, projects, timeOf } from "../measuring/events.ts";
import type { Place, Result } from "../measuring/measure.ts";
import { type Mix, mixes } from "../measuring/mixes.ts";
import { createDatabase } from "../measuring/svc.ts";
import { type Measure, resultOf } from "../measuring/targets.ts";

const eventCount = 50_000;
const batchLength = 500;

/** Both databases at the same time: nothing is timed. */
export async function measureBytes(place: Place): Promise<Result[]> {
  const postgres = await place.startPostgres({ durable: false });
  const [onSqlite, onPostgres] = await Promise.all([
    eachMix((mix) => rowOnSqlite(place.path(`bytes-${mix}.db`), mix)),
    eachMix((mix) => rowOnPostgres(postgres.url, mix)),
  ]);
  return onSqlite.flatMap((row, index) => [row, onPostgres[index] as Result]);
}

async function eachMix(row: (mix: Mix) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const mix of Object.keys(mixes) as Mix[]) results.push(await row(mix));
  return results;
}

async function rowOnSqlite(path: string, mix: Mix): Promise<Result> {
  await fill(`sqlite:${path}`, mix);
  new Database(path).exec("pragma wal_checkpoint(truncate)");
  return rowFor(mix, "SQLite", sizeOfFile(path));
}

async function rowOnPostgres(server: string, mix: Mix): Promise<Result> {
  const url = await createDatabase(server, `bytes_${mix}`);
  await fill(url, mix);
  return rowFor(mix, "Postgres", await sizeOfPostgres(url));
}

function rowFor(mix: Mix, database: "SQLite" | "Postgres", { bytes }: DatabaseSize): Result {
  const perEvent = bytes / eventCount;
  const measure: Measure = `bytes for an event, ${mix === "equal" ? "every kind alike" : mix}, on ${database}`;
  const line = lineBytes(mix);
  return resultOf(
    measure,
    `${Math.round(perEvent)} bytes`,
    `${Math.round(line)} bytes (a line of JSON)`,
    perEvent / line,
    perEvent,
  );
}

/** Of an event, as the client sends it. */
const lineBytes = (mix: Mix): number =>
  Array.from({ length: 1_000 }, (_, at) => JSON.stringify(eventOf(at, mix)).length + 1).reduce(
    (sum, bytes) => sum + bytes / 1_000,
    0,
  );

async function fill(url: string, mix: Mix): Promise<void> {
  let now = timeOf(0);
  const data = await openData(url, { now: () => now, log() {} });
  await data.atomically(async (writes) => {
    for (const link of projects) await writes.linkProject(link, now);
  });
  for (let first = 0; first < eventCount; first += batchLength) {
    const batch = Array.from({ length: batchLength }, (_, at) => ({
      ...{ run_id: null, cost_source: null, ...eventOf(first + at, mix) },
      dedupe_key: `bench:${first + at}`,
    }));
    now = timeOf(first + batchLength);
    await data.atomically((writes) => writes.append(batch));
  }
  await data.rebuildDerivedRows([]);
  await data.close();
}
