/** Groups IP addresses into clients, for rate limits. */
import ipaddr from "ipaddr.js";

/**
 * The network of an IP address: the address itself for IPv4, the /64 for IPv6, as a single customer gets at
 * least a /64 (RFC 6177). An IPv4-mapped address (`::ffff:192.0.2.1`) counts as IPv4. A port added by a proxy
 * is ignored.
 */
export function clientNetwork(address: string): string {
  const host = /^\[([^\]]*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, "$1");
  if (!host.includes(":") || !ipaddr.isValid(host)) return host;
  const ip = ipaddr.process(host);
  if (ip instanceof ipaddr.IPv4) return ip.toString();
  return `${ip.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}
