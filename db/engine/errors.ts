/** Classifies the errors of both database drivers. The only module that knows their error codes. */
import { Problem, unavailable } from "../../src/core/problem.ts";

type DriverError = { code?: unknown; errno?: unknown; cause?: DriverError };

/** The codes of an error and its causes. */
const codesOf = (error: DriverError | undefined): string[] =>
  error && typeof error === "object"
    ? ([error.code, error.errno]
        .filter((code) => typeof code === "string")
        .concat(codesOf(error.cause)) as string[])
    : [];

const hasCode = (error: unknown, pattern: RegExp): boolean =>
  codesOf(error as DriverError).some((code) => pattern.test(code));

/**
 * SQLite: busy, disk full, read-only, I/O error. Postgres: no connection, shutting down, too many clients,
 * insufficient resources, lock timeout, statement timeout.
 */
const unavailableCodes =
  /^(SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN|NOMEM)|ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME)|ECONN|EPIPE|ETIMEDOUT|57P0|57014|55P03|08|53|25006|58)/;
/** Serialization failure and deadlock: the same transaction may succeed when it is retried. */
const retryableCodes = /^(40001|40P01)$/;

/** Whether a transaction that failed with this error can succeed if it is repeated. */
export const isRetryable = (error: unknown): boolean => hasCode(error, retryableCodes);

/** Another transaction held the write lock for longer than the timeout. */
export const isLockTimeout = (error: unknown): boolean => hasCode(error, /^(SQLITE_BUSY|55P03$)/);

/** A statement took longer than `statement_timeout`. */
export const isStatementTimeout = (error: unknown): boolean => hasCode(error, /^57014$/);

/** SQLite found a malformed file, or Postgres reported damaged data or a damaged index (class XX). */
export const isCorruption = (error: unknown): boolean =>
  hasCode(error, /^(SQLITE_(CORRUPT|NOTADB)|XX00[12]$)/);

/** The disk has no room for SQLite's WAL and shared-memory files. */
export const isDiskFull = (error: unknown): boolean => hasCode(error, /^SQLITE_(FULL|IOERR|CANTOPEN)/);

/** No connection to Postgres, or no answer on it. */
export const isUnreachable = (error: unknown): boolean =>
  hasCode(error, /^(ERR_POSTGRES_CONNECTION|ECONN|EPIPE|ETIMEDOUT|08|57P0)/);

/** Maps a driver error to the Problem 503 of the port; any other error is returned as it is. */
export function toProblem(error: unknown): unknown {
  if (error instanceof Problem) return error;
  if (isCorruption(error))
    return unavailable("The database is damaged. Stop all servers and restore a backup.", error);
  return hasCode(error, unavailableCodes) || hasCode(error, retryableCodes)
    ? unavailable("The database is not responding. Try again in a few seconds.", error)
    : error;
}
