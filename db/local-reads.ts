/**
 * The reads of a brief and of recall on a SQLite file, without what appends, derives, and serves pages: a
 * command that prints them takes less than half the CPU (`bun run bench help`).
 */
import { drizzle } from "drizzle-orm/bun-sqlite";
import { lazy } from "../src/core/lib/lazy.ts";
import { sqlite } from "./dialect/sqlite.ts";
import { CompilingDatabase } from "./engine/compiling-database.ts";
import { pendingMigrations } from "./engine/migrate.ts";
import { emptyCaches, type Session } from "./engine/session.ts";
import { afterCatchUp } from "./feed/catch-up.ts";
import { type LocalReads, presentReads } from "./present-reads.ts";
import { sqliteTables } from "./schema/sqlite-tables.ts";

/** How long a read waits for a lock, which only recovery of the WAL takes. */
const readTimeoutMs = 1_000;

/**
 * Runs `work` with the reads of the file at `path`.
 * @returns null if the file needs a migration first
 * @throws if it cannot be opened, or if `work` reads rows that are not derived from its events yet
 */
export async function withLocalReads<T>(
  path: string,
  work: (reads: LocalReads) => Promise<T>,
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
    return await work(afterCatchUp(presentReads(connection, readsOf(session)), refuse));
  } finally {
    connection.close();
  }
}

async function refuse(): Promise<never> {
  throw new Error("rows are not derived yet");
}

/**
 * Reads that are loaded and opened at the first call of one of them: the modules of a room make schemas when
 * they are loaded, and opening defines tables.
 */
function loadedLate<Reads extends object, Name extends keyof Reads>(
  open: () => Promise<Reads>,
  ...names: readonly Name[]
): Pick<Reads, Name> {
  const opened = lazy(open);
  const late = names.map((name) => {
    const read = async (...args: unknown[]) =>
      ((await opened())[name] as (...args: unknown[]) => unknown)(...args);
    return [name, read] as const;
  });
  // safe because: each calls the read of its name, which returns a promise
  return Object.fromEntries(late) as unknown as Pick<Reads, Name>;
}

const readsOf = (session: Session): LocalReads => ({
  ...loadedLate(async () => (await import("./core/settings.ts")).settingReads(session), "setting"),
  ...loadedLate(
    async () => (await import("./feed/projects/projects.ts")).projectReads(session),
    "project",
    "projects",
  ),
  ...loadedLate(async () => (await import("./feed/pages.ts")).preparedPages(session), "feed"),
  ...loadedLate(
    async () => (await import("./feed/runs/reads.ts")).runReads(session),
    "repairedSince",
    "runFiles",
    "runs",
  ),
  ...loadedLate(async () => (await import("./feed/claims.ts")).claimReads(session), "claims"),
  ...loadedLate(
    async () => (await import("./memory/memory.ts")).memoryReads(session),
    "anchors",
    "contradictions",
    "currentDecisions",
    "decisions",
    "goneDecisions",
    "preferences",
    "proposedDecisions",
  ),
  ...loadedLate(async () => (await import("./memory/guidance.ts")).guidanceReads(session), "models"),
  ...loadedLate(
    async () => (await import("./memory/recall/search.ts")).recallReads(session),
    "countMatches",
    "findSimilarWords",
    "search",
    "textLanguages",
  ),
  ...loadedLate(async () => (await import("./memory/rollups.ts")).rollupReads(session), "rollups"),
  ...loadedLate(
    async () => (await import("./library/verdicts/verdicts.ts")).rejectionReads(session),
    "rejections",
  ),
  ...loadedLate(
    async () => (await import("./library/annotations/annotations.ts")).annotationReads(session),
    "annotationReplies",
    "retiredAnnotations",
    "urgentAnnotations",
  ),
  ...loadedLate(
    async () => (await import("./library/review-queue/review-queue.ts")).reviewQueueReads(session),
    "pendingAssets",
    "pendingSets",
  ),
  ...loadedLate(
    async () => (await import("./library/assets/searched-assets.ts")).searchedAssetReads(session),
    "assetsById",
  ),
});
