/** Which IP addresses are on the public internet, for requests to hosts that a caller chose. */
import type ipaddr from "ipaddr.js";
import { lazy } from "../lazy.ts";
import { ipPackage } from "./ip-package.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The well-known prefix of NAT64 (RFC 6052); its last 32 bits are the IPv4 address that it leads to. */
const nat64 = lazy(() => ipPackage().IPv6.parseCIDR("64:ff9b::/96"));
/** Unicast addresses that IANA has assigned (RFC 4291, 2.4). */
const globalUnicast = lazy(() => ipPackage().IPv6.parseCIDR("2000::/3"));
/** The agent of Azure's host, the one such service on a public address. */
const platformServices = ["168.63.129.16"];

/** IPv4-mapped (`::ffff:192.0.2.1`) and IPv4-compatible addresses become the IPv4 address in them. */
const parse = (address: string): Address => ipPackage().process(address);

/** `node:net` is loaded here: that takes CPU of every command, and few ask (`bun run bench help`). */
export const isIpAddress = (text: string): boolean => process.getBuiltinModule("node:net").isIP(text) !== 0;

/** The address in its shortest form; an IPv4-mapped one is IPv4. */
export const canonicalAddress = (address: string): string => parse(address).toString();

/**
 * Whether an address is public: not private, loopback, link-local (which has the metadata services of
 * clouds), shared by carriers, multicast or reserved. Of the IPv6 addresses that lead to an IPv4 address,
 * mapped ones and those of NAT64 are judged by it; 6to4 and Teredo are not public.
 */
export function isPublicAddress(text: string): boolean {
  const { IPv4 } = ipPackage();
  const address = parse(text);
  if (address instanceof IPv4)
    return address.range() === "unicast" && !platformServices.includes(address.toString());
  if (address.match(nat64())) return isPublicAddress(new IPv4(address.toByteArray().slice(-4)).toString());
  return !address.zoneId && address.range() === "unicast" && address.match(globalUnicast());
}

/** A network such as `10.0.0.0/8`, or a single address, in one form; undefined for any other text. */
export function parseNetwork(text: string): string | undefined {
  const { IPv4, IPv6, isValidCIDR } = ipPackage();
  if (isValidCIDR(text)) return text;
  const isAddress = IPv6.isValid(text) || IPv4.isValidFourPartDecimal(text);
  return isAddress ? `${text}/${text.includes(":") ? 128 : 32}` : undefined;
}

/** @param network as `parseNetwork` returns it */
export function isInNetwork(text: string, network: string): boolean {
  const [address, [base, bits]] = [parse(text), ipPackage().parseCIDR(network)];
  return address.kind() === base.kind() && address.match(base, bits);
}
