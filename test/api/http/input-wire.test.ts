/**
 * HTTP at the level of the connection: framing, headers, methods, pipelining. No request smuggling, and no
 * client blocks another.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { boundedStreams } from "../../../src/api/http/streams.ts";
import { Problem } from "../../../src/core/problem.ts";
import { Frames } from "../../../src/core/wire.ts";
import type { Store } from "../../../src/files/stores/store.ts";
import { event, must, oneDialect, openApp, type TestApp, testClock, until } from "../../support/harness.ts";
import { openRawConnection } from "../../support/http/raw-http.ts";

const host = "Host: 127.0.0.1\r\n";
const healthy = `GET /healthz HTTP/1.1\r\n${host}\r\n`;
const post = (fields: string, rest = "") => `POST /api/v1/events HTTP/1.1\r\n${host}${fields}\r\n${rest}`;
const chunked = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n";

describe("a connection", () => {
  let app: TestApp;
  let origin: string;
  let authorization: string;
  beforeAll(async () => {
    app = await openApp("sqlite");
    origin = app.listen();
    authorization = `Authorization: Bearer ${await app.mint(["feed:write"])}\r\n`;
  });
  afterAll(() => app.close());

  /** Bytes sent, and the response before the connection is closed. */
  const broken: [name: string, message: () => string | Uint8Array, heard: number[]][] = [
    [
      "a length and chunks",
      () => post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", `0\r\n\r\n${healthy}`),
      [400],
    ],
    ["two lengths", () => post("Content-Length: 5\r\nContent-Length: 6\r\n", "helloX"), [400]],
    ["a list of lengths", () => post("Content-Length: 5, 5\r\n", "hello"), [400]],
    ["a negative length", () => post("Content-Length: -1\r\n"), [400]],
    ["a length with a sign", () => post("Content-Length: +5\r\n", "hello"), [400]],
    ["a hexadecimal length", () => post("Content-Length: 0x5\r\n", "hello"), [400]],
    ["a length beyond all numbers", () => post(`Content-Length: ${"9".repeat(25)}\r\n`, "hello"), [400]],
    ["chunks without a size", () => post(authorization + chunked, "zz\r\nhello\r\n0\r\n\r\n"), [400]],
    ["chunks of a negative size", () => post(authorization + chunked, "-1\r\nhello\r\n0\r\n\r\n"), [400]],
    [
      "chunks of any size",
      () => post(authorization + chunked, `${"f".repeat(16)}\r\nhello\r\n0\r\n\r\n`),
      [400],
    ],
    ["an unknown coding", () => post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"), [400]],
    ["a folded field", () => `GET /healthz HTTP/1.1\r\n${host}X-A: a\r\n b\r\n\r\n`, [400]],
    ["a NUL in a field", () => `GET /healthz HTTP/1.1\r\n${host}X-A: a\0b\r\n\r\n`, [400]],
    ["a space before the colon", () => `GET /healthz HTTP/1.1\r\n${host}X-A : a\r\n\r\n`, [400]],
    ["a field without a colon", () => `GET /healthz HTTP/1.1\r\n${host}X-A\r\n\r\n`, [400]],
    ["no Host", () => "GET /healthz HTTP/1.1\r\n\r\n", [400]],
    ["bare line feeds", () => "GET /healthz HTTP/1.1\nHost: 127.0.0.1\n\n", [505]],
    ["HTTP/0.9", () => "GET /healthz\r\n\r\n", [505]],
    ["HTTP/2 without having asked", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [400]],
    ["a greeting of TLS", () => Buffer.from("16030100c8010000c40303", "hex"), [400]],
    ["any bytes", () => Buffer.from(Array.from({ length: 300 }, (_, index) => (index * 37) & 255)), [400]],
    ["an unknown method", () => `BREW /healthz HTTP/1.1\r\n${host}\r\n`, []],
    ["a path of 20 KB", () => `GET /${"a".repeat(20_000)} HTTP/1.1\r\n${host}\r\n`, [431]],
    ["a field of 20 KB", () => `GET /healthz HTTP/1.1\r\n${host}X-A: ${"a".repeat(20_000)}\r\n\r\n`, [431]],
    ["300 fields", () => `GET /healthz HTTP/1.1\r\n${host}${"X-A: a\r\n".repeat(300)}\r\n`, [431]],
  ];
  test.each(broken)("with %s hears as much as it said, and is cut", async (_, message, heard) => {
    const line = openRawConnection(origin);
    await line.send(message());
    await until(() => line.isClosed(), "it is cut");
    expect(line.statuses()).toEqual(heard);
  });

  const whole: [name: string, message: () => string, heard: number[]][] = [
    ["twenty requests at once", () => healthy.repeat(20), Array(20).fill(200)],
    [
      "a body that is not read, followed by a request",
      () => post("Content-Length: 2\r\n", `{}${healthy}`),
      [401, 200],
    ],
    [
      "a request in a body",
      () => `GET /healthz HTTP/1.1\r\n${host}Content-Length: ${healthy.length}\r\n\r\n${healthy}`,
      [200],
    ],
    [
      "a request in the chunks of a body",
      () => post(authorization + chunked, `${healthy.length.toString(16)}\r\n${healthy}\r\n0\r\n\r\n`),
      [400],
    ],
    ["the address of another site", () => `GET http://evil.example/healthz HTTP/1.1\r\n${host}\r\n`, [200]],
    [
      "a wish to speak otherwise",
      () => `GET /healthz HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      [200],
    ],
  ];
  test.each(whole)("with %s gets one response per request and stays open", async (_, message, heard) => {
    const line = openRawConnection(origin);
    await line.send(message());
    await until(() => line.statuses().length >= heard.length, "all is answered");
    await line.send(healthy);
    await until(() => line.statuses().length > heard.length, "the next one is answered");
    expect(line.statuses()).toEqual([...heard, 200]);
    line.close();
  });

  test("among five hundred that say nothing, half a head, or half a body is served at once, and nothing was a fault of the service", async () => {
    const silent = Array.from({ length: 500 }, (_, index) => {
      const line = openRawConnection(origin);
      if (index % 3 === 1) void line.send("GET /healthz HTTP/1.1\r\nHost:");
      if (index % 3 === 2)
        void line.send(
          post(`${authorization}Content-Type: application/json\r\nContent-Length: 90000\r\n`, "{"),
        );
      return line;
    });
    for (let turn = 0; turn < 20; turn++) expect((await fetch(`${origin}/api/v1/info`)).status).toBe(200);
    expect(silent.flatMap((line) => line.statuses())).toEqual([]);
    for (const line of silent) line.close();
    expect((await fetch(`${origin}/api/v1/info`)).status).toBe(200);
    expect(app.logged).toEqual([]);
    expect(await app.ctx.data.head()).toBe(0);
  });
});

test("concurrent readiness checks share one lookup; the next check starts another", async () => {
  let [looks, isAway] = [0, false];
  const stat = async () => {
    looks++;
    await Bun.sleep(20);
    if (isAway) throw new Problem(503, "The store does not work.");
    return null;
  };
  await using app = await openApp("sqlite", {}, testClock(), { store: { stat } as unknown as Store });
  const crowd = async () =>
    new Set(
      (await Promise.all(Array.from({ length: 50 }, () => app.ask("/readyz")))).map(({ status }) => status),
    );
  expect([await crowd(), looks]).toEqual([new Set([200]), 1]);
  isAway = true;
  expect([await crowd(), looks]).toEqual([new Set([503]), 2]);
  isAway = false;
  expect([await crowd(), looks]).toEqual([new Set([200]), 3]);
});

describe("live streams", () => {
  const framesOf = (next: () => Promise<Uint8Array | null>, left = () => {}) => new Frames(next, left);
  const endless = () => framesOf(() => new Promise(() => {}));
  const refusal = (work: () => unknown): number | undefined => {
    try {
      work();
    } catch (error) {
      return (error as Problem).status;
    }
  };

  test("are limited per client and in total, and count until they end or are canceled", async () => {
    const streams = boundedStreams({ client: 2, total: 3, unreadMs: 60_000 });
    const [first, second] = [streams("a", endless()), streams("a", endless())];
    let wasLeft = false;
    const refused = framesOf(
      () => Promise.resolve(null),
      () => void (wasLeft = true),
    );
    expect([refusal(() => streams("a", refused)), wasLeft]).toEqual([429, true]);
    const ended = streams(
      "b",
      framesOf(() => Promise.resolve(null)),
    );
    expect(refusal(() => streams("c", endless()))).toBe(503);
    await new Response(ended).text();
    expect(refusal(() => streams("c", endless()))).toBeUndefined();
    await first.cancel();
    await second.cancel();
    const failing = framesOf(() => Promise.reject(new Error("away")));
    await expect(new Response(streams("a", failing)).text()).rejects.toThrow("away");
    expect([1, 2].map(() => refusal(() => streams("a", endless())))).toEqual([undefined, undefined]);
    expect(() => streams("d", endless())).toThrow(Problem);
  });

  test("that are not read are closed and no longer count; a silent one stays open", async () => {
    const streams = boundedStreams({ client: 1, total: 9, unreadMs: 20 });
    let wasLeft = false;
    const source = framesOf(
      () => Promise.resolve(new Uint8Array(1)),
      () => void (wasLeft = true),
    );
    const stalled = streams("a", source).getReader();
    expect((await stalled.read()).value).toHaveLength(1);
    await until(() => wasLeft, "it is ended");
    await expect(stalled.closed).rejects.toThrow("the client stopped reading");
    expect(refusal(() => streams("a", endless()))).toBeUndefined();
    const silent = streams("b", endless()).getReader();
    expect(await Promise.race([silent.read(), Bun.sleep(100)])).toBeUndefined();
    expect(refusal(() => streams("b", endless()))).toBe(429);
  });

  test.each(oneDialect)(
    "are limited to 100 per token on %s; the next is a 429 until one is closed",
    async (dialect) => {
      await using app = await openApp(dialect);
      await app.ctx.data.atomically((writes) => writes.append([event()]));
      const [token, other] = [await app.mint(["feed:read"]), await app.mint(["feed:read"])];
      const open = (by: string) => app.ask("/api/v1/feed/stream", { token: by });
      const streams = await Promise.all(Array.from({ length: 100 }, () => open(token)));
      expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
      const refused = await open(token);
      expect([
        refused.status,
        refused.headers.get("retry-after"),
        refused.headers.get("content-type"),
      ]).toEqual([429, "5", "application/problem+json"]);
      expect((await app.ask("/api/v1/feed", { token })).status).toBe(200);
      expect((await open(other)).status).toBe(200);
      await must(must(streams[0]).body).cancel();
      expect((await open(token)).status).toBe(200);
    },
  );
});
