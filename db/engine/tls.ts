/** TLS to Postgres: `verify-full` for every host but this machine, unless the URL names an `sslmode`. */
import { SQL } from "bun";
import type { Connection, TlsMode } from "../../src/core/port.ts";
import { DatabaseError } from "./migrate.ts";

/** Indexed by the driver's numeric `sslMode`. The driver treats `allow` as `prefer`. */
const modes: readonly TlsMode[] = ["disable", "prefer", "require", "verify-ca", "verify-full"];

const loopback = /^(localhost|127(\.\d+){3}|\[?::1\]?)$/i;

/**
 * Returns the URL with the TLS mode that applies. The driver's own default is an unencrypted connection on
 * any network. The host is the one the driver resolves, since URL parameters and `PG…` variables may name
 * it.
 */
export function withTlsMode(databaseUrl: string): Connection & { url: string } {
  const { hostname, path, sslMode } = optionsOf(databaseUrl);
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
function optionsOf(url: string): ResolvedOptions {
  try {
    return new SQL(url).options as unknown as ResolvedOptions;
  } catch (error) {
    throw new DatabaseError(`SVC_DATABASE_URL: ${(error as Error).message}`);
  }
}

/** Advice for a connection that failed in the TLS handshake; undefined when it failed for another reason. */
export function tlsAdvice({ code = "", message }: Error & { code?: string }): string | undefined {
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
