/** Hosts that requests may be sent to although they are not on the public internet. */

import { splitList } from "../strings/word-list.ts";
import { isInNetwork, isPublicAddress, parseNetwork } from "./ip-address.ts";

export interface AllowList {
  /** Hostnames, in lowercase. */
  names: readonly string[];
  /** Networks such as `10.0.0.0/8`. */
  networks: readonly string[];
}

const hostname = /^(?=[a-z0-9.-]{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

/** Parses a list of hostnames and networks, separated by commas; undefined if one is neither. */
export function parseAllowList(text: string): AllowList | undefined {
  const items = splitList(text.toLowerCase());
  const networks = items.map(parseNetwork).filter((network) => network !== undefined);
  const names = items.filter((item) => parseNetwork(item) === undefined);
  return names.every((name) => hostname.test(name) && !/^[\d.]+$/.test(name))
    ? { names, networks }
    : undefined;
}

/** Whether the list names a host by its name, or by the only addresses that the name has. */
export const isListed = ({ names, networks }: AllowList, host: string, addresses: string[]): boolean =>
  names.includes(host) ||
  addresses.every((address) => networks.some((network) => isInNetwork(address, network)));

/** Whether requests to this host may go to these addresses: all are listed or public. */
export const isReachable = (allow: AllowList, host: string, addresses: string[]): boolean =>
  addresses.every((address) => isPublicAddress(address) || isListed(allow, host, [address]));
