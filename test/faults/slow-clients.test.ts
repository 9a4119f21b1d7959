/**
 * A crowd of slow and silent clients at the real server: others are served as fast as ever, memory stays
 * small, the slow ones are cut.
 */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import type { Asset } from "../../src/library/assets/schema.ts";
import { event, must, programToken } from "../support/harness.ts";
import { bytesOf, MiB } from "../support/stores/store-sources.ts";
import { openTestServer } from "../support/test-server.ts";
import { measured, scale } from "./promises.ts";

const authorization = `Authorization: Bearer ${programToken}\r\n`;
const host = "Host: 127.0.0.1\r\n";
const post = `POST /api/v1/events HTTP/1.1\r\n${host}${authorization}Content-Type: application/json\r\nContent-Length: 90000\r\n\r\n`;
const patienceMs = 75_000;

interface Slow {
  /** Seconds until it was cut; null where it never was. */
  cut: Promise<number | null>;
  heard(): number;
  /** Reads what is left. */
  resume(): void;
}

/** @param drip one byte a second after the head; @param reads whether it takes what it is answered */
function slow(origin: string, head: string, { drip = false, reads = true } = {}): Slow {
  const begun = performance.now();
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  const over = Promise.withResolvers<number | null>();
  let heard = 0;
  const dripping = drip && setInterval(() => socket.write("a"), 1000);
  socket
    .on("error", () => {})
    .on("close", () => {
      if (dripping) clearInterval(dripping);
      over.resolve((performance.now() - begun) / 1000);
    });
  socket.write(head);
  if (reads) socket.on("data", (bytes) => (heard += bytes.length));
  const resume = () => void socket.on("data", (bytes) => (heard += bytes.length));
  setTimeout(() => {
    over.resolve(null);
    socket.destroy();
  }, patienceMs + 20_000).unref();
  return { cut: over.promise, heard: () => heard, resume };
}

const memoryOf = (pid: number) =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) / 1024;

test.skipIf(scale === "suite")(
  "500 idle, 100 dripping, 40 that read nothing: all are disconnected within a minute, and no other client waits",
  async () => {
    await using testServer = await openTestServer();
    const { origin, process } = testServer.server;
    for (let batch = 0; batch < 20; batch++)
      await testServer.api("POST", "/events", {
        events: Array.from({ length: 1000 }, () => event({ summary: "x".repeat(1000) })),
      });
    const asset = (await testServer.upload("large.bin", bytesOf(32 * MiB))) as Asset;
    const download = must(asset.url).slice(origin.length);
    const get = (path: string) => `GET ${path} HTTP/1.1\r\n${host}${authorization}\r\n`;
    const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

    const talkers = [
      ...many(500, () => slow(origin, "")),
      ...many(50, () => slow(origin, `GET /healthz HTTP/1.1\r\n${host}X-A: `, { drip: true })),
      ...many(50, () => slow(origin, post, { drip: true })),
    ];
    const stalled = [
      ...many(20, () =>
        slow(origin, get("/api/v1/feed/stream?after=1970-01-01T00:00:00Z"), { reads: false }),
      ),
      ...many(20, () => slow(origin, get(download), { reads: false })),
    ];
    let isOver = false;
    const ask = async () => {
      const took: number[] = [];
      while (!isOver) {
        const begun = performance.now();
        expect((await fetch(`${origin}/api/v1/info`)).status).toBe(200);
        took.push(performance.now() - begun);
        measured("crowdMemory", memoryOf(process.pid));
        await Bun.sleep(20);
      }
      return took.toSorted((a, b) => a - b);
    };
    const asking = ask();
    const cuts = await Promise.all(talkers.map(({ cut }) => cut));
    await Bun.sleep(Math.max(0, patienceMs - Math.max(...cuts.map((cut) => cut ?? 0)) * 1000));
    isOver = true;
    const took = await asking;
    measured("crowdWait", must(took[Math.floor(took.length * 0.99)]));
    expect(cuts.filter((cut) => cut === null)).toEqual([]);
    measured("crowdCut", Math.max(...cuts.map((cut) => cut ?? 0)));
    // Who reads nothing does not see that he was cut, so he reads on: what was on its way, and then the end.
    for (const one of stalled) one.resume();
    const ends = await Promise.all(stalled.map(({ cut }) => cut));
    expect(ends.filter((cut) => cut === null)).toEqual([]);
    expect(stalled.every((one) => one.heard() < 20 * MiB)).toBe(true);
    expect(testServer.server.errors()).not.toContain('"level":"error"');
  },
);
