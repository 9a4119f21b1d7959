/** A database as its dialect opens it. */
import type { Data } from "../../src/api/port.ts";
import type { Connection } from "../../src/core/port.ts";
import type { Grouping } from "./group-commit.ts";
import type { Session } from "./session.ts";
import type { Appended } from "./table-statistics.ts";

/** What each dialect implements. */
export interface Backend {
  readSession: Session;
  /** The number of connections, for the metrics. */
  connections: number;
  /** The interval of polling for appends of other processes, in milliseconds. */
  pollMs: number;
  /** The most events in one batch of appends. */
  batchMax: number;
  /** Runs reads outside a transaction, on Postgres with a timeout. */
  outsideTransaction<T>(work: () => Promise<T>): Promise<T>;
  transaction<T>(work: (session: Session) => Promise<T>, grouping?: Grouping): Promise<T>;
  /**
   * A transaction without a time limit, on a connection of its own where possible: a read-only snapshot, or a
   * write under the write lock.
   */
  longTransaction<T>(mode: "read" | "write", work: (session: Session) => Promise<T>): Promise<T>;
  /**
   * Calls back on NOTIFY when a process appended, and after a reconnect. Notifications can be lost, so
   * callers poll as well. Absent on SQLite.
   */
  listen?(wake: () => void): Promise<void>;
  /** Gives the planner statistics of tables that have grown. Absent on SQLite. */
  noteAppend?(appended: Appended): void;
  /** `PRAGMA data_version`. Absent with a single connection, which does not count its own commits. */
  dataVersion?(): number;
  /** Empties the caches of pages: https://www.sqlite.org/pragma.html#pragma_shrink_memory */
  releaseMemory?(): void;
  /** `PRAGMA data_version` of the write connection: it changes with each commit of another process. */
  othersVersion?(): number;
  /**
   * Removes what the file still holds of deleted rows. Absent on Postgres, whose vacuum does.
   * @returns false while a reader needs it
   */
  purge?(): Promise<boolean>;
  /** Checks the whole file (`PRAGMA integrity_check`). Absent on Postgres, which has tools of its own. */
  isIntact?(): Promise<boolean>;
  connection?: Connection;
  /** Absent on SQLite: there every process leads, since jobs are idempotent. */
  isLeader?(job: string): boolean;
  countRequests?: NonNullable<Data["countRequests"]>;
  /** Identifies this database among its copies; constant as long as it is not moved. */
  location(): Promise<string>;
  close(): Promise<void> | void;
}
