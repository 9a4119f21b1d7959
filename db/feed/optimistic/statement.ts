/** Runs the statement of an optimistic append. */
import type { SQL as Connection } from "bun";
import type { Micros } from "../../../src/core/lib/time.ts";
import { preparedStatement } from "../../query/prepared-statement.ts";
import { type Parameter, parameters, statementText } from "./statement-text.ts";

export type Parameters = Record<Parameter, string | number>;

export interface Stored {
  isStored: true;
  /** Before the first event. */
  id: number;
  /** Of the first event. */
  ts: Micros;
  /** `feed_head.derived`. */
  derived: number;
}
/** Nothing was appended, because something was not as expected. */
interface NotStored {
  isStored: false;
  /** Whether an idempotency key or delivery id is in the feed. */
  hasDuplicates: boolean;
}

/**
 * Returns a function that runs it. It fails with a division by zero or a unique violation when another
 * process was faster by less than the wait for the lock, or a notice of a budget may be due; nothing is
 * appended then either.
 */
export const runStatement = preparedStatement((session) => {
  const text = statementText(session.t);
  // safe because: drizzle's clients of Postgres have it
  const { $client: connection } = session.db as unknown as { $client: Pick<Connection, "unsafe"> };
  return async (values: Parameters): Promise<Stored | NotStored> => {
    const list = parameters.map((name) => values[name]);
    const [row] = await connection.unsafe(text, list).values();
    const [hasDuplicates, id, ts, derived] = row as [boolean, ...(string | null)[]];
    if (id === null) return { isStored: false, hasDuplicates };
    return { isStored: true, id: Number(id), ts: Number(ts), derived: Number(derived) };
  };
});
