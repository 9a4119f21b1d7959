/**
 * The reads of a brief and of recall on a SQLite file, without connections that write, and what derives
 * rows: a command that prints them takes less than half the CPU (`bun run bench help`).
 */
import { drizzle } from "drizzle-orm/bun-sqlite";
import { sqlite } from "./dialect/sqlite.ts";
import { CompilingDatabase } from "./engine/compiling-database.ts";
import { pendingMigrations } from "./engine/migrate.ts";
import { emptyCaches, type Session } from "./engine/session.ts";
import { afterCatchUp } from "./feed/catch-up.ts";
import { type LocalReads, presentReads } from "./present-reads.ts";
import { readsOf } from "./queries.ts";
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
