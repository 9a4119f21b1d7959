/** A SQLite connection that compiles each statement once. */
import { Database, type SQLQueryBindings, type Statement } from "bun:sqlite";
import { boundedByCount, Cache } from "../../src/core/lib/cache.ts";

/** Compiled statements that a connection keeps: clients can combine filters into thousands of texts. */
const statementsMax = 1_000;

type Compiled = Pick<Statement, "all" | "values" | "get" | "run">;

/** For most statements compiling takes as long as running them (`bun run bench views`). */
export class CompilingDatabase extends Database {
  readonly #statements = new Cache<string, Compiled>({ max: statementsMax, bytesOf: boundedByCount });

  override prepare<Row, Values extends SQLQueryBindings | SQLQueryBindings[]>(text: string, values?: Values) {
    const compile = () =>
      text.endsWith("limit ?") ? this.#withLiteralLimit(text.slice(0, -1)) : super.prepare(text, values);
    const statement: unknown = this.#statements.getOrMake(text, compile);
    // safe because: the types are only of its text, and drizzle calls only these methods
    // biome-ignore lint/suspicious/noExplicitAny: as bun:sqlite has it
    return statement as Statement<Row, Values extends any[] ? Values : [Values]>;
  }

  /**
   * SQLite plans for the value of a limit, so it would compile a statement again each time its limit is
   * bound: 13 to 48 µs instead of one for each read of an upload (`bun run bench uploads`).
   */
  #withLiteralLimit(beforeLimit: string): Compiled {
    const statementFor = (limit: unknown): Statement<unknown, SQLQueryBindings[]> => {
      if (!Number.isSafeInteger(limit)) throw new TypeError(`${limit} is no limit of a statement`);
      return this.prepare(`${beforeLimit}${limit}`);
    };
    return {
      all: (...values) => statementFor(values.pop()).all(...values),
      values: (...values) => statementFor(values.pop()).values(...values),
      get: (...values) => statementFor(values.pop()).get(...values),
      run: (...values) => statementFor(values.pop()).run(...values),
    };
  }
}

/**
 * Where reads run: on the connection that writes, except during its transactions. After each commit, any
 * other connection drops the pages that it holds: a page of the website that follows an event took a tenth
 * more CPU (`bun run bench page-times`).
 * @param reader for reads during a transaction, and while another process has a lock that `writer` does not
 * wait for; it refuses statements that write
 */
export function readsBetween(writer: Database, reader: Database): Database {
  function prepare(text: string): Compiled {
    if (!/^\s*(select|with)\b/i.test(text)) return reader.prepare(text);
    const read = <Result>(from: (statement: Compiled) => Result): Result => {
      if (!writer.inTransaction)
        try {
          return from(writer.prepare(text));
        } catch (error) {
          if (!isBusy(error)) throw error;
        }
      return from(reader.prepare(text));
    };
    return {
      all: (...values) => read((statement) => statement.all(...values)),
      values: (...values) => read((statement) => statement.values(...values)),
      get: (...values) => read((statement) => statement.get(...values)),
      run: (...values) => read((statement) => statement.run(...values)),
    };
  }
  // safe because: drizzle and db/query only prepare statements
  return { prepare } as unknown as Database;
}

/** Also where another process recovers the log: the code is more specific then. */
const isBusy = (error: unknown): boolean =>
  (error as { code?: string }).code?.startsWith("SQLITE_BUSY") ?? false;
