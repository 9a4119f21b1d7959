/** Postgres through Bun.SQL: a pool for reads, a connection that writes under the lock of `feed_head`. */
import type { SQL } from "bun";
import { sql as drizzleSql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sql";
import type { Connection, Data } from "../../src/data.ts";
import { requestCounter } from "../records/request-counts.ts";
import { postgresTables, type Tables } from "../schema/tables.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { GroupCommit } from "./group-commit.ts";
import { openLeaderElection } from "./leader-election.ts";
import { createMigrationsTable, DatabaseError, migrations, pendingMigrations } from "./migrate.ts";
import { openWriter, takeWriterLock } from "./postgres-writer.ts";
import { emptyCaches, type Session } from "./session.ts";
import { tlsAdvice, withTlsMode } from "./tls.ts";

/** Key of the advisory lock that migrations run under. */
const migrationLock = 0x73766331;
const startPatienceMs = 30_000;
/** When a start that waits for the database first says so, and how often from then on. */
const tellAfterMs = 2_000;
const tellEveryMs = 5_000;
/** How long a writer waits for the lock of another process. */
const lockPatienceMs = 6_000;
const statementMs = 8_000;
const answerMs = statementMs + 1_000;
const poolMax = 10;
/** What the trigger on `feed_head` notifies. */
const channel = "svc_feed";

export interface PostgresBackend {
  readSession: Session;
  connections: number;
  /** Runs reads outside of a transaction. */
  outsideTransaction<T>(work: () => Promise<T>): Promise<T>;
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** One transaction for work that takes its time: a moment to read, or, under the lock, what is written. */
  longTransaction<T>(mode: "read" | "write", work: (session: Session) => Promise<T>): Promise<T>;
  /**
   * Calls back when another process appended, and after a lost connection is back. A hint: notifications can
   * be lost.
   */
  listen(wake: () => void): Promise<void>;
  isLeader(work: string): boolean;
  connection: Connection;
  countRequests: NonNullable<Data["countRequests"]>;
  location(): Promise<string>;
  close(): Promise<void>;
}

export async function openPostgres(given: string, onWait?: (line: string) => void): Promise<PostgresBackend> {
  const { url, ...connection } = withTlsMode(given);
  const pool = new ConnectionPool(url, {
    max: poolMax,
    answerTimeoutMs: answerMs,
    sessionParameters: {
      application_name: "svc",
      statement_timeout: String(statementMs),
      lock_timeout: String(lockPatienceMs),
      idle_in_transaction_session_timeout: "30000",
    },
  });
  const place = new URL(url).host + new URL(url).pathname;
  await reach(pool.sql, place, onWait);
  await migrate(pool.sql, place);
  const db = drizzle({ client: pool.client });
  // Both kits yield the same JavaScript types, so one set of queries serves both (see kit.ts).
  const learnt = emptyCaches();
  const session = (one: unknown): Session => ({
    db: one as Session["db"],
    t: postgresTables as Tables,
    dialect: "postgres",
    ...learnt,
  });
  const writer = openWriter(pool, (client) => session(drizzle({ client })));
  const group = new GroupCommit(writer);
  const leadership = openLeaderElection(url);
  return {
    connection,
    readSession: session(db),
    connections: poolMax,
    outsideTransaction: (work) => pool.withTimeout(work),
    transaction: (work) => group.transaction(work),
    longTransaction: (mode, work) =>
      pool.withDedicatedConnection((sql) =>
        drizzle({ client: sql }).transaction(
          async (tx) => {
            await tx.execute(drizzleSql`set local statement_timeout = 0`);
            await tx.execute(drizzleSql`set local idle_in_transaction_session_timeout = 0`);
            if (mode === "write") await tx.execute(drizzleSql.raw(takeWriterLock));
            return work(session(tx));
          },
          mode === "read"
            ? { isolationLevel: "repeatable read", accessMode: "read only" }
            : { isolationLevel: "read committed" },
        ),
      ),
    async listen(wake) {
      await pool.listen(channel, wake);
    },
    countRequests: requestCounter(pool),
    isLeader: (work) => leadership.isLeader(work),
    location: () => databaseIdentity(pool),
    async close() {
      await leadership.close();
      await writer.close();
      await pool.close();
    },
  };
}

/**
 * Number of the database and of its server. A replica has the same ones, a restored dump or a copy has not.
 */
async function databaseIdentity(pool: ConnectionPool): Promise<string> {
  const [database] = await pool.withTimeout(
    () => pool.sql`select oid::text as oid from pg_database where datname = current_database()`,
  );
  const server = await pool
    .withTimeout(() => pool.sql`select system_identifier::text as id from pg_control_system()`)
    .catch(() => []); // some hosts do not let users ask
  return [database.oid, ...server.map(({ id }: { id: string }) => id)].join(" ");
}

/** The database may start beside us: it has thirty seconds, and whoever waits is told. */
async function reach(sql: SQL, place: string, onWait: (line: string) => void = () => {}): Promise<void> {
  const deadline = performance.now() + startPatienceMs;
  let reason = "no answer";
  const tell = () => {
    const left = Math.ceil((deadline - performance.now()) / 1000);
    if (left > 0)
      onWait(`Postgres at ${place} does not answer (${reason}); trying for another ${left} seconds`);
  };
  let timer: Timer = setTimeout(() => {
    tell();
    timer = setInterval(tell, tellEveryMs);
  }, tellAfterMs);
  try {
    for (;;) {
      try {
        return void (await sql`select 1`);
      } catch (error) {
        reason = reasonOf(error as DriverError);
        const final = refusalOf(error as DriverError);
        if (final !== undefined || performance.now() > deadline)
          throw new DatabaseError(
            `Postgres at ${place} refuses the connection or does not answer (${final ?? reason}); check SVC_DATABASE_URL`,
          );
        await Bun.sleep(500);
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

type DriverError = Error & { code?: string };

const reasonOf = ({ code, message }: DriverError): string => code ?? message;

/** What waiting does not change: credentials, a database that is not there, TLS. */
const refusalOf = (error: DriverError): string | undefined =>
  tlsAdvice(error) ??
  (/authentication|password|does not exist|not permitted/i.test(error.message) ? error.message : undefined);

async function migrate(sql: SQL, place: string): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local lock_timeout = '30s'`;
    await tx`set local statement_timeout = 0`;
    await tx`select pg_advisory_xact_lock(${migrationLock})`;
    await tx.unsafe(createMigrationsTable);
    const rows: { name: string }[] = await tx`select name from schema_migrations order by name`;
    for (const { name, statements } of pendingMigrations(
      migrations.postgres,
      rows.map((row) => row.name),
      place,
    )) {
      for (const statement of statements) await tx.unsafe(statement);
      await tx`insert into schema_migrations (name, applied_at) values (${name}, ${Date.now() * 1000})`;
    }
  });
}
