/**
 * Sends a request to the URL of a webhook, which a caller chose. It goes to an address that was checked, so
 * the URL given to `fetch` has that address, and the name is in `Host` and in TLS. Behind an egress proxy
 * (`HTTPS_PROXY`), the proxy is asked for that address.
 */
import type { AllowList } from "../../../core/lib/http/allow-list.ts";
import { isIpAddress } from "../../../core/lib/http/ip-address.ts";
import { version } from "../../../core/version.ts";
import { type Answer, readAnswer } from "./answer.ts";
import { type Destination, DestinationRefused, findDestination, type Resolver } from "./destination.ts";
import { reasonOf } from "./failure.ts";
import { untilAborted } from "./until-aborted.ts";

export { type Answer, DestinationRefused, type Resolver };

export interface Target {
  url: string;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer>;
}

export interface PostOptions {
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
