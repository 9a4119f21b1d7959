/** Rate limit: which addresses count as one client, and its windows in bounded memory. */
import { describe, expect, test } from "bun:test";
import { localLimiter, RateWindows } from "../../../src/api/http/limits/rate-limit.ts";
import { clientNetwork } from "../../../src/core/lib/http/client-network.ts";
import { secondMicros } from "../../../src/core/lib/time.ts";
import { dialects, openApp, type TestRequest, testClock } from "../../support/harness.ts";

describe("a client without a token", () => {
  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["192.0.2.1:50123", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::FFFF:c000:201", "192.0.2.1"],
    ["0:0:0:0:0:ffff:192.0.2.1", "192.0.2.1"],
    ["[::ffff:192.0.2.1]:443", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002:ffff::", "2001:db8:1:2::/64"],
    ["[2001:db8:1:2::9]:50123", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["1::", "1:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::ffff:0:192.0.2.1", "0:0:0:0::/64"],
    ["unknown", "unknown"],
    ["not:an:address", "not:an:address"],
    ["é::1", "é::1"],
    ["", ""],
  ])("at %s counts as %s", (address, network) => {
    expect(clientNetwork(address)).toBe(network);
  });

  test.each(dialects)("has one quota and one stream limit per /64, on %s", async (dialect) => {
    await using app = await openApp(dialect, { SVC_RATE_LIMIT: "3/60", SVC_PUBLIC_READ: "1" });
    const status = async (init: TestRequest) => (await app.ask("/api/v1/info", init)).status;
    for (let at = 1; at <= 3; at++) expect(await status({ address: `2001:db8:0:1::${at}` })).toBe(200);
    expect(await status({ address: "2001:db8:0:1:ffff::1" })).toBe(429);
    expect(await status({ address: "2001:db8:0:2::1" })).toBe(200);
    for (let at = 0; at < 3; at++) expect(await status({ address: "192.0.2.7" })).toBe(200);
    expect(await status({ address: "::ffff:192.0.2.7" })).toBe(429);
    await using open = await openApp(dialect, { SVC_PUBLIC_READ: "1" });
    const stream = (at: number) =>
      open.ask("/api/v1/feed/stream", { address: `2001:db8:0:1::${at.toString(16)}` });
    const streams = await Promise.all(Array.from({ length: 101 }, (_, at) => stream(at)));
    expect(streams.filter((one) => one.status === 429).length).toBe(1);
    await Promise.all(streams.map((one) => one.body?.cancel()));
  });
});

describe("rate-limit windows", () => {
  const clock = testClock();
  const windows = (max: number) =>
    new RateWindows(60 * secondMicros, 2, (endsAt) => ({ endsAt, used: 0 }), max);
  const ask = (of: ReturnType<typeof windows>, client: string) => ++of.at(client, clock.now()).used;

  test("evict the oldest one below its quota when full, never an exhausted one", () => {
    const some = windows(3);
    for (const client of ["greedy", "greedy", "a", "b"]) ask(some, client);
    for (let at = 0; at < 100; at++) {
      expect(ask(some, `stranger ${at}`)).toBe(1);
      expect(ask(some, "greedy")).toBe(3 + at);
    }
    expect(ask(some, "a")).toBe(1);
  });

  test("are shared by new clients when all others are exhausted, until those end", () => {
    const some = windows(2);
    for (let at = 0; at < 4; at++) for (let time = 0; time < 2; time++) ask(some, `greedy ${at}`);
    expect([ask(some, "a"), ask(some, "b"), ask(some, "a")]).toEqual([1, 2, 3]);
    for (let at = 0; at < 4; at++) expect(ask(some, `greedy ${at}`)).toBe(3);
    clock.advance(60 * secondMicros);
    for (let at = 0; at < 4; at++)
      expect([ask(some, `new ${at}`), ask(some, `new ${at}`), ask(some, `new ${at}`)]).toEqual([1, 2, 3]);
  });

  test("reset when they end, and when the clock is set back", () => {
    const some = windows(2);
    for (const client of ["greedy", "greedy", "greedy", "a", "b"]) ask(some, client);
    clock.advance(-3600 * secondMicros);
    expect([ask(some, "greedy"), ask(some, "b")]).toEqual([1, 1]);
    clock.advance(60 * secondMicros);
    expect([ask(some, "greedy"), ask(some, "b")]).toEqual([1, 1]);
  });
});

test("a client over its quota stays refused after 250,000 other clients", () => {
  const take = localLimiter({ quota: 5, seconds: 60 });
  const clock = testClock();
  for (let time = 0; time < 5; time++) expect(take("greedy", clock.now()).allowed).toBe(true);
  expect(take("greedy", clock.now()).allowed).toBe(false);
  for (let at = 0; at < 250_000; at++) take(`client ${at}`, clock.now());
  expect(take("greedy", clock.now()).allowed).toBe(false);
});
