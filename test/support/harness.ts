/**
 * Shared test helpers: databases of both dialects, the app in this process, the program as a child process, a
 * manual clock, and waiting for a condition. Dispose of the results with `await using`, or `close` in
 * `afterAll`.
 */
import { scale } from "../faults/promises.ts";
import { type Dialect, dialects } from "./database/database.ts";

export * from "./app.ts";
export * from "./clock.ts";
export * from "./conditions.ts";
export * from "./database/consistency.ts";
export * from "./database/database.ts";
export * from "./database/stored-events.ts";
export * from "./program.ts";
export * from "./resources.ts";

/** Picks the size of a test in test/faults: `small` in the suite, `full` with `bun run test:faults`. */
export const scaled = <T>(small: T, full: T): T => (scale === "suite" ? small : full);

/**
 * For rules above SQL: input, formats, scopes and pages. On Postgres, test/api/http/contract.test.ts calls every
 * operation in the suite, test/db all that is written in SQL.
 */
export const oneDialect = scaled<readonly Dialect[]>(["sqlite"], dialects);
