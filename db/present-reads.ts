/**
 * Leaves out reads that would find nothing. drizzle takes longer to build a statement than SQLite to run it,
 * and most projects use few of the sources of a brief, so one statement looks which of them have rows
 * (`bun run bench help`).
 */
import type { Database } from "bun:sqlite";
import { lazy } from "../src/core/lib/lazy.ts";
import type { CoreReads } from "../src/core/port.ts";
import type { FeedReads } from "../src/feed/port.ts";
import type { RecallReads } from "../src/memory/port.ts";
import type { BriefReads } from "../src/overview/port.ts";

export type LocalReads = BriefReads & RecallReads & Pick<FeedReads, "projects"> & Pick<CoreReads, "setting">;

/** Reads of lists, and the table without whose rows each is empty. */
const tablesOfLists = {
  annotationReplies: "annotations",
  anchors: "decisions",
  assetsById: "assets",
  claims: "claims",
  confirmedDecisions: "decisions",
  contradictions: "decisions",
  decisions: "decisions",
  goneDecisions: "decisions",
  models: "models",
  pendingAssets: "assets",
  pendingSets: "assets",
  preferences: "preferences",
  proposedDecisions: "decisions",
  rejections: "decisions",
  retiredAnnotations: "annotations",
  rollups: "rollups",
  urgentAnnotations: "annotations",
} as const satisfies Partial<Record<keyof LocalReads, string>>;
const lists = Object.keys(tablesOfLists) as (keyof typeof tablesOfLists)[];

const look = lists.map((name) => `exists (select 1 from ${tablesOfLists[name]}) as "${name}"`).join();

/** @param reads of this connection */
export function presentReads(connection: Database, reads: LocalReads): LocalReads {
  const isPresent = lazy(() => connection.query<Record<string, number>, []>(`select ${look}`).get());
  const has = (name: string): boolean => isPresent()?.[name] !== 0;
  const hasRow = (rows: string, value: unknown): boolean =>
    typeof value !== "string" || connection.query(`select 1 from ${rows} = ? limit 1`).get(value) !== null;
  const listReads = lists.map((name) => {
    const read = reads[name] as (...args: unknown[]) => Promise<unknown>;
    return [name, async (...args: unknown[]) => (has(name) ? read(...args) : [])] as const;
  });
  return {
    ...reads,
    // safe because: each takes what its read takes, and an empty list is a list of its rows
    ...(Object.fromEntries(listReads) as unknown as Pick<LocalReads, keyof typeof tablesOfLists>),
    feed: async (projects, query) =>
      hasRow("facets where kind", query.kind) ? reads.feed(projects, query) : [],
    runs: async (projects, query) =>
      hasRow("runs where status", query.status) ? reads.runs(projects, query) : { runs: [], next: null },
  };
}
