/**
 * Sends a request to the URL of a webhook, which a caller chose. It goes to an address that was checked, so
 * the URL given to `fetch` has that address, and the name is in `Host` and in TLS. Behind an egress proxy
 * (`HTTPS_PROXY`), the proxy is asked for that address.
 */
import type { AllowList } from "../../../core/lib/http/allow-list.ts";
import { isIpAddress } from "../../../core/lib/http/ip-address.ts";
import { untilAborted } from "../../../core/lib/until-aborted.ts";
import { version } from "../../../core/version.ts";

import {
  type Destination,
  DestinationRefused,
  findDestination,
  HostNotFound,
  type Resolver,
} from "./destination.ts";

interface Target {
  url: string;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer>;
}

interface PostOptions {
  allow: AllowList;
  /** For everything: resolving, connecting, and reading the answer. */
  timeoutMs: number;
  signal?: AbortSignal;
  resolve?: Resolver;
}

/**
 * Resolves the host once, checks every address, and connects to one of those. Redirects are not followed.
 * @throws {DestinationRefused} for a URL or an address that is not allowed; any other error may pass. No
 * message holds the URL, which may be a secret.
 */
export async function post(target: Target, options: PostOptions): Promise<Answer> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout;
  try {
    const destination = await untilAborted(
      findDestination(target.url, options.allow, options.resolve),
      signal,
    );
    return await readAnswer(await connect(destination, target, signal));
  } catch (error) {
    if (error instanceof DestinationRefused) throw error;
    throw new Error(reasonOf(error, options.timeoutMs));
  }
}

/** Tries the next address where one refuses the connection: nothing has been sent then. */
async function connect(
  destination: Destination,
  target: Target,
  signal: AbortSignal,
  [address = "", ...others] = destination.addresses,
): Promise<Response> {
  try {
    return await send(destination, address, target, signal);
  } catch (error) {
    if (others.length === 0 || !isConnectError(error)) throw error;
    return connect(destination, target, signal, others);
  }
}

const isConnectError = (error: unknown): boolean =>
  /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/.test(String((error as { code?: unknown }).code));

function send(
  { url, host }: Destination,
  address: string,
  { headers, body }: Target,
  signal: AbortSignal,
): Promise<Response> {
  const pinned = new URL(url);
  pinned.hostname = address.includes(":") ? `[${address}]` : address;
  return fetch(pinned, {
    method: "POST",
    body,
    signal,
    redirect: "manual",
    // A compressed answer could unpack to more than it costs to send.
    decompress: false,
    // A connection kept open would be reused for another name at the same address.
    keepalive: false,
    headers: { "user-agent": `svc/${version}`, ...headers, host: url.host },
    ...(!isIpAddress(host) && { tls: { serverName: host } }),
  });
}

/** Why a request had no answer, as a sentence without its URL: Bun's own messages repeat the URL. */
const reasons: [code: RegExp, reason: string][] = [
  [/^ECONNREFUSED$/, "The receiver refused the connection. Check its host and port."],
  [/^E(HOST|NET)UNREACH$|^EADDRNOTAVAIL$/, "The receiver's network cannot be reached from this server."],
  [/^ECONNRESET$|^EPIPE$/, "The receiver closed the connection before it answered."],
  [/ALTNAME/, "The receiver's TLS certificate is for another name."],
  [/^CERT_HAS_EXPIRED$/, "The receiver's TLS certificate has expired."],
  [/CERT|SIGNATURE|ISSUER/, "The receiver's TLS certificate is not signed by a trusted authority."],
  [/^EPROTO$|SSL|TLS/, "The TLS handshake failed. Check that the receiver speaks https on this port."],
  [/HTTP|Header/i, "The receiver's answer is not valid HTTP."],
];

/** @param timeoutMs of the whole request */
function reasonOf(error: unknown, timeoutMs: number): string {
  if (error instanceof HostNotFound) return error.message;
  const { name, code } = error as { name?: string; code?: unknown };
  if (name === "TimeoutError") return `The receiver did not answer within ${timeoutMs / 1000} s.`;
  if (name === "AbortError") return "The delivery was stopped: the server is shutting down.";
  return reasons.find(([pattern]) => pattern.test(String(code)))?.[1] ?? "The request failed.";
}

/** What is kept of a receiver's answer. */

export interface Answer {
  /** HTTP status. A redirect is not followed: it is an answer like any other. */
  status: number;
  retryAfterMs: number | null;
  /** The first 2 KiB, as text without NUL. */
  body: string;
}

const bodyBytesMax = 2048;

/** Reads the first 2 KiB of the body, and closes the connection if there is more. */
async function readAnswer(response: Response): Promise<Answer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= bodyBytesMax) break; // leaving the loop cancels the body
  }
  return {
    status: response.status,
    retryAfterMs: parseRetryAfter(response.headers.get("retry-after")),
    body: textOf(Buffer.concat(chunks)),
  };
}

/** A character cut in two by the limit is left out; Postgres stores no NUL. */
const textOf = (bytes: Uint8Array): string =>
  new TextDecoder()
    .decode(bytes.subarray(0, bodyBytesMax), { stream: bytes.byteLength > bodyBytesMax })
    .replaceAll("\0", "\ufffd");

/** `Retry-After` (RFC 9110, 10.2.3) has seconds or a date. */
function parseRetryAfter(header: string | null): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}
