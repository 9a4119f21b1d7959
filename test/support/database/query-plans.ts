/** Query plans: records every statement of some reads and has the database explain it. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll } from "bun:test";
import { SQL } from "bun";
import { drizzle as drizzleBun } from "drizzle-orm/bun-sql";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { postgres } from "../../../db/dialect/postgres.ts";
import { sqlite } from "../../../db/dialect/sqlite.ts";
import { emptyCaches, type Session } from "../../../db/engine/session.ts";
import { readsOf } from "../../../db/queries.ts";
import { postgresTables } from "../../../db/schema/postgres-tables.ts";
import { sqliteTables, type Tables } from "../../../db/schema/sqlite-tables.ts";
import type { Reads } from "../../../src/api/port.ts";
import { type Dialect, fileOf, type TestData } from "../harness.ts";
import { openLargeLog, type ReadCalls } from "./large-log.ts";

/** A step of a plan that reads more rows than the statement returns. */
export interface Waste {
  /** The table it reads, or the name of a subquery. */
  of: string;
  what: "full scan" | "filters rows" | "sorts";
}

export interface Plans {
  /** The wasteful steps in the plans of these reads. */
  wasted(work: (reads: Reads) => Promise<unknown>): Promise<Waste[]>;
  /** The plans' steps as the database describes them. */
  steps(work: (reads: Reads) => Promise<unknown>): Promise<string[]>;
  close(): Promise<void>;
}

export const openPlans = (dialect: Dialect, url: string): Plans =>
  dialect === "sqlite" ? litePlans(fileOf({ url })) : pgPlans(url);

export interface PlannedData {
  readonly testData: TestData;
  readonly plans: Plans;
  /** The distinct wasteful steps in the plans of several reads, such as `sorts: runs`. */
  wasted(works: ReadCalls[]): Promise<string[]>;
}

/** Opens a database, by default the large log, and its plans for the tests of a suite. */
export function usePlans(
  dialect: Dialect,
  setUp: (testData: TestData) => Promise<unknown> = async () => {},
  open: (dialect: Dialect) => Promise<TestData> = openLargeLog,
): PlannedData {
  let testData: TestData;
  let plans: Plans;
  beforeAll(async () => {
    testData = await open(dialect);
    await setUp(testData);
    plans = openPlans(dialect, testData.url);
  });
  afterAll(async () => {
    await plans.close();
    await testData.close();
  });
  return {
    get testData() {
      return testData;
    },
    get plans() {
      return plans;
    },
    async wasted(works) {
      const found = new Set<string>();
      for (const work of works)
        for (const { of, what } of await plans.wasted(work)) found.add(`${what}: ${of}`);
      return [...found];
    },
  };
}

function litePlans(path: string): Plans {
  const database = new Database(path, { readonly: true });
  const tables = new Set(
    database
      .query<{ name: string }, []>("select name from sqlite_schema where type = 'table'")
      .all()
      .map((row) => row.name),
  );
  const recorded = new Set<string>();
  const prepare = database.prepare.bind(database);
  database.prepare = ((text: string) => {
    recorded.add(text);
    return prepare(text);
  }) as typeof database.prepare;
  const reads = readsOf({ db: drizzle(database), t: sqliteTables(), dialect: sqlite, ...emptyCaches() });
  async function explain(work: (reads: Reads) => Promise<unknown>) {
    recorded.clear();
    await work(reads);
    return [...recorded].flatMap((text) =>
      prepare<{ detail: string }, []>(`explain query plan ${text}`)
        .all()
        .map(({ detail }) => ({ detail, text })),
    );
  }
  return {
    async wasted(work) {
      const steps = await explain(work);
      return steps
        .flatMap(({ detail, text }) => wasteOfStep(detail, text))
        .filter(({ of, what }) => what === "sorts" || tables.has(of));
    },
    steps: async (work) => (await explain(work)).map(({ detail }) => detail),
    async close() {
      database.close();
    },
  };
}

/**
 * Parses a step of SQLite's `explain query plan`. A scan in key order without a condition stops at the end of
 * the page, so it is not wasteful.
 */
function wasteOfStep(detail: string, text: string): Waste[] {
  const [, scanned, using] = /^SCAN (\S+)(.*)$/.exec(detail) ?? [];
  const outer = text.replace(/\(select[^()]*\)/g, "()");
  const [, ordered = "where"] = new RegExp(`from "?${scanned}"?([^()]*)\\blimit\\b`).exec(outer) ?? [];
  const isPage = !/\bwhere\b/.test(ordered);
  if (scanned) return isPage || using?.includes("VIRTUAL TABLE") ? [] : [{ of: scanned, what: "full scan" }];
  // `LAST … TERMS` sorts only rows with equal leading terms.
  return /TEMP B-TREE FOR (?!LAST)/.test(detail) ? [{ of: "matches", what: "sorts" }] : [];
}

interface Step {
  "Node Type": string;
  "Relation Name"?: string;
  Alias?: string;
  "Index Cond"?: string;
  Filter?: string;
  Plans?: Step[];
}

function pgPlans(url: string): Plans {
  // Postgres scans a small table whatever its indexes are; disabled, it plans as for a table of millions.
  const connection = {
    enable_seqscan: "off",
    enable_bitmapscan: "off",
    enable_sort: "off",
    enable_hashjoin: "off",
    enable_mergejoin: "off",
  };
  const sql = new SQL(url, { max: 1, connection });
  const { reads, recorded } = recordedReads(sql, postgres);
  async function explain(work: (reads: Reads) => Promise<unknown>, options: string) {
    recorded.clear();
    await work(reads);
    const plans: { "QUERY PLAN": unknown }[] = [];
    for (const [text, values] of [...recorded])
      plans.push(...(await sql.unsafe(`explain (${options}) ${text}`, values)));
    return plans.map((row) => row["QUERY PLAN"]);
  }
  return {
    async wasted(work) {
      const plans = (await explain(work, "format json")) as [{ Plan: Step }][];
      const [{ version }] = await sql`select current_setting('server_version_num')::int as version`;
      return plans.flatMap(([{ Plan }]) => wasteOf(Plan, false, version >= readsListsInOrder));
    },
    steps: async (work) => (await explain(work, "costs off")) as string[],
    async close() {
      await sql.close();
    },
  };
}

function recordedReads(sql: SQL, dialect: Session["dialect"]) {
  const recorded = new Map<string, unknown[]>();
  const client = new Proxy(sql, {
    get: (target, name) =>
      name === "unsafe"
        ? (text: string, values: unknown[] = []) => {
            recorded.set(text, values);
            return target.unsafe(text, values);
          }
        : Reflect.get(target, name),
  });
  // Safe: the queries are the same for both (see db/schema/columns.ts)
  const db = drizzleBun({ client }) as unknown as Session["db"];
  const reads = readsOf({ db, t: postgresTables() as Tables, dialect, ...emptyCaches() });
  return { reads, recorded };
}

/** Explains reads as Postgres plans a statement once for all values. */
export function openGenericPlans(url: string, isPartitioned: boolean): Pick<Plans, "steps" | "close"> {
  const sql = new SQL(url, { max: 1, connection: { plan_cache_mode: "force_generic_plan" } });
  const { reads, recorded } = recordedReads(sql, { ...postgres, ...(isPartitioned && { isPartitioned }) });
  return {
    async steps(work) {
      recorded.clear();
      await work(reads);
      const plans: { "QUERY PLAN": string }[] = [];
      for (const [text, values] of [...recorded]) {
        await sql.unsafe(`prepare recorded as ${text}`);
        const list = values.map((value) => `'${value}'`).join(", ");
        plans.push(...(await sql.unsafe(`explain (costs off) execute recorded${list && `(${list})`}`)));
        await sql`deallocate recorded`.simple();
      }
      return plans.map((row) => row["QUERY PLAN"]);
    },
    close: () => sql.close(),
  };
}

/**
 * Postgres 17 reads an index in order for a list of keys. Before, a small table is read in order and filtered
 * by the list, as nothing may be sorted here; one of 100,000 rows is read by the list.
 */
const readsListsInOrder = 170_000;
const listFilter = /^\(\w+ = ANY \([^()]*\)\)$/;

function wasteOf(step: Step, limited: boolean, isInOrder: boolean): Waste[] {
  const { "Node Type": type, "Relation Name": of = step.Alias ?? "" } = step;
  const below = (step.Plans ?? []).flatMap((child) =>
    wasteOf(child, type === "Limit" || (limited && type !== "Aggregate"), isInOrder),
  );
  if (type === "Seq Scan") return [{ of, what: "full scan" }, ...below];
  if (/^Index/.test(type)) {
    const isList = !isInOrder && listFilter.test(step.Filter ?? "");
    if (step.Filter && !isList) return [{ of, what: "filters rows" }, ...below];
    if (!step["Index Cond"] && !limited) return [{ of, what: "full scan" }, ...below];
  }
  // An incremental sort only sorts rows with an equal leading key.
  return type === "Sort" ? [{ of: "matches", what: "sorts" }, ...below] : below;
}
