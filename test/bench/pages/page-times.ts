/**
 * Every page and list of a deployment with 20,000 events, 5,000 tasks and 10,000 assets, on both databases:
 * the CPU of the slowest, against a limit. Standard error gets each of them: the first request, later ones.
 * `bun run bench page-times 20000 1000000` measures them with a million events, too.
 */
import type { Options, Place, Result } from "../measuring/measure.ts";
import { addBenchToken, analyze } from "../measuring/svc.ts";
import { type Measure, resultOf } from "../measuring/targets.ts";
import { copyDeployment, fillDeployment, type Size, usualSize } from "./deployment.ts";
import {
  type Database,
  listPaths,
  measureFirstRequests,
  measureLaterRequests,
  type PageTime,
  pagePaths,
} from "./server-time.ts";

const large: Size = { events: 1_000_000, assets: 21_000 };
const firstMs = 60;
/** At a million events, a page is to cost what its bounded reads do. */
const laterMs = (size: Size): number => (size === large ? 10 : 50);

export async function measurePageTimes(
  place: Place,
  svc: string,
  { sizes = [] }: Pick<Options, "sizes"> = {},
): Promise<Result[]> {
  const results = await measureSize(place, svc, usualSize);
  return sizes.includes(large.events) ? [...results, ...(await measureSize(place, svc, large))] : results;
}

async function measureSize(place: Place, svc: string, size: Size): Promise<Result[]> {
  const path = place.path(`page-times-${size.events}/svc.db`);
  const postgres = await place.startPostgres({ durable: false });
  await Promise.all([copyDeployment(path, size), fillDeployment(postgres.url, size)]);
  await analyze(postgres.url);
  const onSqlite = await rowsOf(svc, "SQLite", { url: `sqlite:${path}` }, size);
  const database = { url: postgres.url, pid: postgres.pid() };
  return [...onSqlite, ...(await rowsOf(svc, "Postgres", database, size))];
}

async function rowsOf(
  svc: string,
  name: "SQLite" | "Postgres",
  database: Database,
  size: Size,
): Promise<Result[]> {
  const of = size === large ? (`${name}, a million events` as const) : name;
  await addBenchToken(database.url);
  const firsts = await measureFirstRequests(svc, database, pagePaths);
  const [pages = [], lists = []] = await measureLaterRequests(svc, database, [pagePaths, listPaths]);
  const firstPages = pages.map((page, index) => ({ ...page, ms: firsts[index] as number }));
  for (const [index, { path, ms, bytes }] of [...pages, ...lists].entries())
    process.stderr.write(
      `${name} ${firsts[index]?.toFixed(1) ?? ""} ${ms.toFixed(1)} ms, ${bytes} bytes: ${path}\n`,
    );
  return [
    slowest(`the slowest page on ${of}, first request of a process`, firstPages, firstMs),
    slowest(`the slowest page on ${of}, after a change`, pages, laterMs(size)),
    slowest(`the slowest list on ${of}, after a change`, lists, laterMs(size)),
  ];
}

function slowest(measure: Measure, times: PageTime[], limitMs: number): Result {
  const [worst] = times.toSorted((a, b) => b.ms - a.ms);
  const { path = "", ms = 0 } = worst ?? {};
  return resultOf(measure, `${ms.toFixed(1)} ms CPU, ${path}`, `${limitMs} ms CPU`, ms / limitMs, ms);
}
