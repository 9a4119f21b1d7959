/** What a driver throws, as what the caller can do about it. The one place that knows drivers' codes. */
import { Problem, unavailable } from "../../src/problem.ts";

type DriverError = { code?: unknown; errno?: unknown; cause?: DriverError };

const codesOf = (error: DriverError | undefined): string[] =>
  error && typeof error === "object"
    ? ([error.code, error.errno]
        .filter((one) => typeof one === "string")
        .concat(codesOf(error.cause)) as string[])
    : [];

/**
 * SQLite: busy, full, read-only, I/O. Postgres: no connection, shutting down, too many clients, out of
 * resources, locked, time-outs.
 */
const away =
  /^(SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN|NOMEM)|ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME)|ECONN|EPIPE|ETIMEDOUT|57P0|57014|55P03|08|53|25006|58)/;
/** Serialization failure, deadlock: the same work may succeed at once. */
const again = /^(40001|40P01)$/;

export const isRetryable = (error: unknown): boolean =>
  codesOf(error as DriverError).some((code) => again.test(code));

/** Somebody else held the lock for longer than this one waits. */
export const isLockTimeout = (error: unknown): boolean =>
  codesOf(error as DriverError).some((code) => /^(SQLITE_BUSY|55P03$)/.test(code));

/**
 * Pages that do not hold what they should: SQLite's, and the classes of Postgres for damaged data and
 * indexes.
 */
export const isCorruption = (error: unknown): boolean =>
  codesOf(error as DriverError).some((code) => /^(SQLITE_(CORRUPT|NOTADB)|XX00[12]$)/.test(code));

/** The disk has no room for what SQLite lays beside the file. */
export const isDiskFull = (error: unknown): boolean =>
  codesOf(error as DriverError).some((code) => /^SQLITE_(FULL|IOERR|CANTOPEN)/.test(code));

/** Nobody is there, or says anything. */
export const isUnreachable = (error: unknown): boolean =>
  codesOf(error as DriverError).some((code) =>
    /^(ERR_POSTGRES_CONNECTION|ECONN|EPIPE|ETIMEDOUT|08|57P0)/.test(code),
  );

export function toProblem(error: unknown): unknown {
  if (error instanceof Problem) return error;
  if (isCorruption(error))
    return unavailable("The database is damaged. Stop the servers and restore a backup.", error);
  const gone = codesOf(error as DriverError).some((code) => away.test(code) || again.test(code));
  return gone ? unavailable("The database does not answer; try again.", error) : error;
}
