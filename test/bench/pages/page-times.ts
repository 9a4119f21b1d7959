/**
 * Every page and list of a deployment with 20,000 events, 5,000 tasks and 10,000 assets, on both databases:
 * the CPU of the slowest, against a limit. Standard error gets each of them: the first request, later ones.
 */
import { startPostgres } from "../../support/database/postgres.ts";
import type { Place, Result } from "../measuring/measure.ts";
import { sqliteUrl } from "../measuring/svc.ts";
import { type Measure, resultOf } from "../measuring/targets.ts";
import { fillDeployment } from "./deployment.ts";
import { type Database, listPaths, measureServerTimes, pagePaths, type ServerTime } from "./server-time.ts";

const size = { events: 20_000, assets: 10_000 };
const firstMs = 60;
const laterMs = 50;

export async function measurePageTimes(place: Place, svc: string): Promise<Result[]> {
  const onSqlite = await rowsOf(svc, "SQLite", { url: sqliteUrl(place, "page-times") });
  const postgres = await startPostgres({ durable: false });
  try {
    const database = { url: postgres.url, pid: postgres.pid() };
    return [...onSqlite, ...(await rowsOf(svc, "Postgres", database))];
  } finally {
    await postgres.stop();
  }
}

async function rowsOf(svc: string, name: "SQLite" | "Postgres", database: Database): Promise<Result[]> {
  await fillDeployment(database.url, size);
  const pages = await measureServerTimes(svc, database, pagePaths, "one each");
  const lists = await measureServerTimes(svc, database, listPaths, "one");
  for (const { path, first, later, bytes } of [...pages, ...lists])
    process.stderr.write(`${name} ${first.toFixed(1)} ${later.toFixed(1)} ms, ${bytes} bytes: ${path}\n`);
  return [
    slowest(`the slowest page on ${name}, first request of a process`, pages, "first", firstMs),
    slowest(`the slowest page on ${name}, after a change`, pages, "later", laterMs),
    slowest(`the slowest list on ${name}, after a change`, lists, "later", laterMs),
  ];
}

function slowest(measure: Measure, times: ServerTime[], which: "first" | "later", limitMs: number): Result {
  const [worst] = times.toSorted((a, b) => b[which] - a[which]);
  const { path = "", [which]: ms = 0 } = worst ?? {};
  return resultOf(measure, `${ms.toFixed(1)} ms CPU, ${path}`, `${limitMs} ms CPU`, ms / limitMs);
}
