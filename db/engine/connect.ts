/** Connects to the first host of a Postgres URL that takes writes, and makes the settings of the session. */

import { SQL } from "bun";
import type { Connection, TlsMode } from "../../src/core/port.ts";
import { DatabaseError } from "./migrate.ts";

export interface ConnectOptions {
  /** `application_name`, which poolers pass on. */
  name: string;
  /** Postgres settings of the session, such as `statement_timeout`. */
  settings: Readonly<Record<string, string>>;
  onClose?(): void;
}

/** The part of a server in replication. */
type Role = "primary" | "standby";

/** The server of a URL, which may name several hosts: one primary and its standbys, or several standbys. */
export class PostgresServer {
  readonly connection: Connection;
  /** Host and database, without credentials. */
  readonly place: string;
  /** One for each host; the one that took writes last comes first. */
  #urls: string[];

  constructor(
    databaseUrl: string,
    readonly role: Role = "primary",
  ) {
    const variable = role === "primary" ? "SVC_DATABASE_URL" : "SVC_DATABASE_READ_URL";
    const hosts = hostsOf(databaseUrl).map((url) => withTlsMode(url, variable));
    const [first] = hosts as [(typeof hosts)[number]];
    this.#urls = hosts.map(({ url }) => url);
    this.connection = { tls: first.tls, isLocal: hosts.every(({ isLocal }) => isLocal) };
    this.place = this.#urls.map((url) => new URL(url).host).join(",") + new URL(first.url).pathname;
    const target = new URL(first.url).searchParams.get("target_session_attrs") ?? "read-write";
    if (role === "primary" && !["any", "read-write", "primary"].includes(target))
      throw new DatabaseError(
        `SVC_DATABASE_URL: svc writes, so target_session_attrs cannot be ${target}; use read-write`,
      );
  }

  /** The URL of the host that took writes last. */
  get primary(): string {
    return this.#urls[0] as string;
  }

  get hasStandbys(): boolean {
    return this.#urls.length > 1;
  }

  /** Opens one connection. The client that it returns has no other. */
  async connect(options: ConnectOptions): Promise<SQL> {
    let failure: unknown;
    for (const url of this.#urls)
      try {
        const sql = await connectTo(url, this.role, options);
        this.#urls = [url, ...this.#urls.filter((other) => other !== url)];
        return sql;
      } catch (error) {
        failure = error;
      }
    throw failure;
  }
}

/**
 * Statements of svc take milliseconds. Postgres expects more of some, and would spend longer on compiling
 * them or on starting workers than they take.
 */
const shortStatements = { jit: "off", max_parallel_workers_per_gather: "0" };

/**
 * The settings are made by a statement: poolers such as PgBouncer refuse connections that name them in their
 * startup message.
 */
async function connectTo(url: string, role: Role, { name, settings, onClose }: ConnectOptions): Promise<SQL> {
  let isOpen = false;
  const sql = new SQL(url, {
    max: 1,
    connectionTimeout: 5,
    connection: { application_name: name },
    onclose: () => isOpen && onClose?.(),
  });
  try {
    const made = Object.entries({ ...shortStatements, ...settings }).map(
      ([key, value]) => `set_config('${key}', '${value}', false)`,
    );
    const [row] = await sql.unsafe(`select ${["pg_is_in_recovery() as is_standby", ...made].join()}`);
    if (row.is_standby && role === "primary") throw Object.assign(new Error(standby), { errno: standbyCode });
    if (!row.is_standby && role === "standby") throw new Error("it is a primary; name a standby");
    isOpen = true;
    return sql;
  } catch (error) {
    void sql.close({ timeout: 0 }).catch(() => {});
    throw error;
  }
}

const standby = "it is a standby, which takes no writes; name the primary";
/** SQLSTATE `read_only_sql_transaction`. */
const standbyCode = "25006";

/** A URL for each host of `postgres://user@one,two:5433/database`, as libpq reads it. */
function hostsOf(databaseUrl: string): string[] {
  const [, start = "", hosts = "", rest = ""] =
    /^(\w+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s.exec(databaseUrl) ?? [];
  return hosts.includes(",") ? hosts.split(",").map((host) => start + host + rest) : [databaseUrl];
}

type DriverError = Error & { code?: string; errno?: string };

/** Why a connection failed, for people: what the server says, if it says anything. */
export function connectionFailure(error: unknown): string {
  const { code, message } = error as DriverError;
  if (code === "ERR_POSTGRES_CONNECTION_REFUSED") return "the host is unknown or refuses connections";
  return tlsAdvice(error as DriverError) ?? message.replace(/\.$/, "");
}

/**
 * Whether trying again cannot help: TLS, credentials, a missing database or privilege (SQLSTATE classes 28,
 * 3D and 42), a standby on its own. A pooler says much of that with a code of its own.
 */
export function isFinal(error: unknown, { hasStandbys }: PostgresServer): boolean {
  const { errno = "", message } = error as DriverError;
  return (
    tlsAdvice(error as DriverError) !== undefined ||
    /^(28|3D|42)/.test(errno) ||
    (errno === standbyCode && !hasStandbys) ||
    /authentication failed|no such (database|user)|(database|role) .* does not exist/i.test(message)
  );
}

/** Indexed by the driver's numeric `sslMode`. The driver treats `allow` as `prefer`. */
const modes: readonly TlsMode[] = ["disable", "prefer", "require", "verify-ca", "verify-full"];

const loopback = /^(localhost|127(\.\d+){3}|\[?::1\]?)$/i;

/**
 * Returns the URL with the TLS mode that applies: `verify-full` for every host but this machine, unless the
 * URL names one. The driver's own default is an unencrypted connection on
 * any network. The host is the one the driver resolves, since URL parameters and `PG…` variables may name
 * it.
 */
function withTlsMode(databaseUrl: string, variable: string): Connection & { url: string } {
  const { hostname, path, sslMode } = optionsOf(databaseUrl, variable);
  const isLocal = path !== undefined || loopback.test(hostname);
  const url = new URL(databaseUrl);
  if (isLocal || ["sslmode", "ssl", "tls"].some((name) => url.searchParams.has(name)))
    return { url: databaseUrl, tls: path === undefined ? (modes[sslMode] as TlsMode) : "disable", isLocal };
  url.searchParams.set("sslmode", "verify-full");
  return { url: url.href, tls: "verify-full", isLocal };
}

/** The options as the driver resolved them. Bun's types declare only the options passed in. */
interface ResolvedOptions {
  hostname: string;
  path?: string;
  sslMode: number;
}

/** Parses a URL with the driver, without connecting: a client connects on its first query. */
function optionsOf(url: string, variable: string): ResolvedOptions {
  try {
    return new SQL(url).options as unknown as ResolvedOptions;
  } catch (error) {
    throw new DatabaseError(`${variable}: ${(error as Error).message}`);
  }
}

/** Advice for a connection that failed in the TLS handshake; undefined when it failed for another reason. */
function tlsAdvice({ code = "", message }: Error & { code?: string }): string | undefined {
  if (code === "ERR_POSTGRES_TLS_NOT_AVAILABLE")
    return (
      "the server does not offer TLS; enable it in Postgres, or add ?sslmode=disable to the URL " +
      "on a private network"
    );
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return (
      "the server's certificate is for another host; connect by the host name in the " +
      "certificate, or add ?sslmode=verify-ca"
    );
  if (code === "ERR_BORINGSSL" || /\bcaFile\b/.test(message))
    return `cannot read the sslrootcert file (${message})`;
  if (/CERT|VERIFY|SIGNATURE/.test(code))
    return (
      `the server's certificate is not trusted (${message}); set its CA with ` +
      "?sslrootcert=<file> or NODE_EXTRA_CA_CERTS"
    );
  return undefined;
}
