/** The tables on SQLite. */
import { lazy, lazyMembers } from "../../src/core/lib/lazy.ts";
import { sqliteColumns } from "./columns.ts";
import { defineTables } from "./tables.ts";

/** A process uses one database, so it defines the tables of one. */
export const sqliteTables = lazy(() => lazyMembers(defineTables(sqliteColumns)));
export type Tables = ReturnType<typeof sqliteTables>;
