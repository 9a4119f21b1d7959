/**
 * The reads of a brief on a SQLite file, without what appends, derives, and serves pages: a command that
 * prints a brief takes about half the CPU (`bun run bench help`).
 */
import { drizzle } from "drizzle-orm/bun-sqlite";
import type { CoreReads } from "../src/core/port.ts";
import type { FeedReads } from "../src/feed/port.ts";
import type { BriefReads } from "../src/overview/port.ts";
import { settingReads } from "./core/settings.ts";
import { sqlite } from "./dialect/sqlite.ts";
import { CompilingDatabase } from "./engine/compiling-database.ts";
import { pendingMigrations } from "./engine/migrate.ts";
import { emptyCaches, type Session } from "./engine/session.ts";
import { afterCatchUp } from "./feed/catch-up.ts";
import { claimReads } from "./feed/claims.ts";
import { preparedPages } from "./feed/pages.ts";
import { projectReads } from "./feed/projects/projects.ts";
import { runReads } from "./feed/runs/reads.ts";
import { annotationReads } from "./library/annotations/annotations.ts";
import { searchedAssetReads } from "./library/assets/searched-assets.ts";
import { reviewQueueReads } from "./library/review-queue/review-queue.ts";
import { rejectionReads } from "./library/verdicts/verdicts.ts";
import { guidanceReads } from "./memory/guidance.ts";
import { memoryReads } from "./memory/memory.ts";
import { recallReads } from "./memory/recall/search.ts";
import { rollupReads } from "./memory/rollups.ts";
import { sqliteTables } from "./schema/tables.ts";

/** How long a read waits for a lock, which only recovery of the WAL takes. */
const readTimeoutMs = 1_000;

export type LocalBriefReads = BriefReads & Pick<FeedReads, "projects"> & Pick<CoreReads, "setting">;

/**
 * Runs `work` with the reads of the file at `path`.
 * @returns null if the file needs a migration first
 * @throws if it cannot be opened, or if `work` reads rows that are not derived from its events yet
 */
export async function withBriefReads<T>(
  path: string,
  work: (reads: LocalBriefReads) => Promise<T>,
): Promise<T | null> {
  const connection = new CompilingDatabase(path, { readonly: true });
  try {
    connection.exec(`pragma busy_timeout = ${readTimeoutMs}`);
    const applied = connection.query<{ name: string }, []>("select name from schema_migrations").all();
    const names = applied.map(({ name }) => name);
    if (pendingMigrations(names, path).length > 0) return null;
    const session: Session = {
      db: drizzle(connection),
      t: sqliteTables(),
      dialect: sqlite,
      ...emptyCaches(),
    };
    return await work(afterCatchUp(readsOf(session), refuse));
  } finally {
    connection.close();
  }
}

async function refuse(): Promise<never> {
  throw new Error("rows are not derived yet");
}

const readsOf = (session: Session): LocalBriefReads => ({
  ...settingReads(session),
  ...preparedPages(session),
  ...projectReads(session),
  ...runReads(session),
  ...claimReads(session),
  ...memoryReads(session),
  ...guidanceReads(session),
  ...recallReads(session),
  ...rollupReads(session),
  ...rejectionReads(session),
  ...annotationReads(session),
  ...reviewQueueReads(session),
  ...searchedAssetReads(session),
});
