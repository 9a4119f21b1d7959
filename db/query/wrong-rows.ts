/** The rows that a consistency check found: how many, and the first of their names. */
import { type SQL, sql } from "drizzle-orm";
import type { Session } from "../engine/session.ts";
import { allRows } from "./statements.ts";

/** How many affected rows a finding names; the rest is only counted. */
const namesMax = 3;

export class WrongRows {
  count = 0;
  /** In their order. */
  names: string[] = [];

  add(...names: string[]): void {
    this.#add(names, names.length);
  }

  /** Adds the rows of a query, by their `name`. @param withTables what precedes the query */
  async addFrom(session: Session, query: SQL, withTables: SQL = sql``): Promise<void> {
    const rows = await allRows<{ name: string; total: number }>(
      session,
      sql`${withTables} select name, count(*) over () as total from (${query}) as wrong
        order by name limit ${sql.raw(`${namesMax}`)}`,
    );
    this.#add(
      rows.map(({ name }) => name),
      Number(rows[0]?.total ?? 0),
    );
  }

  #add(names: string[], count: number): void {
    this.count += count;
    if (names.length > 0) this.names = [...this.names, ...names].sort().slice(0, namesMax);
  }
}

/** How much of a check that takes long is done, from 0 to 1. */
export type TellShare = (share: number) => void;
