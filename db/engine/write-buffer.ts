/**
 * Write-behind on the write connection to Postgres: statements without results are held back, and sent with
 * the next one that returns rows, or with the commit. An append makes two trips to the database, its reads
 * and its writes, instead of one more for the commit.
 */
import type { ReservedSQL, SQL } from "bun";
import type { Client, Value } from "../dialect/client.ts";

type Query = ReturnType<SQL["unsafe"]>;

export class WriteBuffer {
  #held: [text: string, values: readonly Value[]][] = [];

  constructor(readonly connection: ReservedSQL) {}

  /** A client for drizzle, whose statements follow those that are held. */
  get client(): SQL {
    const client: Pick<SQL, "unsafe"> & { writeBuffer: WriteBuffer } = {
      writeBuffer: this,
      unsafe: (...statement) => {
        const held = this.flush();
        const query = this.connection.unsafe(...statement);
        return held ? following(held, query) : query;
      },
    };
    return client as unknown as SQL; // safe because: this is all that drizzle calls
  }

  /** Holds a statement. Its error is that of the next `flush`. */
  hold(text: string, values: readonly Value[]): void {
    // The driver could refuse it when the commit is already on its way.
    const invalid = values.find((value) => typeof value === "number" && !Number.isFinite(value));
    if (invalid !== undefined) throw new Error(`${invalid} is no value of a statement: ${text}`);
    this.#held.push([text, values]);
  }

  /** Sends what is held, in order. @returns null if there was nothing */
  flush(): Promise<unknown> | null {
    if (this.#held.length === 0) return null;
    const held = this.#held.splice(0);
    return Promise.all(held.map(([text, values]) => this.connection.unsafe(text, [...values]).execute()));
  }

  /** Sends a statement after those that are held. Fails with the error of the first that fails. */
  async send<T>(query: () => PromiseLike<T>): Promise<T> {
    return afterHeld(this.flush(), query());
  }

  discard(): void {
    this.#held = [];
  }
}

/** Fails with the error of the held statements, which made the next one fail too. */
async function afterHeld<T>(held: Promise<unknown> | null, next: PromiseLike<T>): Promise<T> {
  const [before, own] = await Promise.allSettled([held, next]);
  if (before.status === "rejected") throw before.reason;
  if (own.status === "rejected") throw own.reason;
  return own.value;
}

/** A query after held statements. */
function following(held: Promise<unknown>, query: Query): Query {
  const result: Pick<Query, "values"> & PromiseLike<unknown> = {
    // biome-ignore lint/suspicious/noThenProperty: stands for a query of the driver, which is awaited
    then: (...handlers) => afterHeld(held, query).then(...handlers),
    values: () => afterHeld(held, query.values()) as ReturnType<Query["values"]>,
  };
  return result as unknown as Query; // safe because: this is all that drizzle calls
}

/** The buffer of a drizzle client; undefined on connections that hold nothing back. */
export const writeBufferOf = (client: Client): WriteBuffer | undefined =>
  (client as Client & { $client?: { writeBuffer?: WriteBuffer } }).$client?.writeBuffer;
