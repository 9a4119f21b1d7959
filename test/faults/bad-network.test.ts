/**
 * Bad lines to Postgres and to the bucket: refused in time, forgotten once they are good, nothing lost and
 * nothing twice.
 */
import { describe, expect, test } from "bun:test";
import type { Asset } from "../../src/library/assets/schema.ts";
import {
  event,
  freshDatabase,
  link,
  migratedDatabase,
  must,
  programToken,
  rowsOf,
  sentKey,
  startServer,
  until,
} from "../support/harness.ts";
import { openPlace } from "../support/library.ts";
import { openLeft, requireAgreement } from "./agreement.ts";
import { measured, reached, scale, times } from "./promises.ts";
import { type LineFault, startProxy } from "./proxy.ts";

const authorization = `Bearer ${programToken}`;
const json = { authorization, "content-type": "application/json" };

const faults: [name: string, fault: LineFault][] = [
  ["resets", "reset"],
  ["hangs", "hang"],
  ["is late", { delayMs: 50 }],
  ["is slow", { bytesPerSecond: 50_000 }],
  ["breaks off", { cutAfter: 100 }],
];
const rounds = times("lineFaults");

interface Answer {
  status: number;
  tookMs: number;
  body: string;
}
const ask = async (url: string, init: RequestInit = {}): Promise<Answer> => {
  const begun = performance.now();
  const response = await fetch(url, init);
  const body = await response.text();
  return { status: response.status, tookMs: performance.now() - begun, body };
};

/** A p99 of what is asked again and again until the work is done. */
async function meanwhile<T>(
  url: string,
  work: Promise<T>,
): Promise<{ result: T; p99: number; statuses: Set<number> }> {
  const took: number[] = [];
  const statuses = new Set<number>();
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const { status, tookMs } = await ask(url, { headers: { authorization } });
      took.push(tookMs);
      statuses.add(status);
      await Bun.sleep(10);
    }
  })();
  const result = await work.finally(() => (isOver = true));
  await asking;
  took.sort((a, b) => a - b);
  return { result, p99: took[Math.floor(took.length * 0.99)] ?? 0, statuses };
}

describe.skipIf(scale === "suite")("a line", () => {
  test.each(faults)(
    "to Postgres that %s: writes are 503 in ten seconds, tried again until they hold, and each is there once",
    async (_, fault) => {
      await using database = await migratedDatabase("postgres");
      const place = new URL(database.url);
      await using proxy = await startProxy({ hostname: place.hostname, port: Number(place.port) });
      place.port = String(proxy.port);
      await using server = await startServer({ url: place.href });
      const append = (key: string) =>
        ask(`${server.origin}/api/v1/events`, {
          method: "POST",
          headers: json,
          body: JSON.stringify({ events: [event({ dedupe_key: key })] }),
        });
      const keys: string[] = [];
      for (let round = 0; round < rounds; round++) {
        expect((await append(`before-${round}`)).status).toBe(200);
        proxy.fault(fault);
        const during = Array.from({ length: 5 }, (_, index) => `during-${round}-${index}`);
        const trying = Promise.all([
          ...during.map(append),
          ask(`${server.origin}/api/v1/feed`, { headers: { authorization } }),
        ]);
        const { result, p99, statuses } = await meanwhile(`${server.origin}/api/v1/info`, trying);
        for (const { status, tookMs } of result) {
          expect([200, 503]).toContain(status);
          measured("lineAnswer", tookMs);
        }
        expect([...statuses].every((status) => status === 200 || status === 503)).toBe(true);
        measured("lineInfo", p99);
        proxy.fault(null);
        const healed = performance.now();
        await until(async () => (await append(`after-${round}`)).status === 200, "it is well again");
        measured("lineHeal", performance.now() - healed);
        for (const key of during) await until(async () => (await append(key)).status === 200, "it is taken");
        keys.push(`before-${round}`, ...during, `after-${round}`);
        reached("lineFaults");
      }
      const remaining = (await rowsOf(database.url, "select dedupe_key from events")).map((row) =>
        sentKey(row.dedupe_key),
      );
      expect(remaining.toSorted()).toEqual(keys.toSorted());
      expect(server.errors()).not.toContain("unexpected error");
    },
  );

  test.each(faults)(
    "to the bucket that %s: uploads are 503 in ten seconds, the feed does not notice, and rows and bytes agree",
    async (_, fault) => {
      await using opened = await openPlace("bucket");
      const place = new URL(must(opened.env.S3_ENDPOINT));
      await using proxy = await startProxy({ hostname: place.hostname, port: Number(place.port) });
      await using database = await freshDatabase("sqlite");
      const data = await openLeft(database);
      await link(data, "atlas");
      await using server = await startServer(database, {
        ...opened.env,
        S3_ENDPOINT: `http://127.0.0.1:${proxy.port}`,
      });
      const upload = (title: string) => {
        const body = new FormData();
        body.append("project", "atlas");
        body.append("title", title);
        body.append("file", new File(["x".repeat(100_000)], "a.txt"));
        return ask(`${server.origin}/api/v1/assets`, { method: "POST", headers: { authorization }, body });
      };
      for (let round = 0; round < rounds; round++) {
        const before = await upload(`before-${round}`);
        expect(before.status).toBe(201);
        const { url } = JSON.parse(before.body) as Asset;
        proxy.fault(fault);
        const reading = Array.from(
          { length: Math.ceil(times("abortedReads") / faults.length / rounds) },
          () => {
            const gone = new AbortController();
            setTimeout(() => gone.abort(), 200);
            return fetch(must(url), { signal: gone.signal })
              .then(
                (response) => response.bytes(),
                () => null,
              )
              .catch(() => null);
          },
        );
        const { result, p99, statuses } = await meanwhile(
          `${server.origin}/api/v1/feed`,
          Promise.all([upload(`during-${round}`), ...reading]),
        );
        const { status, tookMs } = result[0];
        expect([201, 503]).toContain(status);
        measured("lineAnswer", tookMs);
        expect([...statuses]).toEqual([200]);
        measured("lineFeed", p99);
        reached("abortedReads", reading.length);
        proxy.fault(null);
        const healed = performance.now();
        await until(async () => (await upload(`after-${round}`)).status === 201, "it is well again");
        measured("lineHeal", performance.now() - healed);
        expect((await ask(must(url))).status).toBe(200);
        reached("lineFaults");
      }
      expect(await server.terminate()).toBe(0);
      await requireAgreement(data, opened).finally(() => data.close());
    },
  );
});
