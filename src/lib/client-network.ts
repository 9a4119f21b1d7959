/** Groups IP addresses into clients, for rate limits. */

const splitGroups = (text: string): string[] => (text === "" ? [] : text.split(":"));

/**
 * The network of an IP address: the address itself for IPv4, the /64 for IPv6, as a single customer gets at
 * least a /64 (RFC 6177). An IPv4-mapped address (`::ffff:192.0.2.1`) counts as IPv4. A port added by a proxy
 * is ignored.
 */
export function clientNetwork(address: string): string {
  const host = /^\[([^\]]*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, "$1");
  if (!host.includes(":")) return host;
  const canonical = URL.parse(`http://[${host.replace(/%.*$/s, "")}]`)?.hostname.slice(1, -1);
  if (canonical === undefined) return host;
  const [start = "", end] = canonical.split("::");
  const [left, right] = [splitGroups(start), splitGroups(end ?? "")];
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill("0"), ...right];
  if (groups.slice(0, 6).join(":") === "0:0:0:0:0:ffff") {
    const bytes = groups
      .slice(6)
      .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
    return bytes.join(".");
  }
  return `${groups.slice(0, 4).join(":")}::/64`;
}
