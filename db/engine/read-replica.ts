/**
 * A read replica, a streaming standby of the primary, for the reads of long pages. A client still reads what
 * it wrote, through any node: before such a read the primary tells how far its log is written, and the
 * replica answers if it has replayed that. A commit that was acknowledged before the read began is below
 * that position. Everything else goes to the primary: other reads, those of a replica that lags, and those
 * that it fails.
 */
import type { SQL } from "bun";
import { sql as drizzleSql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sql";
import type { Reads } from "../../src/api/port.ts";
import type { Log } from "../../src/core/context.ts";
import { untilAborted } from "../../src/core/lib/until-aborted.ts";
import { Problem } from "../../src/core/problem.ts";
import { allRows } from "../query/statements.ts";
import { connectionFailure, PostgresServer } from "./connect.ts";
import { isStatementTimeout } from "./errors.ts";
import { sharedRead } from "./measured-reads.ts";
import { databaseIdentity, postgresSession, statementTimeoutMs } from "./postgres.ts";
import { clearCaches, emptyCaches, type Session } from "./session.ts";

/** The reads that the replica answers: those that scan, sort or search many rows. */
const replicaReads: ReadonlySet<string> = new Set<keyof Reads>([
  ...(["feed", "countMatches", "search", "findSimilarWords"] as const),
  ...(["groupUsage", "groupDays", "costByDay"] as const),
  ...(["expensiveRuns", "countRuns", "expensiveTasks", "countTasks"] as const),
  ...(["confirmedMusts", "rejectedVersions"] as const),
  ...(["dailyUsage", "recentRunCosts", "taskKeys", "taskBoard"] as const),
  ...(["assets", "runs", "runOutlines", "decisions"] as const),
]);

/** How long a read waits for the replica to catch up. A standby nearby replays a commit within some ms. */
const catchUpMs = 20;
const checkAgainMs = 2;
/** How long all reads go to the primary after the replica lagged or failed, and the interval of connecting. */
const pauseMs = 1_000;
const connectionsMax = 4;
const answerTimeoutMs = statementTimeoutMs + 1_000;

export interface Primary {
  readSession: Session;
  outsideTransaction<T>(work: () => Promise<T>): Promise<T>;
  location(): Promise<string>;
}

/** A read is checked and answered on one connection, as a host name may stand for several replicas. */
interface ReplicaConnection {
  sql: SQL;
  reads: Reads;
  inFlight: number;
  /** Aborts when the connection ends: the driver may never settle its queries. */
  lost: AbortSignal;
}

interface WalPosition {
  lsn: string;
  timeline: number;
}

/**
 * A commit is acknowledged when it is flushed, unless `synchronous_commit` is off. The timeline changes with
 * a failover: positions of two timelines do not compare.
 */
const positionOfPrimary = drizzleSql`
  select (case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn()
    else pg_current_wal_flush_lsn() end)::text as lsn,
    left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline`;

const hasReplayed = `
  select pg_last_wal_replay_lsn() >= $1::text::pg_lsn and timeline_id = $2::int as current
  from pg_control_checkpoint()`;

export interface ReadReplica {
  /** Answers a read on the replica if that has what the primary has now, and by `onPrimary` otherwise. */
  read<T>(name: string, args: unknown[], onPrimary: () => Promise<T>): Promise<T>;
  clearCaches(): void;
  close(): Promise<void>;
}

/** Connects to the replica. One that cannot be used is logged and tried again; the primary answers meanwhile. */
export async function openReadReplica(
  url: string,
  { readSession, outsideTransaction, location }: Primary,
  readsOf: (session: Session) => Reads,
  log: Log,
): Promise<ReadReplica> {
  const server = new PostgresServer(url, "standby");
  const connections = new Set<ReplicaConnection>();
  const caches = emptyCaches(); // those of the primary may be ahead of a replica
  let opening: Promise<void> | undefined;
  let retry: Timer | undefined;
  let isClosed = false;
  let isFailing = false;
  let resumeAt = 0;

  const position = sharedRead(async (): Promise<WalPosition> => {
    const [row] = await outsideTransaction(() =>
      allRows<{ lsn: string; timeline: string }>(readSession, positionOfPrimary),
    );
    return { lsn: row?.lsn ?? "", timeline: Number.parseInt(row?.timeline ?? "", 16) };
  });

  function report(error: unknown): void {
    if (!isFailing && !isClosed)
      log("warn", "the read replica cannot be used: reads go to the primary", {
        replica: server.place,
        reason: connectionFailure(error),
      });
    isFailing = true;
    resumeAt = performance.now() + pauseMs;
  }

  /** Reads that began before the failure may still succeed on other connections. */
  function reportSuccess(): void {
    if (!isFailing || performance.now() < resumeAt) return;
    isFailing = false;
    log("info", "the read replica is used again", { replica: server.place });
  }

  async function connect(): Promise<void> {
    const lost = new AbortController();
    let connection: ReplicaConnection | undefined;
    const sql = await server.connect({
      name: "svc",
      settings: { statement_timeout: String(statementTimeoutMs) },
      onClose() {
        lost.abort(new Error("the connection was lost"));
        const isLast = connection && connections.delete(connection) && connections.size === 0;
        if (isLast) void open();
      },
    });
    try {
      // Some hosting providers do not grant these functions, and without them nothing can be compared.
      await sql.unsafe("select timeline_id from pg_control_checkpoint(), pg_control_system()");
      if ((await databaseIdentity((work) => work(sql))) !== (await location()))
        throw new Error("it is not a replica of the database in SVC_DATABASE_URL");
    } catch (error) {
      await sql.close({ timeout: 0 });
      throw error;
    }
    connection = {
      sql,
      reads: readsOf(postgresSession(drizzle({ client: sql }), caches, readSession.dialect)),
      inFlight: 0,
      lost: lost.signal,
    };
    if (isClosed) await sql.close({ timeout: 0 });
    else connections.add(connection);
  }

  /** Opens one more connection, and tries again later if there is none. */
  function open(): Promise<void> {
    clearTimeout(retry);
    if (isClosed) return Promise.resolve();
    opening ??= connect()
      .catch((error) => {
        report(error);
        if (connections.size === 0) retry = setTimeout(open, pauseMs).unref();
      })
      .finally(() => (opening = undefined));
    return opening;
  }

  function leastBusy(): ReplicaConnection | undefined {
    const [first] = [...connections].sort((one, other) => one.inFlight - other.inFlight);
    if (first && first.inFlight > 0 && connections.size < connectionsMax) void open();
    return first;
  }

  async function isCurrent({ sql, lost }: ReplicaConnection, { lsn, timeline }: WalPosition) {
    const deadline = performance.now() + catchUpMs;
    async function poll(): Promise<boolean> {
      for (;;) {
        const [row] = await sql.unsafe(hasReplayed, [lsn, timeline]);
        if (row.current || performance.now() > deadline) return Boolean(row.current);
        await Bun.sleep(checkAgainMs);
      }
    }
    const isCaughtUp = await untilAborted(
      Promise.race([poll(), Bun.sleep(2 * catchUpMs).then(() => false)]),
      lost,
    );
    if (!isCaughtUp) resumeAt = performance.now() + pauseMs;
    return isCaughtUp;
  }

  async function answer(connection: ReplicaConnection, name: string, args: unknown[]): Promise<unknown> {
    // safe because: `replicaReads` names reads only
    const read = connection.reads[name as keyof Reads] as (...args: unknown[]) => Promise<unknown>;
    const timeout = Promise.withResolvers<never>();
    const timer = setTimeout(() => timeout.reject(new Error("no answer")), answerTimeoutMs);
    try {
      return await untilAborted(Promise.race([read(...args), timeout.promise]), connection.lost);
    } finally {
      clearTimeout(timer);
    }
  }

  await open();
  return {
    async read<T>(name: string, args: unknown[], onPrimary: () => Promise<T>) {
      if (!replicaReads.has(name) || performance.now() < resumeAt) return onPrimary();
      const connection = leastBusy();
      if (!connection) return onPrimary();
      const now = await position("");
      connection.inFlight++;
      try {
        if (await isCurrent(connection, now)) {
          const result = await answer(connection, name, args);
          reportSuccess();
          return result as T; // safe because: the same read
        }
      } catch (error) {
        if (error instanceof Problem || isStatementTimeout(error)) throw error;
        report(error);
      } finally {
        connection.inFlight--;
      }
      return onPrimary();
    },
    clearCaches: () => clearCaches(caches),
    async close() {
      isClosed = true;
      clearTimeout(retry);
      await opening;
      await Promise.all([...connections].map(({ sql }) => sql.close({ timeout: 5 })));
    },
  };
}
