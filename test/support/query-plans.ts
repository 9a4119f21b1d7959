/** What a database would do for a statement: every statement of the reads is heard, and asked about. */
import { Database } from "bun:sqlite";
import { SQL } from "bun";
import { drizzle as drizzleBun } from "drizzle-orm/bun-sql";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { emptyCaches, type Session } from "../../db/engine/session.ts";
import { readsOf } from "../../db/open.ts";
import { postgresTables, sqliteTables, type Tables } from "../../db/schema/tables.ts";
import type { Reads } from "../../src/data.ts";
import { type Dialect, fileOf } from "./harness.ts";

/** A step of a plan that reads more than it was asked for. */
export interface Waste {
  /** What it reads; a part of the statement that has a name of its own stands for itself. */
  of: string;
  what: "reads all of it" | "reads on for what fits" | "sorts";
}

export interface Plans {
  /** What is wasteful in the statements of these reads. */
  wasted(work: (reads: Reads) => Promise<unknown>): Promise<Waste[]>;
  /** What it reads, in the words of SQLite; of Postgres nothing. */
  steps(work: (reads: Reads) => Promise<unknown>): Promise<string[]>;
  close(): Promise<void>;
}

export const openPlans = (dialect: Dialect, url: string): Plans =>
  dialect === "sqlite" ? litePlans(fileOf({ url })) : pgPlans(url);

function litePlans(path: string): Plans {
  const database = new Database(path, { readonly: true });
  const tables = new Set(
    database
      .query<{ name: string }, []>("select name from sqlite_schema where type = 'table'")
      .all()
      .map((row) => row.name),
  );
  const heard = new Set<string>();
  const prepare = database.prepare.bind(database);
  database.prepare = ((text: string) => {
    heard.add(text);
    return prepare(text);
  }) as typeof database.prepare;
  const reads = readsOf({ db: drizzle(database), t: sqliteTables, dialect: "sqlite", ...emptyCaches() });
  async function hear(work: (reads: Reads) => Promise<unknown>) {
    heard.clear();
    await work(reads);
    return [...heard].flatMap((text) =>
      prepare<{ detail: string }, []>(`explain query plan ${text}`)
        .all()
        .map(({ detail }) => ({ detail, text })),
    );
  }
  return {
    async wasted(work) {
      const steps = await hear(work);
      return steps
        .flatMap(({ detail, text }) => wasteOfStep(detail, text))
        .filter(({ of, what }) => what === "sorts" || tables.has(of));
    },
    steps: async (work) => (await hear(work)).map(({ detail }) => detail),
    async close() {
      database.close();
    },
  };
}

/**
 * SQLite says in words what it does. What it reads in the order of a key, and of which nothing is refused,
 * ends with the page.
 */
function wasteOfStep(detail: string, text: string): Waste[] {
  const [, scanned, using] = /^SCAN (\S+)(.*)$/.exec(detail) ?? [];
  const [, ordered = "where"] = new RegExp(`from "?${scanned}"?([^()]*)\\blimit\\b`).exec(text) ?? [];
  const isPage = !/\bwhere\b/.test(ordered);
  if (scanned)
    return isPage || using?.includes("VIRTUAL TABLE") ? [] : [{ of: scanned, what: "reads all of it" }];
  // The last terms of an order are sorted among what has the same first one.
  return /TEMP B-TREE FOR (?!LAST)/.test(detail) ? [{ of: "what it found", what: "sorts" }] : [];
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
  // A small table is read whole whatever its indexes are; one of millions is not.
  const connection = {
    enable_seqscan: "off",
    enable_bitmapscan: "off",
    enable_sort: "off",
    enable_hashjoin: "off",
    enable_mergejoin: "off",
  };
  const sql = new SQL(url, { max: 1, connection });
  const heard = new Map<string, unknown[]>();
  const client = new Proxy(sql, {
    get: (target, name) =>
      name === "unsafe"
        ? (text: string, values: unknown[] = []) => {
            heard.set(text, values);
            return target.unsafe(text, values);
          }
        : Reflect.get(target, name),
  });
  // safe because: the queries are the same for both (see db/schema/columns.ts)
  const db = drizzleBun({ client }) as unknown as Session["db"];
  const reads = readsOf({ db, t: postgresTables as Tables, dialect: "postgres", ...emptyCaches() });
  return {
    async wasted(work) {
      heard.clear();
      await work(reads);
      const wasted: Waste[] = [];
      for (const [text, values] of [...heard]) {
        const [row] = await sql.unsafe(`explain (format json) ${text}`, values);
        wasted.push(...wasteOf(row["QUERY PLAN"][0].Plan, false));
      }
      return wasted;
    },
    steps: async () => [],
    async close() {
      await sql.close();
    },
  };
}

function wasteOf(step: Step, limited: boolean): Waste[] {
  const { "Node Type": type, "Relation Name": of = step.Alias ?? "" } = step;
  const below = (step.Plans ?? []).flatMap((one) =>
    wasteOf(one, type === "Limit" || (limited && type !== "Aggregate")),
  );
  if (type === "Seq Scan") return [{ of, what: "reads all of it" }, ...below];
  if (/^Index/.test(type)) {
    if (step.Filter) return [{ of, what: "reads on for what fits" }, ...below];
    if (!step["Index Cond"] && !limited) return [{ of, what: "reads all of it" }, ...below];
  }
  // An incremental one sorts among what has the same first key.
  return type === "Sort" ? [{ of: "what it found", what: "sorts" }, ...below] : below;
}
