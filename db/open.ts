/** Opens the data layer of a `SVC_DATABASE_URL`: migrated, checked, ready. */
import { sql } from "drizzle-orm";
import type { Log } from "../src/context.ts";
import type { AppendResult, Connection, Data, Reads } from "../src/data.ts";
import { type Micros, secondMicros } from "../src/lib/time.ts";
import { type Meter, type Metrics, measured, openMetrics } from "../src/metrics.ts";
import { Problem, unavailable } from "../src/problem.ts";
import { type BatchedWrites, batchAppends } from "./engine/append-batching.ts";
import { ChangeNotifier } from "./engine/change-notifier.ts";
import { isCorruption, toProblem } from "./engine/errors.ts";
import { clearCaches, type Session } from "./engine/session.ts";
import { append, feedReads } from "./feed/events.ts";
import { findInconsistencies } from "./maintenance/consistency-checks.ts";
import { exportRows, replaceAllRows } from "./maintenance/export.ts";
import { rebuildDerivedRows } from "./maintenance/rebuild.ts";
import { preparedStatement } from "./query/prepared-statement.ts";
import { rowCache } from "./query/row-cache.ts";
import { allRows } from "./query/sql.ts";
import { outdatedIndex, rebuildOutdated } from "./recall/rebuild-index.ts";
import { recallReads } from "./recall/search.ts";
import { assetReads, assetWrites } from "./records/assets.ts";
import { auditReads, auditWrites } from "./records/audit.ts";
import { deploymentOf } from "./records/deployment.ts";
import { guidanceReads, guidanceWrites } from "./records/guidance.ts";
import { memoryReads, memoryWrites } from "./records/memory.ts";
import { outboxReads, outboxWrites } from "./records/outbox.ts";
import { projectReads, projectWrites } from "./records/projects.ts";
import { rollupReads, rollupWrites } from "./records/rollups.ts";
import { sessionReads, sessionWrites } from "./records/sessions.ts";
import { settingReads, settingWrites } from "./records/settings.ts";
import { tokenReads, tokenWrites } from "./records/tokens.ts";

/**
 * An append of another process is noticed at most this late: on SQLite by looking, on Postgres where a
 * notification got lost.
 */
const pollMs = { sqlite: 100, postgres: 1_000 };

/**
 * A clock this far behind the newest event is worth a word: events keep their order, their times stand still.
 */
const clockLagMicros = 60 * secondMicros;

export interface OpenOptions {
  now(): Micros;
  log: Log;
  metrics?: Metrics;
  /** Called while the database does not answer a start, with a line that says so. */
  onWait?(line: string): void;
}

/** What a dialect brings. */
interface Backend {
  readSession: Session;
  /** Connections that reads and transactions share. */
  connections: number;
  outsideTransaction<T>(work: () => Promise<T>): Promise<T>;
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** The same for work that takes its time. */
  longTransaction<T>(mode: "read" | "write", work: (session: Session) => Promise<T>): Promise<T>;
  listen?(wake: () => void): Promise<void>;
  dataVersion?(): number;
  connection?: Connection;
  /** Absent where what two processes do twice does no harm, and there is nothing to ask. */
  isLeader?(work: string): boolean;
  countRequests?: NonNullable<Data["countRequests"]>;
  /** Tells this database from its copies, and stays the same as long as it is not moved. */
  location(): Promise<string>;
  close(): Promise<void> | void;
}

export async function openData(url: string, options: OpenOptions): Promise<Data> {
  const backend = await openBackend(url, options.onWait);
  const bell = new ChangeNotifier();
  const { metrics = openMetrics() } = options;
  metrics.databaseConnections.of().set(backend.connections);
  let isDamaged = false;
  const fail = (error: unknown): never => {
    if (isCorruption(error) && !isDamaged)
      options.log("error", "the database is damaged: writes are refused from now on");
    isDamaged ||= isCorruption(error);
    throw toProblem(error);
  };
  const requireSound = (): void => {
    if (isDamaged)
      throw unavailable(
        "The database is damaged, so nothing is written to it. Stop the servers and restore a backup.",
      );
  };
  const reads = guarded(
    readsOf(backend.readSession),
    backend.outsideTransaction,
    meterOf(metrics, "read"),
    fail,
  );
  const writing = meterOf(metrics, "write");
  const appended = metrics.eventsAppended.of();
  await backend.listen?.(() => bell.notify());
  await upgradeIndex();
  const stopLooking = bell.poll(() => reads.head(), pollMs[backend.readSession.dialect]);
  const edition = () => {
    try {
      return backend.dataVersion?.() ?? null;
    } catch {
      return null; // the read that follows says what is wrong
    }
  };
  const projectOf = rowCache(edition, (slug) => reads.project(null, slug));
  const assetOf = rowCache(edition, (id) => reads.asset(null, id));
  async function atomically<T>(work: (writes: BatchedWrites) => Promise<T>): Promise<T> {
    let added = 0;
    const run = (session: Session) => {
      added = 0; // it may be tried again
      return work(writesOf(session, options, (count) => (added += count)));
    };
    const transaction = async () => {
      requireSound();
      return backend.transaction(run).catch(fail);
    };
    const value = await measured(writing, transaction, isFailure);
    appended.add(added);
    if (added > 0) bell.notify();
    return value;
  }
  /** Before anything is read: a caller with limits finds nothing in an index that knows no audiences. */
  async function upgradeIndex(): Promise<void> {
    if ((await reads.setting(outdatedIndex)) === null) return;
    options.log("info", "rebuilding the recall index after an upgrade");
    await backend.longTransaction("write", rebuildOutdated);
    clearCaches(backend.readSession);
  }
  return {
    ...reads,
    token: rowCache(edition, reads.token),
    session: rowCache(edition, reads.session),
    async project(projects, slug) {
      return projects === null || projects.includes(slug) ? projectOf(slug) : null;
    },
    async asset(projects, id) {
      const row = await assetOf(id);
      return row && (projects === null || projects.includes(row.project)) ? row : null;
    },
    atomically,
    append: batchAppends(atomically),
    async snapshot(work) {
      return backend.longTransaction("read", (session) => work(exportRows(session))).catch(fail);
    },
    async replaceAllRows(work) {
      requireSound();
      const value = await backend
        .longTransaction("write", (session) => replaceAllRows(session, work))
        .catch(fail);
      clearCaches(backend.readSession);
      bell.notify();
      return value;
    },
    ...deploymentOf(backend),
    findInconsistencies: () =>
      backend.longTransaction("read", (session) => findInconsistencies(session, options.now())).catch(fail),
    async rebuildDerivedRows(kinds) {
      requireSound();
      await backend
        .longTransaction("write", (session) => rebuildDerivedRows(session, new Set(kinds)))
        .catch(fail);
      clearCaches(backend.readSession);
    },
    async isSound() {
      if (backend.readSession.dialect === "postgres") return null;
      const said = await backend.longTransaction("read", (session) =>
        allRows<{ integrity_check: string }>(session, sql`pragma integrity_check(1)`),
      );
      isDamaged ||= said[0]?.integrity_check !== "ok";
      return !isDamaged;
    },
    isDamaged: () => isDamaged,
    onAppend: (wake) => bell.subscribe(wake),
    dataVersion: edition,
    connection: backend.connection ?? null,
    countRequests: backend.countRequests ?? null,
    isLeader: (work) => backend.isLeader?.(work) ?? true,
    async close() {
      stopLooking();
      await backend.close();
    },
  };
}

async function openBackend(url: string, onWait?: (line: string) => void): Promise<Backend> {
  if (url.startsWith("sqlite:")) {
    const { openSqlite } = await import("./engine/sqlite.ts");
    return openSqlite(url.slice("sqlite:".length));
  }
  const { openPostgres } = await import("./engine/postgres.ts");
  return openPostgres(url, onWait);
}

/** Every read, on a connection or in a transaction. */
export const readsOf = (session: Session): Reads => ({
  ...feedReads(session),
  ...projectReads(session),
  ...memoryReads(session),
  ...guidanceReads(session),
  ...recallReads(session),
  ...rollupReads(session),
  ...assetReads(session),
  ...outboxReads(session),
  ...settingReads(session),
  ...tokenReads(session),
  ...sessionReads(session),
  ...auditReads(session),
});

/** Made once for each connection: a transaction of one event costs no more than making them. */
const plainWrites = preparedStatement((session) => ({
  ...readsOf(session),
  ...projectWrites(session),
  ...memoryWrites(session),
  ...guidanceWrites(session),
  ...rollupWrites(session),
  ...assetWrites(session),
  ...outboxWrites(session),
  ...settingWrites(session),
  ...tokenWrites(session),
  ...sessionWrites(session),
  ...auditWrites(session),
}));

function writesOf(
  session: Session,
  { now, log }: OpenOptions,
  appended: (count: number) => void,
): BatchedWrites {
  const appendEach: BatchedWrites["appendBatches"] = async (batches, along) => {
    const clock = now();
    const made = await append(session, batches, clock, along);
    appended(made.reduce((sum, { added }) => sum + added.length, 0));
    const events = batches.flat();
    const first = made.flatMap(({ added }) => added).find((_, index) => events[index]?.ts === undefined);
    if (first && first.ts > clock + clockLagMicros)
      log("warn", "the clock is behind the newest event", {
        behind_s: Math.round((first.ts - clock) / secondMicros),
      });
    return made;
  };
  return {
    ...plainWrites(session),
    appendBatches: appendEach,
    append: async (events) => (await appendEach([events]))[0] as AppendResult,
  };
}

/**
 * Every read waits its turn where it has to, and fails in the words of the interface. @param fail says how
 */
function guarded(
  reads: Reads,
  outside: Backend["outsideTransaction"],
  meter: Meter,
  fail: (error: unknown) => never,
): Reads {
  const guard =
    (method: (...args: unknown[]) => Promise<unknown>) =>
    (...args: unknown[]) =>
      measured(meter, () => outside(() => method(...args)), isFailure).catch(fail);
  // safe because: each method is replaced by one that takes and gives the same
  return Object.fromEntries(
    Object.entries(reads).map(([name, method]) => [name, guard(method)]),
  ) as unknown as Reads;
}

const meterOf = (metrics: Metrics, call: "read" | "write"): Meter => ({
  inFlight: metrics.databaseInFlight.of(call),
  duration: metrics.databaseCalls.of(call),
  errors: metrics.databaseErrors.of(call),
});

/** A transaction may end with the refusal of a caller, and that is none of the database's. */
const isFailure = (error: unknown): boolean => !(error instanceof Problem) || error.status === 503;
