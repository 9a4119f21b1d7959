/** Where the request of a webhook goes: the checked addresses of the host that its URL names. */
import { lookup } from "node:dns/promises";
import { boundedByCount, Cache, perObject } from "../../../core/lib/cache.ts";
import { type AllowList, isListed, isReachable } from "../../../core/lib/http/allow-list.ts";
import { canonicalAddress, isIpAddress } from "../../../core/lib/http/ip-address.ts";
import { untilAborted } from "../../../core/lib/until-aborted.ts";

/** A URL that webhooks may not be sent to. The message is a sentence that says what to do. */
export class DestinationRefused extends Error {
  override name = "DestinationRefused";
}

/** The host has no address just now. */
export class HostNotFound extends Error {
  override name = "HostNotFound";
}

/** Resolves a hostname to its IP addresses; throws if it has none. */
export type Resolver = (hostname: string) => Promise<string[]>;

const systemResolver: Resolver = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

export interface Destination {
  url: URL;
  /** The name for TLS, without brackets or a trailing dot. */
  host: string;
  /** At least one; IPv4 first, as a machine without IPv6 would wait for it until the timeout. */
  addresses: string[];
}

const refuse = (message: string): never => {
  throw new DestinationRefused(message);
};

/** Parses the URL of a webhook. @throws {DestinationRefused} for a URL that no setting would allow */
function parseDestination(text: string): URL {
  const url = URL.parse(text) ?? refuse("The URL is not valid. Use one such as https://example.com/hooks.");
  if (url.protocol !== "https:" && url.protocol !== "http:") refuse("Use an https URL.");
  if (url.username || url.password)
    refuse("The URL holds a user name or a password. Put a secret in its path or query instead.");
  if (text.includes("#")) refuse("The URL has a fragment, which is never sent. Remove everything from # on.");
  if (url.port === "0") refuse("The URL has port 0. Use the port that the receiver listens on.");
  return url;
}

/** The same for a private address and for none: it does not tell which names a private network has. */
const notPublic = (host: string) =>
  (isIpAddress(host)
    ? `${host} is not a public address. Ask`
    : `${host} does not resolve to public addresses. Check the name, or ask`) +
  " an admin to add it to SVC_WEBHOOK_ALLOW if it is a host of your own network.";

/**
 * Resolves the host of a URL once, and checks each of its addresses: DNS that changes afterwards leads
 * nowhere, as the request goes to these addresses.
 * @throws {DestinationRefused} for a host that is not public and not allowed
 * @throws {HostNotFound} for a name without addresses, which may pass
 */
export async function findDestination(
  text: string,
  allow: AllowList,
  resolve: Resolver = systemResolver,
): Promise<Destination> {
  const url = parseDestination(text);
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const found = isIpAddress(host) ? [host] : await resolveName(host, resolve);
  const { addresses, mayReach, isAllowed } = check(allow, host, found);
  if (!mayReach) refuse(notPublic(host));
  requireSecure(url, isAllowed);
  return { url, host, addresses };
}

/** @throws {DestinationRefused} for plain http to a host that is not allowed */
function requireSecure({ protocol }: URL, isAllowed: boolean): void {
  if (protocol === "http:" && !isAllowed)
    refuse("Use an https URL: http is only for hosts that SVC_WEBHOOK_ALLOW names.");
}

interface Checked {
  addresses: string[];
  mayReach: boolean;
  isAllowed: boolean;
}

/** A check of the same answer of DNS has the same result, and is a third of what a message costs. */
const checksOf = perObject(
  (_: AllowList) => new Cache<string, Checked>({ max: checksMax, bytesOf: boundedByCount }),
);
const checksMax = 2_000;

const check = (allow: AllowList, host: string, found: string[]): Checked =>
  checksOf(allow).getOrMake([host, ...found].join(" "), () => {
    const addresses = found.map(canonicalAddress);
    return {
      addresses: addresses.toSorted((a, b) => rank(a) - rank(b)).slice(0, addressesMax),
      mayReach: isReachable(allow, host, addresses),
      isAllowed: isListed(allow, host, addresses),
    };
  });

/** A name may have hundreds, and each is an attempt to connect. */
const addressesMax = 4;

const rank = (address: string): number => (address.includes(":") ? 1 : 0);

async function resolveName(host: string, resolve: Resolver): Promise<string[]> {
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length === 0) throw new HostNotFound(notPublic(host));
  return addresses;
}

/** Checks the URL of a new webhook, so that its author learns of a problem before the first delivery. */
const resolveMs = 5_000;

/**
 * Parses a URL and checks its host. A host that has no address just now passes, by http only if the list has
 * its name: each delivery checks again.
 * @throws {DestinationRefused}
 */
export async function checkDestination(text: string, allow: AllowList, resolve?: Resolver): Promise<URL> {
  const found = findDestination(text, allow, resolve);
  try {
    return (await untilAborted(found, AbortSignal.timeout(resolveMs))).url;
  } catch (error) {
    if (error instanceof DestinationRefused) throw error;
  }
  const url = parseDestination(text);
  requireSecure(url, allow.names.includes(url.hostname.replace(/\.$/, "")));
  return url;
}
