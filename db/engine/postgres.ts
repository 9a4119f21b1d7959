/** Postgres through Bun.SQL: a connection pool for reads, one write connection that locks `feed_head`. */
import type { SQL, TransactionSQL } from "bun";
import { sql as drizzleSql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sql";
import { requestCounter } from "../core/request-counts.ts";
import type { Dialect } from "../dialect/dialect.ts";
import { postgres } from "../dialect/postgres.ts";
import { postgresTables } from "../schema/postgres-tables.ts";
import type { Tables } from "../schema/sqlite-tables.ts";
import type { Backend } from "./backend.ts";
import { connectionFailure, isFinal } from "./connect.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { isRetryable } from "./errors.ts";
import { GroupCommit } from "./group-commit.ts";
import { openLeaderElection } from "./leader-election.ts";
import {
  createMigrationsTable,
  DatabaseError,
  partitionedLog,
  pendingMigrations,
  type TellMigration,
} from "./migrate.ts";
import { lockTimeoutMs, openWriter, takeWriterLock } from "./postgres-writer.ts";
import { emptyCaches, type Session, type SessionCaches } from "./session.ts";
import { openTableStatistics } from "./table-statistics.ts";

/** Key of the advisory lock that migrations run under. */
const migrationLock = 0x73766331;
/** How often migrations are repeated after a deadlock. */
const migrationRetries = 5;
/** How long a start waits for Postgres to accept connections. */
const startTimeoutMs = 30_000;
/** A waiting start reports it after the first of these, then at the second as its interval. */
const firstReportMs = 2_000;
const reportIntervalMs = 5_000;
/** `statement_timeout`. */
export const statementTimeoutMs = 8_000;
const answerTimeoutMs = statementTimeoutMs + 1_000;
/** The size of a server's pool. */
const serverConnections = 10;
/** Polling is a fallback for lost notifications. */
const pollMs = 1_000;
/** A larger one takes fewer turns with those of other nodes, and longer in the event loop of its own. */
const batchMax = 500;
/** The NOTIFY channel of the trigger on `feed_head`. */
const channel = "svc_feed";

export type PostgresBackend = Backend &
  Required<Pick<Backend, "listen" | "noteAppend" | "isLeader" | "connection" | "countRequests">>;

type Partitions = "year" | null | undefined;

export interface PostgresOptions {
  /** The size of the connection pool, at least 2: one connection writes. */
  connections?: number | undefined;
  /** Gives the log of a new database a partition for each year. */
  partitions?: Partitions;
  onWait?: ((line: string) => void) | undefined;
  onMigration?: TellMigration | undefined;
}

type MigrationOptions = Pick<PostgresOptions, "partitions" | "onMigration">;

/** Connects to Postgres, and waits for it. @throws DatabaseError that fits on one line */
export async function openPostgres(
  databaseUrl: string,
  { connections = serverConnections, partitions, onWait, onMigration }: PostgresOptions = {},
): Promise<PostgresBackend> {
  const pool = new ConnectionPool(databaseUrl, {
    max: connections,
    answerTimeoutMs,
    name: "svc",
    settings: {
      statement_timeout: String(statementTimeoutMs),
      lock_timeout: String(lockTimeoutMs),
      idle_in_transaction_session_timeout: "30000",
    },
  });
  const { connection, place } = pool.server;
  let dialect: Dialect;
  try {
    await waitForServer(pool, onWait);
    await requireSuitable(pool);
    dialect = await migrate(pool.sql, place, { partitions, onMigration });
  } catch (error) {
    await pool.close();
    throw error;
  }
  const caches = emptyCaches();
  const sessionOn = (client: unknown) => postgresSession(client, caches, dialect);
  const readSession = { ...sessionOn(drizzle({ client: pool.client })), isPooled: true };
  const writer = openWriter(pool, (client) => sessionOn(drizzle({ client })));
  const groupCommit = new GroupCommit(writer);
  const leaderElection = openLeaderElection(databaseUrl);
  const tableStatistics = openTableStatistics(pool);
  return {
    connection: { ...connection, isPartitioned: dialect.isPartitioned === true },
    readSession,
    connections,
    pollMs,
    batchMax,
    outsideTransaction: (work) =>
      // A migration of a later version may have met it in a deadlock.
      pool.withTimeout(work).catch((error) => {
        if (!isRetryable(error)) throw error;
        return pool.withTimeout(work);
      }),
    // A commit travels with the writes; a savepoint takes two trips more, for which other nodes would wait.
    transaction: (work, grouping) => groupCommit.transaction(work, grouping),
    longTransaction: (mode, work) =>
      pool.withDedicatedConnection((sql) =>
        drizzle({ client: sql }).transaction(
          async (tx) => {
            await tx.execute(drizzleSql`set local statement_timeout = 0`);
            await tx.execute(drizzleSql`set local idle_in_transaction_session_timeout = 0`);
            if (mode === "write") await tx.execute(drizzleSql.raw(takeWriterLock));
            return work(sessionOn(tx));
          },
          mode === "read"
            ? { isolationLevel: "repeatable read", accessMode: "read only" }
            : { isolationLevel: "read committed" },
        ),
      ),
    async listen(wake) {
      await pool.listen(channel, wake);
    },
    countRequests: requestCounter(pool, readSession),
    noteAppend: tableStatistics.noteAppend,
    isLeader: (job) => leaderElection.isLeader(job),
    location: () => databaseIdentity((work) => pool.withTimeout(() => work(pool.sql))),
    async close() {
      await leaderElection.close();
      await tableStatistics.close();
      await writer.close();
      await pool.close();
    },
  };
}

/** Both dialects yield the same JavaScript types, so one set of queries serves both (see schema/columns.ts). */
export const postgresSession = (client: unknown, caches: SessionCaches, dialect: Dialect): Session => ({
  db: client as Session["db"],
  t: postgresTables() as Tables,
  dialect,
  ...caches,
});

/**
 * The OID of the database and the system identifier of its cluster: equal on a replica, not in a restored
 * dump.
 */
export async function databaseIdentity(
  run: <T>(work: (sql: SQL) => Promise<T>) => Promise<T>,
): Promise<string> {
  const [database] = await run(
    (sql) => sql`select oid::text as oid from pg_database where datname = current_database()`,
  );
  const server = await run((sql) => sql`select system_identifier::text as id from pg_control_system()`).catch(
    () => [],
  ); // some hosting providers do not grant this function
  return [database.oid, ...server.map(({ id }: { id: string }) => id)].join(" ");
}

/** Waits until Postgres accepts connections: it may be starting too. `onWait` gets a line while it waits. */
async function waitForServer(pool: ConnectionPool, onWait: (line: string) => void = () => {}): Promise<void> {
  const { place } = pool.server;
  const deadline = performance.now() + startTimeoutMs;
  let reason = "no answer";
  const report = () => {
    const secondsLeft = Math.ceil((deadline - performance.now()) / 1000);
    if (secondsLeft > 0)
      onWait(`Waiting for Postgres at ${place} (${reason}); giving up in ${secondsLeft} seconds`);
  };
  let timer: Timer = setTimeout(() => {
    report();
    timer = setInterval(report, reportIntervalMs);
  }, firstReportMs);
  try {
    for (;;) {
      try {
        return await pool.open();
      } catch (error) {
        reason = connectionFailure(error);
        if (isFinal(error, pool.server) || performance.now() > deadline)
          throw new DatabaseError(
            `Cannot connect to Postgres at ${place}: ${reason}. Check SVC_DATABASE_URL.`,
          );
        await Bun.sleep(500);
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Throws for a database that svc cannot use, or whose sessions a pooler gives to several clients. */
async function requireSuitable(pool: ConnectionPool): Promise<void> {
  const refuse = (reason: string) => {
    throw new DatabaseError(`Cannot use the database at ${pool.server.place}: ${reason}.`);
  };
  const other = await pool.connect();
  // Statements without parameters are not prepared, which such a pooler may not know.
  const [{ encoding, schema, path, pid }] = await pool.sql.unsafe(
    `select current_setting('server_encoding') as encoding, current_schema() as schema,
      current_setting('search_path') as path, pg_backend_pid() as pid`,
  );
  const [{ pid: otherPid }] = await other.unsafe("select pg_backend_pid() as pid");
  const isShared = pid === otherPid;
  if (isShared) await other.unsafe("reset all"); // others use this session next
  await other.close({ timeout: 0 });
  if (isShared)
    refuse("a pooler shares its sessions, as PgBouncer does in transaction mode. Set pool_mode = session");
  if (encoding !== "UTF8")
    refuse(
      `its encoding is ${encoding}. Create it with: create database … encoding 'UTF8' template template0`,
    );
  if (schema === null)
    refuse(
      `its search_path (${path}) names no schema that exists. ` +
        "Set one with: alter role … set search_path = public",
    );
}

/** Nodes of the former version go on meanwhile: a migration that met a read in a deadlock is repeated. */
async function migrate(sql: SQL, place: string, options: MigrationOptions): Promise<Dialect> {
  for (let retriesLeft = migrationRetries; ; retriesLeft--)
    try {
      return await sql.begin((tx) => runMigrations(tx, place, options));
    } catch (error) {
      if (retriesLeft === 0 || !isRetryable(error)) throw error;
    }
}

/** @returns the dialect of the log, which a database has from its first migrations on */
async function runMigrations(
  tx: TransactionSQL,
  place: string,
  { partitions, onMigration }: MigrationOptions,
): Promise<Dialect> {
  await tx`set local lock_timeout = '30s'`;
  await tx`set local statement_timeout = 0`;
  await tx`select pg_advisory_xact_lock(${migrationLock})`;
  await tx.unsafe(createMigrationsTable);
  const rows: { name: string }[] = await tx`select name from schema_migrations order by name`;
  const applied = rows.map(({ name }) => name);
  const pending = pendingMigrations(applied, place);
  // Writers lock tables in another order than migrations, but all wait for this one first.
  if (pending.length > 0 && applied.length > 0) await tx`lock table feed_head in exclusive mode`;
  for (const [index, { name, postgres: text }] of pending.entries()) {
    if (applied.length > 0) onMigration?.(name, index + 1, pending.length);
    await tx.unsafe(text);
    await tx`insert into schema_migrations (name, applied_at) values (${name}, ${Date.now() * 1000})
      on conflict do nothing`;
  }
  if (applied.length === 0 && partitions === "year") await tx.unsafe(partitionedLog);
  const [log] =
    await tx`select relkind = 'p' as "isPartitioned" from pg_class where oid = 'events'::regclass`;
  return log.isPartitioned ? { ...postgres, isPartitioned: true } : postgres;
}
