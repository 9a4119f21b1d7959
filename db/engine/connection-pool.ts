/**
 * Connections to Postgres. Their other end may be gone without a word: a firewall forgot them, a machine lost
 * its power. The system notices that after a quarter of an hour; here, when one answer is overdue, all of
 * them are replaced.
 */
import { SQL } from "bun";

/**
 * The shortest time between two replacements, so that a database that is merely slow is not given more and
 * more connections.
 */
const calmMs = 30_000;
/** What still runs on connections that were replaced may take so long. */
const leaveSeconds = 10;

export interface PoolOptions {
  max: number;
  /** No answer takes longer, unless it never comes. */
  answerTimeoutMs: number;
  /** Parameters of each session. */
  sessionParameters: Record<string, string>;
}

export class ConnectionPool {
  #sql: SQL;
  #replacedAt = Number.NEGATIVE_INFINITY;
  #heard: { channel: string; wake: () => void } | undefined;

  constructor(
    readonly url: string,
    readonly options: PoolOptions,
  ) {
    this.#sql = this.#open(options.max);
  }

  get sql(): SQL {
    return this.#sql;
  }

  /** What drizzle calls, of the connections that are there at the moment. */
  get client(): SQL {
    const client: Pick<SQL, "unsafe" | "begin"> = {
      unsafe: (...given) => this.#sql.unsafe(...given),
      begin: (...given: unknown[]) => (this.#sql.begin as (...given: unknown[]) => Promise<never>)(...given),
    };
    return client as SQL; // safe because: these two are all that drizzle calls
  }

  /** Fails where no answer comes: the driver may lose that of a connection that breaks. */
  async withTimeout<T>(work: () => Promise<T>): Promise<T> {
    const used = this.#sql;
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      this.#replace(used);
      late.reject(Object.assign(new Error("no answer"), { code: "ETIMEDOUT" }));
    }, this.options.answerTimeoutMs);
    try {
      return await Promise.race([work(), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async listen(channel: string, wake: () => void): Promise<void> {
    this.#heard = { channel, wake };
    await this.#sql.listen(channel, wake, wake);
  }

  /** A connection for work that takes its time, apart from the others. */
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
    return new SQL(this.url, { max, connectionTimeout: 5, connection: this.options.sessionParameters });
  }

  #replace(used: SQL): void {
    if (used !== this.#sql || performance.now() - this.#replacedAt < calmMs) return;
    this.#replacedAt = performance.now();
    this.#sql = this.#open(this.options.max);
    void used.close({ timeout: leaveSeconds }).catch(() => {});
    // until it is heard, the table is looked at
    if (this.#heard) void this.listen(this.#heard.channel, this.#heard.wake).catch(() => {});
  }
}
