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
