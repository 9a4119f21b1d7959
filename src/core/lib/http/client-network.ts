/** Groups IP addresses into clients, for rate limits. */
import { ipPackage } from "./ip-package.ts";

/**
 * The network of an IP address: the address itself for IPv4, the /64 for IPv6, as a single customer gets at
 * least a /64 (RFC 6177). An IPv4-mapped address (`::ffff:192.0.2.1`) counts as IPv4. A port added by a proxy
 * is ignored.
 */
export function clientNetwork(address: string): string {
  const host = /^\[([^\]]*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, "$1");
  if (!host.includes(":")) return host;
  const ipaddr = ipPackage();
  if (!ipaddr.isValid(host)) return host;
  const ip = ipaddr.process(host);
  if (ip instanceof ipaddr.IPv4) return ip.toString();
  return `${ip.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}

/**
 * A prefix of an IP address that tells a site, not a person, for logs that people read: the first 24 bits of
 * IPv4, 48 of IPv6.
 */
export function networkPrefix(address: string): string {
  const network = clientNetwork(address);
  const host = network.replace(/\/64$/, "");
  const ipaddr = ipPackage();
  if (!ipaddr.isValid(host)) return "unknown";
  const ip = ipaddr.process(host);
  return ip instanceof ipaddr.IPv4
    ? `${ip.octets.slice(0, 3).join(".")}.0/24`
    : `${ip.parts
        .slice(0, 3)
        .map((part) => part.toString(16))
        .join(":")}::/48`;
}
