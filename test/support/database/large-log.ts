/** A large log, and the wasteful steps of reads of it. */
import type { Data, Reads } from "../../../src/api/port.ts";
import type { columnFilters, FeedFilter } from "../../../src/feed/filters.ts";
import {
  type Dialect,
  filledDatabase,
  link,
  openTestData,
  rowsOf,
  type TestData,
  testClock,
  writeTo,
} from "../harness.ts";

const count = 30_000;
export const newest = Date.UTC(2026, 5, 1) * 1000;

export type ReadCalls = (reads: Reads) => Promise<unknown>;

/** Every subset of the fields. */
export function subsets<T extends object>(fields: Required<T>): Partial<T>[] {
  let sets: Partial<T>[] = [{}];
  for (const [field, value] of Object.entries(fields))
    sets = sets.flatMap((set) => [set, { ...set, [field]: value }]);
  return sets;
}

/**
 * A project, a kind, an actor and a lane, each on a third of the log's first half and absent from the second.
 */
export const silent = {
  project: "quiet",
  kind: "pr.review",
  actor: "agent:old",
  lane: "lane_c",
} as const satisfies Required<Pick<FeedFilter, (typeof columnFilters)[number]>>;

/** The text of an event in SQL, with the fields that reads and derived rows use. */
function textOf(dialect: Dialect): string {
  const columns = ["id", "kind", "actor", "project", "lane", "issue", "pr"].map(
    (name) => `'${name}', ${name}`,
  );
  const counts = ["tokens_in", "tokens_out", "cache_read", "cache_write", "cost_equiv"].map(
    (name) => `'${name}', 0`,
  );
  const fields = [...columns, ...counts, "'summary', 'A step'", "'model', null", "'url', null"].join();
  return dialect === "sqlite" ? `json_object(${fields})` : `json_build_object(${fields})::text`;
}

/** Opens a database with 30,000 events of three projects, and 5,000 assets. */
export async function openLargeLog(dialect: Dialect): Promise<TestData> {
  if (dialect === "sqlite") {
    // Half a second: not worth a folder that the processes of a suite share.
    const testData = await openTestData(dialect);
    await fillLargeLog(dialect, testData.url, testData.data);
    return testData;
  }
  const filled = await filledDatabase("large_log", (url) =>
    writeTo(url, (data) => fillLargeLog(dialect, url, data)),
  );
  return openTestData(dialect, testClock(), undefined, filled);
}

async function fillLargeLog(dialect: Dialect, url: string, data: Data): Promise<void> {
  for (const slug of ["busy", "quiet", "other"]) await link(data, slug);
  const numbers =
    dialect === "sqlite"
      ? `with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < ${count - 1})`
      : `with numbers as (select generate_series(0::bigint, ${count - 1}) as n)`;
  const old = (value: string, others: string) =>
    `case when n < ${count / 2} and n % 3 = 0 then '${value}' else ${others} end`;
  await rowsOf(
    url,
    `insert into events (ts, id, kind, actor, project, lane, issue, pr, wire) ${numbers}
     select ts, id, kind, actor, project, lane, issue, pr, ${textOf(dialect)} from (
       select ${newest} - (${count} - n) * 2000000000 as ts, n + 10 as id,
         ${old(silent.kind, "case n % 7 when 0 then 'run.failed' else 'step.usage' end")} as kind,
         ${old(silent.actor, "'agent:' || (n % 90)")} as actor,
         ${old(silent.project, "case n % 5 when 0 then 'other' else 'busy' end")} as project,
         ${old(silent.lane, "case n % 2 when 0 then 'lane_a' else 'lane_b' end")} as lane,
         case when n % 10 = 0 then n % 900 end as issue, case when n % 10 = 1 then n % 700 end as pr
         from numbers) as event`,
  );
  await rowsOf(
    url,
    `insert into assets (id, project, issue, pr, title, kind, mime, size, sha256, version, root_id, status, waiting, has_thumb, created_by, created_at, tags)
     ${numbers} select 'a' || n, ${old("quiet", "'busy'")}, n % 900, n % 700, 'A picture', case n % 3 when 0 then 'image' else 'pdf' end, 'image/png', 1,
       'hash ' || n, 1, 'a' || n, case n % 4 when 0 then 'pending' else 'approved' end, n % 4, 1 = 0, 'bot:a', n, '[]' from numbers where n < 5000`,
  );
  await data.rebuildDerivedRows(["index"]);
  if (dialect === "postgres") await rowsOf(url, "analyze");
}
