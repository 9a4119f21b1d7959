/**
 * Chooses a connection for each statement that reads. A prepared statement belongs to one connection: each
 * other one parses it again, and plans it again for its first five executions. So a statement is pipelined to
 * a connection that has prepared it. With few clients that is always the same one, with many it becomes all
 * of them (`bun run bench page-times`). No statement is sent behind a slow one while another connection is
 * free of those.
 */
import type { SQL } from "bun";

/** A statement goes to another connection, which prepares it too, instead of behind so many. */
const pipelineMax = 8;
/** A statement that takes longer, without the network, is slow. Those of the usual pages take less than 5 ms. */
const slowMs = 20;
/** Counts for so many statements in flight: a connection with a slow one is the last choice. */
const slowCost = 1_000;

interface ReadConnection {
  readonly sql: SQL;
  readonly prepared: Set<string>;
  inFlight: number;
  /** Those of them that are expected to take long. */
  slowInFlight: number;
  /** When the statement that runs now began: when the one before it ended. */
  runsSince: number;
}

export class ReadConnections {
  readonly #connections = new Set<ReadConnection>();
  /** Statements that were slow the last time. */
  readonly #slow = new Set<string>();
  /** The fastest answer so far is what the network takes. */
  #roundTripMs = Number.POSITIVE_INFINITY;

  /** @param onBusy called when a statement follows others on a connection that has not prepared it */
  constructor(readonly onBusy: () => void) {}

  get size(): number {
    return this.#connections.size;
  }

  add(sql: SQL): void {
    this.#connections.add({ sql, prepared: new Set(), inFlight: 0, slowInFlight: 0, runsSince: 0 });
  }

  delete(sql: SQL): void {
    for (const connection of this.#connections)
      if (connection.sql === sql) this.#connections.delete(connection);
    this.#forgetNetwork();
  }

  /** Removes all. */
  take(): SQL[] {
    const all = [...this.#connections].map(({ sql }) => sql);
    this.#connections.clear();
    this.#forgetNetwork();
    return all;
  }

  /** Without a connection, the next one may lead to a server that is further away. */
  #forgetNetwork(): void {
    if (this.#connections.size === 0) this.#roundTripMs = Number.POSITIVE_INFINITY;
  }

  get leastBusy(): SQL {
    return this.#choose(null).sql;
  }

  #choose(text: string | null): ReadConnection {
    const now = performance.now();
    const isSlow = text !== null && this.#slow.has(text);
    let least: ReadConnection | undefined;
    let prepared: ReadConnection | undefined;
    let [leastAhead, preparedAhead] = [Number.POSITIVE_INFINITY, isSlow ? 1 : pipelineMax];
    for (const connection of this.#connections) {
      const ahead = this.#statementsAhead(connection, now);
      if (ahead < leastAhead) [least, leastAhead] = [connection, ahead];
      if (ahead < preparedAhead && text !== null && connection.prepared.has(text))
        [prepared, preparedAhead] = [connection, ahead];
    }
    if (prepared) return prepared;
    if (!least) throw Object.assign(new Error("no connection"), { code: "ERR_POSTGRES_CONNECTION_CLOSED" });
    if (leastAhead > 0) this.onBusy();
    return least;
  }

  #statementsAhead({ inFlight, slowInFlight, runsSince }: ReadConnection, now: number): number {
    const isSlow = inFlight > 0 && (slowInFlight > 0 || this.#isSlow(now - runsSince));
    return isSlow ? inFlight + slowCost : inFlight;
  }

  #isSlow(ms: number): boolean {
    return ms > slowMs + this.#roundTripMs;
  }

  /**
   * Sends a statement, and waits for its result.
   * @param text null for a statement without parameters, which Bun does not prepare
   */
  async run<T>(text: string | null, send: (sql: SQL) => PromiseLike<T>): Promise<T> {
    const connection = this.#choose(text);
    const isPrepared = text !== null && connection.prepared.has(text);
    // Bun sends nothing behind a statement until it is prepared, or answered if it has no parameters.
    const slow = Number(!isPrepared || this.#slow.has(text));
    const isAlone = connection.inFlight === 0;
    let isAnswered = false;
    if (isAlone) connection.runsSince = performance.now();
    connection.inFlight++;
    connection.slowInFlight += slow;
    try {
      const result = await send(connection.sql);
      isAnswered = true;
      if (text !== null) connection.prepared.add(text);
      return result;
    } finally {
      const now = performance.now();
      const tookMs = now - connection.runsSince;
      // A connection that breaks fails sooner than any answer comes.
      if (isAlone && isAnswered) this.#roundTripMs = Math.min(this.#roundTripMs, tookMs);
      if (isPrepared) this.#slow[this.#isSlow(tookMs) ? "add" : "delete"](text);
      connection.inFlight--;
      connection.slowInFlight -= slow;
      connection.runsSince = now;
    }
  }
}
