/** Opens the database of `SVC_DATABASE_URL`, applies pending migrations, and returns the data port. */

import type { Data } from "../src/api/port.ts";
import type { Log } from "../src/core/context.ts";
import type { Micros } from "../src/core/lib/time.ts";
import { type Metrics, measure, openMetrics } from "../src/core/metrics.ts";
import type { TransactionOptions } from "../src/core/port.ts";
import { unavailable } from "../src/core/problem.ts";
import type { EventRow } from "../src/feed/schema.ts";
import { deploymentOf } from "./core/deployment.ts";
import { type BatchedWrites, batchAppends } from "./engine/append-batching.ts";
import type { Backend } from "./engine/backend.ts";
import { ChangeNotifier } from "./engine/change-notifier.ts";
import { isCorruption, toProblem } from "./engine/errors.ts";
import type { Grouping } from "./engine/group-commit.ts";
import { guardReads, isFailure, meterOf, sharedRead } from "./engine/measured-reads.ts";
import type { TellMigration } from "./engine/migrate.ts";
import { clearCaches, type Session } from "./engine/session.ts";
import type { Appended } from "./engine/table-statistics.ts";
import { afterCatchUp, openCatchUp } from "./feed/catch-up.ts";
import { readFeedHead } from "./feed/head.ts";
import { findInconsistencies } from "./maintenance/consistency-checks.ts";
import { exportRows, replaceAllRows } from "./maintenance/export.ts";
import { rebuildDerivedRows } from "./maintenance/rebuild.ts";
import { affectedRows } from "./maintenance/rewrite.ts";
import {
  hasUnversioned,
  readIndexState,
  rebuildBatch,
  recordVersion,
} from "./memory/recall/outdated-index.ts";
import { hasStaleTasks } from "./overview/tasks/stored-tasks.ts";
import { catchUpAll, readsOf, writesOf } from "./queries.ts";

export interface OpenOptions {
  now(): Micros;
  log: Log;
  metrics?: Metrics;
  /** The size of the connection pool to Postgres, at least 2; 10 by default. */
  connections?: number;
  /** Gives the log of a new Postgres database a partition for each year. */
  partitions?: "year" | null;
  /** A read replica on Postgres; without one, the primary answers all reads. */
  readUrl?: string;
  /** Gets a line of text while the start waits for the database. */
  onWait?(line: string): void;
}

/** Opens the database and returns the port. Throws a DatabaseError that fits on one line. */
export async function openData(url: string, options: OpenOptions): Promise<Data> {
  const backend = await openBackend(url, options);
  const notifier = new ChangeNotifier();
  const { metrics = openMetrics() } = options;
  metrics.databaseConnections.of().set(backend.connections);
  let isDamaged = false;
  const fail = (error: unknown): never => {
    if (isCorruption(error) && !isDamaged)
      options.log("error", "the database is damaged: all further writes are refused");
    isDamaged ||= isCorruption(error);
    throw toProblem(error);
  };
  const requireIntact = (): void => {
    if (isDamaged)
      throw unavailable(
        "The database is damaged, so it is read-only. Stop all servers and restore a backup.",
      );
  };
  const { readSession, outsideTransaction } = backend;
  const derived = openCatchUp({
    head: () => outsideTransaction(() => readFeedHead(readSession)),
    hasAppended: (id) => readSession.runs.hasAppended(id),
    hasStaleTasks: () => outsideTransaction(() => hasStaleTasks(readSession)),
    async derive(tasks) {
      requireIntact();
      // In a savepoint after it, SQLite would copy each page that the batch of an import changes.
      return backend.transaction((session) => catchUpAll(session, tasks), "alone").catch(fail);
    },
  });
  const replica = await openReplica(backend, options);
  const guardedReads = guardReads(
    readsOf(readSession),
    replica
      ? (work, name, args) => replica.read(name, args, () => outsideTransaction(work))
      : outsideTransaction,
    meterOf(metrics, "read"),
    fail,
  );
  // On Postgres every request reads its token, so that none is accepted after it was revoked.
  const sharedReads = { ...guardedReads, token: sharedRead(guardedReads.token) };
  const reads = afterCatchUp(sharedReads, () => derived.cover().catch(fail), derived.isDue);
  const writeMeter = meterOf(metrics, "write");
  const eventsAppended = metrics.eventsAppended.of();
  await backend.listen?.(() => notifier.notify());
  if (await backend.outsideTransaction(() => hasUnversioned(backend.readSession)))
    await backend.transaction(recordVersion);
  await derived
    .coverAll((tasks) => options.log("info", "preparing the lists of tasks", { tasks }))
    .catch(() => {}); // a database that takes no writes
  const stopPolling = notifier.poll(() => reads.head(), backend.pollMs);
  const orNull = (read: (() => number) | undefined) => {
    try {
      return read?.() ?? null;
    } catch {
      return null; // the read that follows reports the error
    }
  };
  const forgetRows = () => {
    clearCaches(readSession);
    replica?.clearCaches();
  };
  /** Transactions of this process that may have changed tokens. */
  let tokenChanges = 0;
  async function runAtomically<T>(
    work: (writes: BatchedWrites) => Promise<T>,
    { isLong = false, grouping }: TransactionOptions & { grouping?: Grouping } = {},
  ): Promise<T> {
    let added: Appended = { count: 0, newest: 0 };
    const run = (session: Session) => {
      added = { count: 0, newest: 0 }; // the transaction may be retried
      const onAppended = (events: EventRow[]) => {
        added = { count: added.count + events.length, newest: events.at(-1)?.id ?? added.newest };
      };
      return work(writesOf(session, options, onAppended));
    };
    const transaction = async () => {
      requireIntact();
      if (!isLong) return backend.transaction(run, grouping).catch(fail);
      // It leaves the caches to no rollback that clears them.
      return backend.longTransaction("write", run).catch(fail).finally(forgetRows);
    };
    const value = await measure(writeMeter, transaction, isFailure);
    announce(added);
    return value;
  }
  function announce(added: Appended): void {
    eventsAppended.add(added.count);
    if (added.count === 0) return;
    backend.noteAppend?.(added);
    derived.noteAppend();
    notifier.notify();
  }
  return {
    ...reads,
    atomically: (work, options) => runAtomically(work, options).finally(() => tokenChanges++),
    append: batchAppends((work) => runAtomically(work, { grouping: "last" }), backend.batchMax),
    async snapshot(work) {
      return backend.longTransaction("read", (session) => work(exportRows(session))).catch(fail);
    },
    async affected(rewriting, work) {
      return backend.longTransaction("read", (session) => work(affectedRows(session, rewriting))).catch(fail);
    },
    async replaceAllRows(work) {
      requireIntact();
      const value = await backend
        .longTransaction("write", (session) => replaceAllRows(session, work))
        .catch(fail);
      forgetRows();
      tokenChanges++;
      notifier.notify();
      return value;
    },
    ...deploymentOf(backend),
    findInconsistencies: (tell) =>
      backend
        .longTransaction("read", (session) => findInconsistencies(session, options.now(), tell))
        .catch(fail),
    async rebuildDerivedRows(kinds) {
      requireIntact();
      // Reads cannot catch up as long as it holds the write lock.
      await derived.cover();
      await backend
        .longTransaction("write", (session) => rebuildDerivedRows(session, new Set(kinds)))
        .catch(fail);
      forgetRows();
    },
    recallIndexState: () => backend.outsideTransaction(() => readIndexState(backend.readSession)).catch(fail),
    async rebuildRecallBatch() {
      requireIntact();
      const hasMore = await backend
        .transaction((session) => rebuildBatch(session, options.now()))
        .catch(fail);
      if (!hasMore) forgetRows();
      return hasMore;
    },
    async isSound() {
      if (!backend.isIntact) return null;
      isDamaged ||= !(await backend.isIntact());
      return !isDamaged;
    },
    isDamaged: () => isDamaged,
    purge: async () => (await backend.purge?.().catch(fail)) ?? true,
    onAppend: (wake) => notifier.subscribe(wake),
    dataVersion: () => orNull(backend.dataVersion),
    releaseMemory: () => backend.releaseMemory?.(),
    tokensVersion() {
      const others = orNull(backend.othersVersion);
      return others === null ? null : others + tokenChanges;
    },
    connection: backend.connection ?? null,
    countRequests: backend.countRequests ?? null,
    isLeader: (job) => backend.isLeader?.(job) ?? true,
    async close() {
      stopPolling();
      await derived.close();
      await replica?.close();
      await backend.close();
    },
  };
}

async function openBackend(url: string, options: OpenOptions): Promise<Backend> {
  const onMigration: TellMigration = (migration, number, count) =>
    options.log("info", "migrating the database", { migration, step: `${number} of ${count}` });
  if (url.startsWith("sqlite:")) {
    const { openSqlite } = await import("./engine/sqlite.ts");
    return openSqlite(url.slice("sqlite:".length), onMigration);
  }
  const { openPostgres } = await import("./engine/postgres.ts");
  return openPostgres(url, { ...options, onMigration });
}

async function openReplica(backend: Backend, { readUrl, log }: OpenOptions) {
  if (!readUrl) return undefined;
  const { openReadReplica } = await import("./engine/read-replica.ts");
  return openReadReplica(readUrl, backend, readsOf, log);
}
