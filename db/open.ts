/** Opens the database of `SVC_DATABASE_URL`, applies pending migrations, and returns the data port. */
import type { Log } from "../src/context.ts";
import type { AppendResult, Connection, Data, Reads } from "../src/data.ts";
import { type Micros, secondMicros } from "../src/lib/time.ts";
import { type Metrics, measure, openMetrics } from "../src/metrics.ts";
import { unavailable } from "../src/problem.ts";
import { annotationReads, annotationWrites } from "./annotations/annotations.ts";
import { libraryReads, libraryWrites } from "./assets/library.ts";
import { sessionReads, sessionWrites } from "./auth/sessions.ts";
import { signInLinkReads, signInLinkWrites } from "./auth/sign-in-links.ts";
import { tokenReads, tokenWrites } from "./auth/tokens.ts";
import { budgetReads } from "./budgets/reads.ts";
import { budgetWrites } from "./budgets/writes.ts";
import { type BatchedWrites, batchAppends } from "./engine/append-batching.ts";
import { ChangeNotifier } from "./engine/change-notifier.ts";
import { isCorruption, toProblem } from "./engine/errors.ts";
import { guardReads, isFailure, meterOf } from "./engine/measured-reads.ts";
import { clearCaches, type Session } from "./engine/session.ts";
import { afterCatchUp, openCatchUp } from "./feed/catch-up.ts";
import { catchUp } from "./feed/derived-rows.ts";
import { append, feedReads } from "./feed/events.ts";
import { readFeedHead } from "./feed/head.ts";
import { notificationReads, notificationWrites } from "./inbox/session.ts";
import { findInconsistencies } from "./maintenance/consistency-checks.ts";
import { exportRows, replaceAllRows } from "./maintenance/export.ts";
import { rebuildDerivedRows } from "./maintenance/rebuild.ts";
import { preparedStatement } from "./query/prepared-statement.ts";
import { hasUnversioned, readIndexState, rebuildBatch, recordVersion } from "./recall/outdated-index.ts";
import { recallReads } from "./recall/search.ts";
import { auditReads, auditWrites } from "./records/audit.ts";
import { deploymentOf } from "./records/deployment.ts";
import { guidanceReads, guidanceWrites } from "./records/guidance.ts";
import { memoryReads, memoryWrites } from "./records/memory.ts";
import { outboxReads, outboxWrites } from "./records/outbox.ts";
import { projectReads, projectWrites } from "./records/projects.ts";
import { rollupReads, rollupWrites } from "./records/rollups.ts";
import { settingReads, settingWrites } from "./records/settings.ts";
import { unplacedReads, unplacedWrites } from "./records/unplaced.ts";
import { runReads } from "./runs/reads.ts";
import { runWrites } from "./runs/writes.ts";
import { taskReads } from "./tasks/reads.ts";
import { readMarkerWrites } from "./today/read-markers.ts";
import { todayReads } from "./today/reads.ts";
import { usageReads } from "./usage/reads.ts";
import { webhookReads, webhookWrites } from "./webhooks/webhooks.ts";

/**
 * A system clock this far behind the newest event is logged: new events keep their order, but all get times
 * just after that event.
 */
const clockLagWarningMicros = 60 * secondMicros;

export interface OpenOptions {
  now(): Micros;
  log: Log;
  metrics?: Metrics;
  /** The size of the connection pool to Postgres, at least 2; 10 by default. */
  connections?: number;
  /** Gets a line of text while the start waits for the database. */
  onWait?(line: string): void;
}

/** What each dialect implements. */
interface Backend {
  readSession: Session;
  /** The number of connections, for the metrics. */
  connections: number;
  /** The interval of polling for appends of other processes, in milliseconds. */
  pollMs: number;
  outsideTransaction<T>(work: () => Promise<T>): Promise<T>;
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** A transaction without a time limit, on a connection of its own where possible. */
  longTransaction<T>(mode: "read" | "write", work: (session: Session) => Promise<T>): Promise<T>;
  listen?(wake: () => void): Promise<void>;
  dataVersion?(): number;
  /** Checks the whole file. Absent on Postgres, which has tools of its own. */
  isIntact?(): Promise<boolean>;
  connection?: Connection;
  /** Absent on SQLite: there every process leads, since jobs are idempotent. */
  isLeader?(job: string): boolean;
  countRequests?: NonNullable<Data["countRequests"]>;
  /** Identifies this database among its copies; constant as long as it is not moved. */
  location(): Promise<string>;
  close(): Promise<void> | void;
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
    async transaction(work) {
      requireIntact();
      await backend.transaction(work).catch(fail);
    },
  });
  const reads = afterCatchUp(
    guardReads(readsOf(readSession), outsideTransaction, meterOf(metrics, "read"), fail),
    () => derived.cover().catch(fail),
  );
  const writeMeter = meterOf(metrics, "write");
  const eventsAppended = metrics.eventsAppended.of();
  await backend.listen?.(() => notifier.notify());
  if (await backend.outsideTransaction(() => hasUnversioned(backend.readSession)))
    await backend.transaction(recordVersion);
  const stopPolling = notifier.poll(() => reads.head(), backend.pollMs);
  const dataVersion = () => {
    try {
      return backend.dataVersion?.() ?? null;
    } catch {
      return null; // the read that follows reports the error
    }
  };
  async function atomically<T>(work: (writes: BatchedWrites) => Promise<T>): Promise<T> {
    let added = 0;
    const run = (session: Session) => {
      added = 0; // the transaction may be retried
      return work(writesOf(session, options, (count) => (added += count)));
    };
    const transaction = async () => {
      requireIntact();
      return backend.transaction(run).catch(fail);
    };
    const value = await measure(writeMeter, transaction, isFailure);
    eventsAppended.add(added);
    if (added > 0) {
      derived.schedule();
      notifier.notify();
    }
    return value;
  }
  return {
    ...reads,
    atomically,
    append: batchAppends(atomically),
    async snapshot(work) {
      return backend.longTransaction("read", (session) => work(exportRows(session))).catch(fail);
    },
    async replaceAllRows(work) {
      requireIntact();
      const value = await backend
        .longTransaction("write", (session) => replaceAllRows(session, work))
        .catch(fail);
      clearCaches(backend.readSession);
      notifier.notify();
      return value;
    },
    ...deploymentOf(backend),
    findInconsistencies: () =>
      backend.longTransaction("read", (session) => findInconsistencies(session, options.now())).catch(fail),
    async rebuildDerivedRows(kinds) {
      requireIntact();
      // Reads cannot catch up as long as it holds the write lock.
      await derived.cover();
      await backend
        .longTransaction("write", (session) => rebuildDerivedRows(session, new Set(kinds)))
        .catch(fail);
      clearCaches(backend.readSession);
    },
    recallIndexState: () => backend.outsideTransaction(() => readIndexState(backend.readSession)).catch(fail),
    async rebuildRecallBatch() {
      requireIntact();
      const hasMore = await backend
        .transaction((session) => rebuildBatch(session, options.now()))
        .catch(fail);
      if (!hasMore) clearCaches(backend.readSession);
      return hasMore;
    },
    async isSound() {
      if (!backend.isIntact) return null;
      isDamaged ||= !(await backend.isIntact());
      return !isDamaged;
    },
    isDamaged: () => isDamaged,
    onAppend: (wake) => notifier.subscribe(wake),
    dataVersion,
    connection: backend.connection ?? null,
    countRequests: backend.countRequests ?? null,
    isLeader: (job) => backend.isLeader?.(job) ?? true,
    async close() {
      stopPolling();
      await derived.close();
      await backend.close();
    },
  };
}

async function openBackend(url: string, options: OpenOptions): Promise<Backend> {
  if (url.startsWith("sqlite:")) {
    const { openSqlite } = await import("./engine/sqlite.ts");
    return openSqlite(url.slice("sqlite:".length));
  }
  const { openPostgres } = await import("./engine/postgres.ts");
  return openPostgres(url, options);
}

/** All reads, on a connection or in a transaction. */
export const readsOf = (session: Session): Reads => ({
  ...feedReads(session),
  ...projectReads(session),
  ...runReads(session),
  ...memoryReads(session),
  ...guidanceReads(session),
  ...recallReads(session),
  ...rollupReads(session),
  ...usageReads(session),
  ...budgetReads(session),
  ...libraryReads(session),
  ...annotationReads(session),
  ...outboxReads(session),
  ...settingReads(session),
  ...tokenReads(session),
  ...sessionReads(session),
  ...signInLinkReads(session),
  ...auditReads(session),
  ...taskReads(session),
  ...todayReads(session),
  ...notificationReads(session),
  ...unplacedReads(session),
  ...webhookReads(session),
});

/** Built once for each connection: building them costs as much as a transaction that appends one event. */
const recordWrites = preparedStatement((session) =>
  afterCatchUp(
    {
      ...readsOf(session),
      ...projectWrites(session),
      ...memoryWrites(session),
      ...guidanceWrites(session),
      ...rollupWrites(session),
      ...libraryWrites(session),
      ...annotationWrites(session),
      ...runWrites(session),
      ...budgetWrites(session),
      ...outboxWrites(session),
      ...settingWrites(session),
      ...tokenWrites(session),
      ...sessionWrites(session),
      ...signInLinkWrites(session),
      ...auditWrites(session),
      ...readMarkerWrites(session),
      ...notificationWrites(session),
      ...unplacedWrites(session),
      ...webhookWrites(session),
    },
    () => catchUp(session),
  ),
);

function writesOf(
  session: Session,
  { now, log }: OpenOptions,
  onAppended: (count: number) => void,
): BatchedWrites {
  const appendEach: BatchedWrites["appendBatches"] = async (batches, along) => {
    const clock = now();
    const results = await append(session, batches, clock, along);
    onAppended(results.reduce((sum, { added }) => sum + added.length, 0));
    const events = batches.flat();
    const first = results.flatMap(({ added }) => added).find((_, index) => events[index]?.ts === undefined);
    if (first && first.ts > clock + clockLagWarningMicros)
      log("warn", "the clock is behind the newest event", {
        behind_s: Math.round((first.ts - clock) / secondMicros),
      });
    return results;
  };
  // Not copied: there are more than a hundred of them.
  const writes: Omit<BatchedWrites, "append" | "appendBatches"> = Object.create(recordWrites(session));
  return Object.assign(writes, {
    appendBatches: appendEach,
    append: async (events: Parameters<Data["append"]>[0]) => (await appendEach([events]))[0] as AppendResult,
  });
}
