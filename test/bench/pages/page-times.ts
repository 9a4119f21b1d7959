/**
 * Every page and list of a deployment with 20,000 events, 5,000 tasks and 10,000 assets, on both databases:
 * the CPU of the slowest, against a limit. Standard error gets each of them: the first request, later ones.
 * `bun run bench page-times 20000 1000000` measures them with a million events, too.
 */
import { startPostgres } from "../../support/database/postgres.ts";
import type { Options, Place, Result } from "../measuring/measure.ts";
import { analyze, sqliteUrl } from "../measuring/svc.ts";
import { type Measure, resultOf } from "../measuring/targets.ts";
import { fillDeployment } from "./deployment.ts";
import { type Database, listPaths, measureServerTimes, pagePaths, type ServerTime } from "./server-time.ts";

const usual = { events: 20_000, assets: 10_000 };
const large = { events: 1_000_000, assets: 21_000 };
type Size = typeof usual;
const firstMs = 60;
/** At a million events, a page is to cost what its bounded reads do. */
const laterMs = (size: Size): number => (size === large ? 10 : 50);

export async function measurePageTimes(
  place: Place,
  svc: string,
  { sizes = [] }: Pick<Options, "sizes"> = {},
): Promise<Result[]> {
  const results = await measureSize(place, svc, usual);
  return sizes.includes(large.events) ? [...results, ...(await measureSize(place, svc, large))] : results;
}

async function measureSize(place: Place, svc: string, size: Size): Promise<Result[]> {
  const url = sqliteUrl(place, `page-times-${size.events}`);
  const onSqlite = await rowsOf(svc, "SQLite", { url }, size);
  const postgres = await startPostgres({ durable: false });
  try {
    const database = { url: postgres.url, pid: postgres.pid() };
    return [...onSqlite, ...(await rowsOf(svc, "Postgres", database, size))];
  } finally {
    await postgres.stop();
  }
}

async function rowsOf(
  svc: string,
  name: "SQLite" | "Postgres",
  database: Database,
  size: Size,
): Promise<Result[]> {
  const of = size === large ? (`${name}, a million events` as const) : name;
  await fillDeployment(database.url, size);
  if (name === "Postgres") await analyze(database.url);
  const pages = await measureServerTimes(svc, database, pagePaths, "one each");
  const lists = await measureServerTimes(svc, database, listPaths, "one");
  for (const { path, first, later, bytes } of [...pages, ...lists])
    process.stderr.write(`${name} ${first.toFixed(1)} ${later.toFixed(1)} ms, ${bytes} bytes: ${path}\n`);
  return [
    slowest(`the slowest page on ${of}, first request of a process`, pages, "first", firstMs),
    slowest(`the slowest page on ${of}, after a change`, pages, "later", laterMs(size)),
    slowest(`the slowest list on ${of}, after a change`, lists, "later", laterMs(size)),
  ];
}

function slowest(measure: Measure, times: ServerTime[], which: "first" | "later", limitMs: number): Result {
  const [worst] = times.toSorted((a, b) => b[which] - a[which]);
  const { path = "", [which]: ms = 0 } = worst ?? {};
  return resultOf(measure, `${ms.toFixed(1)} ms CPU, ${path}`, `${limitMs} ms CPU`, ms / limitMs, ms);
}
