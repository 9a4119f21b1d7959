/**
 * Leaves out reads that would find nothing. drizzle takes longer to build a statement than SQLite to run it,
 * and most projects use few of the sources of a brief, so one statement looks which of them have rows
 * (`bun run bench help`).
 */
import type { Database } from "bun:sqlite";
import { lazy } from "../src/core/lib/lazy.ts";
import type { CoreReads } from "../src/core/port.ts";
import type { FeedReads } from "../src/feed/port.ts";
import type { BriefReads } from "../src/overview/port.ts";

export type LocalBriefReads = BriefReads & Pick<FeedReads, "projects"> & Pick<CoreReads, "setting">;

/** Reads of lists, and the rows without which each is empty; a condition is that of an index. */
const rowsOfLists = {
  annotationReplies: "annotations",
  anchors: "decisions where anchors is not null and valid_until is null",
  assetsById: "assets",
  claims: "claims",
  contradictions: "decisions where contradicts is not null and valid_until is null",
  currentDecisions: "decisions",
  goneDecisions: "decisions where gone_at is not null and valid_until is null",
  models: "models",
  pendingAssets: "assets where waiting = 1",
  pendingSets: `assets where waiting = 1 and "set" is not null`,
  preferences: "preferences",
  proposedDecisions: "decisions where standing = 'proposed' and valid_until is null",
  rejections: "decisions",
  retiredAnnotations: "annotations",
  rollups: "rollups",
  urgentAnnotations: "annotations where urgent_at is not null",
} as const satisfies Partial<Record<keyof LocalBriefReads, string>>;
const lists = Object.keys(rowsOfLists) as (keyof typeof rowsOfLists)[];

/** Kinds of events, and states of runs, that a brief reads and most projects have none of. */
const kinds = ["run.failed", "preview.failed"] as const;
const statuses = ["waiting", "running"] as const;

const look = [
  ...lists.map((name) => [name, rowsOfLists[name]]),
  ...kinds.map((kind) => [kind, `facets where kind = '${kind}'`]),
  ...statuses.map((status) => [status, `runs where status = '${status}'`]),
]
  .map(([name, rows]) => `exists (select 1 from ${rows}) as "${name}"`)
  .join();

/** @param reads of this connection */
export function presentReads(connection: Database, reads: LocalBriefReads): LocalBriefReads {
  const isPresent = lazy(() => connection.query<Record<string, number>, []>(`select ${look}`).get());
  const has = (name: string | undefined): boolean => isPresent()?.[name ?? ""] !== 0;
  const listReads = lists.map((name) => {
    const read = reads[name] as (...args: unknown[]) => Promise<unknown>;
    return [name, async (...args: unknown[]) => (has(name) ? read(...args) : [])] as const;
  });
  return {
    ...reads,
    // safe because: each takes what its read takes, and an empty list is a list of its rows
    ...(Object.fromEntries(listReads) as unknown as Pick<LocalBriefReads, keyof typeof rowsOfLists>),
    feed: async (projects, query) => (has(oneOf(query.kind)) ? reads.feed(projects, query) : []),
    runs: async (projects, query) =>
      has(query.status) ? reads.runs(projects, query) : { runs: [], next: null },
  };
}

const oneOf = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;
