/**
 * The connection pool to Postgres. A peer can disappear without closing the TCP connection (a firewall drops
 * its state, a machine loses power), and the kernel reports that only after about 15 minutes. When an answer
 * is overdue, the pool replaces all connections instead.
 */
import { SQL } from "bun";

/** The shortest time between two replacements, so that a slow database does not get ever more connections. */
const replaceIntervalMs = 30_000;
/** How long statements that still run on replaced connections may take to finish. */
const drainSeconds = 10;

export interface ConnectionPoolOptions {
  max: number;
  /** An answer that takes longer is considered lost; longer than `statement_timeout`. */
  answerTimeoutMs: number;
  /** Postgres settings of each session, such as `statement_timeout`. */
  sessionParameters: Record<string, string>;
}

export class ConnectionPool {
  /** How many connections have ended. */
  closings = 0;
  #sql: SQL;
  #replacedAt = Number.NEGATIVE_INFINITY;
  #subscription: { channel: string; wake: () => void } | undefined;

  constructor(
    readonly url: string,
    readonly options: ConnectionPoolOptions,
  ) {
    this.#sql = this.#open(options.max);
  }

  get sql(): SQL {
    return this.#sql;
  }

  /** A client for drizzle that always uses the current connections, also after a replacement. */
  get client(): SQL {
    const client: Pick<SQL, "unsafe" | "begin"> = {
      unsafe: (...args) => this.#sql.unsafe(...args),
      begin: (...args: unknown[]) => (this.#sql.begin as (...args: unknown[]) => Promise<never>)(...args),
    };
    return client as SQL; // safe because: these two are all that drizzle calls
  }

  /**
   * Runs `work` and fails with ETIMEDOUT when it takes longer than `answerTimeoutMs`: the driver may never
   * settle a query whose connection breaks.
   */
  async withTimeout<T>(work: () => Promise<T>): Promise<T> {
    const used = this.#sql;
    const timeout = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      this.#replace(used);
      timeout.reject(Object.assign(new Error("no answer"), { code: "ETIMEDOUT" }));
    }, this.options.answerTimeoutMs);
    try {
      return await Promise.race([work(), timeout.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Subscribes with LISTEN; `wake` is also called after a reconnect, since notifications may be lost. */
  async listen(channel: string, wake: () => void): Promise<void> {
    this.#subscription = { channel, wake };
    await this.#sql.listen(channel, wake, wake);
  }

  /** Runs `work` on a connection outside the pool, so that a long query does not hold a pooled one. */
  async withDedicatedConnection<T>(work: (sql: SQL) => Promise<T>): Promise<T> {
    const sql = this.#open(1);
    try {
      return await work(sql);
    } finally {
      await sql.close({ timeout: 0 });
    }
  }

  close(): Promise<void> {
    return this.#sql.close({ timeout: 5 });
  }

  #open(max: number): SQL {
    return new SQL(this.url, {
      max,
      connectionTimeout: 5,
      connection: this.options.sessionParameters,
      onclose: () => void this.closings++,
    });
  }

  #replace(used: SQL): void {
    if (used !== this.#sql || performance.now() - this.#replacedAt < replaceIntervalMs) return;
    this.#replacedAt = performance.now();
    this.#sql = this.#open(this.options.max);
    void used.close({ timeout: drainSeconds }).catch(() => {});
    // Polling covers appends of other processes until LISTEN is active again.
    if (this.#subscription)
      void this.listen(this.#subscription.channel, this.#subscription.wake).catch(() => {});
  }
}
