/** Which addresses and hosts requests may go to. */
import { describe, expect, test } from "bun:test";
import { isListed, isReachable, parseAllowList } from "../../../../src/core/lib/http/allow-list.ts";
import { isPublicAddress } from "../../../../src/core/lib/http/ip-address.ts";
import { must } from "../../../support/conditions.ts";

describe("an address is not public", () => {
  const cases: Record<string, string[]> = {
    private: ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fdff::1", "fec0::1"],
    loopback: ["127.0.0.1", "127.255.255.254", "::1"],
    "link-local": ["169.254.0.1", "fe80::1", "febf::1", "fe80::1%eth0"],
    "of a cloud's metadata": ["169.254.169.254", "fd00:ec2::254", "168.63.129.16", "100.100.100.200"],
    multicast: ["224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"],
    unspecified: ["0.0.0.0", "0.1.2.3", "::"],
    "shared by carriers": ["100.64.0.1", "100.127.255.255"],
    reserved: ["192.0.0.8", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "240.0.0.1"],
    broadcast: ["255.255.255.255"],
    "reserved IPv6": ["100::1", "2001:db8::1", "3fff::1", "5f00::1", "4000::1", "e000::1"],
    "IPv4-mapped": ["::ffff:127.0.0.1", "::ffff:a00:1", "::ffff:169.254.169.254"],
    "IPv4-compatible": ["::10.0.0.1", "::7f00:1"],
    NAT64: ["64:ff9b::10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::8.8.8.8"],
    "6to4 or Teredo": ["2002:a00:1::1", "2002:808:808::1", "192.88.99.1", "2001::1"],
  };
  for (const [name, addresses] of Object.entries(cases))
    test(`if it is ${name}`, () => expect(addresses.filter(isPublicAddress)).toEqual([]));

  test("but global unicast addresses are, also IPv4 in IPv6 as a network translates it", () => {
    const addresses = ["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1", "2a00:1450::1"];
    addresses.push("::ffff:8.8.8.8", "64:ff9b::8.8.8.8");
    expect(addresses.filter((address) => !isPublicAddress(address))).toEqual([]);
  });
});

describe("the list of allowed hosts", () => {
  const allow = must(parseAllowList("Chat.Internal, 10.0.0.0/8,192.168.7.5,fd12::/16,::1"));

  test("has names, networks, and single addresses as networks", () => {
    expect(allow).toEqual({
      names: ["chat.internal"],
      networks: ["10.0.0.0/8", "192.168.7.5/32", "fd12::/16", "::1/128"],
    });
    expect(parseAllowList("")).toEqual({ names: [], networks: [] });
  });

  test("is refused if an item is neither", () => {
    for (const text of ["http://a.test", "a b", "10.0.0.0/33", "*.test", "10.1", "999.1.1.1", "-a", "a:80"])
      expect([text, parseAllowList(text)]).toEqual([text, undefined]);
  });

  test("allows a listed name at any address, and listed addresses of any name", () => {
    expect(isReachable(allow, "chat.internal", ["127.0.0.1"])).toBe(true);
    expect(isReachable(allow, "other.internal", ["10.9.9.9", "fd12::9"])).toBe(true);
    expect(isReachable(allow, "other.internal", ["::ffff:10.9.9.9"])).toBe(true);
    expect(isReachable(allow, "other.internal", ["192.168.7.5", "8.8.8.8"])).toBe(true);
    expect(isReachable(allow, "sub.chat.internal", ["127.0.0.1"])).toBe(false);
    expect(isReachable(allow, "other.internal", ["192.168.7.6"])).toBe(false);
  });

  test("refuses a name if one of its addresses is not allowed", () => {
    expect(isReachable(allow, "example.com", ["8.8.8.8", "127.0.0.1"])).toBe(false);
    expect(isReachable(allow, "example.com", ["10.0.0.1", "192.168.0.1"])).toBe(false);
  });

  test("names a public host as well, for http", () => {
    expect(isListed(allow, "example.com", ["8.8.8.8"])).toBe(false);
    expect(isListed(allow, "example.com", ["10.0.0.1", "8.8.8.8"])).toBe(false);
    expect(isListed(allow, "example.com", ["10.0.0.1"])).toBe(true);
  });
});
