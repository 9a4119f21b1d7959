/** TLS to Postgres: verified for every host that is not this machine, unless the URL names a mode. */
import { SQL } from "bun";
import type { Connection, TlsMode } from "../../src/data.ts";
import { DatabaseError } from "./migrate.ts";

/** By the number that the driver gives each. It treats `allow` as `prefer`. */
const modes: readonly TlsMode[] = ["disable", "prefer", "require", "verify-ca", "verify-full"];

const loopback = /^(localhost|127(\.\d+){3}|\[?::1\]?)$/i;

/**
 * The URL with the mode that applies. The driver's own default is plain text, on any network.
 * The driver resolves the host, since parameters of the URL and `PG…` variables may name it.
 */
export function withTlsMode(given: string): Connection & { url: string } {
  const { hostname, path, sslMode } = optionsOf(given);
  const isLocal = path !== undefined || loopback.test(hostname);
  const url = new URL(given);
  if (isLocal || ["sslmode", "ssl", "tls"].some((name) => url.searchParams.has(name)))
    return { url: given, tls: path === undefined ? (modes[sslMode] as TlsMode) : "disable", isLocal };
  url.searchParams.set("sslmode", "verify-full");
  return { url: url.href, tls: "verify-full", isLocal };
}

/** Not declared: the types of Bun give what is passed in, not what becomes of it. */
interface Resolved {
  hostname: string;
  path?: string;
  sslMode: number;
}

/** A client connects when it is first used, and this one never is. */
function optionsOf(url: string): Resolved {
  try {
    return new SQL(url).options as unknown as Resolved;
  } catch (error) {
    throw new DatabaseError(`SVC_DATABASE_URL: ${(error as Error).message}`);
  }
}

/** What to do about a connection that TLS refused; undefined where it failed for another reason. */
export function tlsAdvice({ code = "", message }: Error & { code?: string }): string | undefined {
  if (code === "ERR_POSTGRES_TLS_NOT_AVAILABLE")
    return "the server does not offer TLS; turn it on there, or add ?sslmode=disable to the URL if the network is private";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return "the server's certificate is for another host; use the host name of the certificate, or add ?sslmode=verify-ca";
  if (code === "ERR_BORINGSSL" || /\bcaFile\b/.test(message))
    return `the file that sslrootcert names cannot be read (${message})`;
  if (/CERT|VERIFY|SIGNATURE/.test(code))
    return `the server's certificate is not trusted (${message}); name its CA with ?sslrootcert=<file> or NODE_EXTRA_CA_CERTS`;
  return undefined;
}
