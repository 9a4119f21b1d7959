/**
 * The connection pool to Postgres. A peer can disappear without closing the TCP connection (a firewall drops
 * its state, a machine loses power), and the kernel reports that only after about 15 minutes. When an answer
 * is overdue, the pool replaces all connections instead.
 */
import { SQL } from "bun";
import { type ConnectOptions, PostgresServer } from "./connect.ts";
import { ReadConnections } from "./read-connections.ts";

/** The shortest time between two replacements, so that a slow database does not get ever more connections. */
const replaceIntervalMs = 30_000;
/** How long statements that still run on replaced connections may take to finish. */
const drainSeconds = 10;

export interface ConnectionPoolOptions extends Omit<ConnectOptions, "onClose"> {
  /** At least 2: one connection writes. */
  max: number;
  /** An answer that takes longer is considered lost; longer than `statement_timeout`. */
  answerTimeoutMs: number;
}

type Query = ReturnType<SQL["unsafe"]>;

export class ConnectionPool {
  /** Changes when all connections are replaced. */
  generation = 0;
  readonly server: PostgresServer;
  readonly #readers = new ReadConnections(() => {
    // what is there is enough
    if (this.#readers.size < this.options.max - 1) this.open().catch(() => {});
  });
  #dialing: Promise<void> | undefined;
  #isClosed = false;
  #replacedAt = Number.NEGATIVE_INFINITY;
  #subscription: { channel: string; wake: () => void } | undefined;
  #listener: { sql: SQL; url: string } | undefined;

  constructor(
    url: string,
    readonly options: ConnectionPoolOptions,
  ) {
    this.server = new PostgresServer(url);
  }

  /** The connection that is least busy. */
  get sql(): SQL {
    return this.#readers.leastBusy;
  }

  /** A client for drizzle that always uses the current connections, also after a replacement. */
  get client(): SQL {
    const client: Pick<SQL, "unsafe"> = {
      unsafe: (...statement) => {
        const [sql, values] = statement;
        const text = values?.length ? sql : null;
        const run = <T>(send: (query: Query) => PromiseLike<T>) =>
          this.#readers.run(text, (reader) => send(reader.unsafe(...statement)));
        const result: Pick<Query, "values"> & PromiseLike<unknown> = {
          // biome-ignore lint/suspicious/noThenProperty: stands for a query of the driver, which is awaited
          then: (...handlers) => run((query) => query).then(...handlers),
          values: () => run((query) => query.values()) as ReturnType<Query["values"]>,
        };
        return result as never; // safe because: this is all that drizzle calls
      },
    };
    return client as SQL; // safe because: this is all that drizzle calls
  }

  /** Opens one more connection that reads. */
  open(): Promise<void> {
    if (this.#dialing) return this.#dialing;
    const dialing = this.#dial().finally(() => {
      if (this.#dialing === dialing) this.#dialing = undefined;
    });
    this.#dialing = dialing;
    return dialing;
  }

  async #dial(): Promise<void> {
    const { generation } = this;
    const sql = await this.connect(() => this.#readers.delete(sql));
    if (this.#isClosed || generation !== this.generation) return sql.close({ timeout: 0 });
    this.#readers.add(sql);
    // Polling covers appends of other processes until LISTEN is active there.
    if (this.#listener && this.#listener.url !== this.server.primary) this.#subscribe().catch(() => {});
  }

  /**
   * Returns a connection for writes: one that reads, if there are several, as a server with few connections
   * may have none left.
   */
  async connectWriter(): Promise<SQL> {
    if (this.#readers.size < 2) return this.connect();
    const { sql } = this;
    this.#readers.delete(sql);
    return sql;
  }

  /** Opens a connection that the pool does not use itself. */
  connect(onClose?: () => void): Promise<SQL> {
    return this.server.connect({ ...this.options, ...(onClose && { onClose }) });
  }

  /**
   * Runs `work` and fails with ETIMEDOUT when it takes longer than `answerTimeoutMs`: the driver may never
   * settle a query whose connection breaks.
   */
  async withTimeout<T>(work: () => Promise<T>): Promise<T> {
    const { generation } = this;
    const timeout = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      this.#replace(generation);
      timeout.reject(Object.assign(new Error("no answer"), { code: "ETIMEDOUT" }));
    }, this.options.answerTimeoutMs);
    try {
      const connected = this.#readers.size > 0 ? work() : this.open().then(work);
      return await Promise.race([connected, timeout.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Subscribes with LISTEN; `wake` is also called after a reconnect, since notifications may be lost. */
  async listen(channel: string, wake: () => void): Promise<void> {
    this.#subscription = { channel, wake };
    await this.#subscribe();
  }

  /** The driver opens a connection for it, and reconnects that by itself. */
  async #subscribe(): Promise<void> {
    if (!this.#subscription) return;
    void this.#listener?.sql.close({ timeout: 0 }).catch(() => {});
    const url = this.server.primary;
    const connection = { application_name: this.options.name };
    const sql = new SQL(url, { max: 1, connectionTimeout: 5, connection });
    this.#listener = { sql, url };
    const { channel, wake } = this.#subscription;
    await sql.listen(channel, wake, wake);
  }

  /** Runs `work` on a connection outside the pool, so that a long query does not hold a pooled one. */
  async withDedicatedConnection<T>(work: (sql: SQL) => Promise<T>): Promise<T> {
    const sql = await this.connect();
    try {
      return await work(sql);
    } finally {
      await sql.close({ timeout: 0 });
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const open = [...this.#readers.take(), ...(this.#listener ? [this.#listener.sql] : [])];
    await Promise.all(open.map((sql) => sql.close({ timeout: 5 })));
  }

  #replace(generation: number): void {
    if (generation !== this.generation || performance.now() - this.#replacedAt < replaceIntervalMs) return;
    this.#replacedAt = performance.now();
    this.generation++;
    const replaced = this.#readers.take();
    // The connection that is being opened may have fallen silent, too.
    this.#dialing = undefined;
    for (const sql of replaced) void sql.close({ timeout: drainSeconds }).catch(() => {});
    // Polling covers appends of other processes until LISTEN is active again.
    this.#subscribe().catch(() => {});
  }
}
