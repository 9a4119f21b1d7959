/** A bucket that fails, hangs or drops connections. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { hashObject } from "../../../src/files/stores/objects.ts";
import { s3Store } from "../../../src/files/stores/s3/store.ts";
import {
  any,
  away,
  brief,
  calm,
  copied,
  key,
  large,
  open,
  options,
  pending,
  put,
  small,
  verbs,
} from "../../support/stores/s3-faults.ts";
import { type Fault, partBytesMin, type RecordedCall } from "../../support/stores/s3-server.ts";
import { never, sourceOf, writtenOf } from "../../support/stores/store-sources.ts";

setDefaultTimeout(60_000);

/** What waits for a timeout, or before it asks again, waits beside the others. */
const testOf = (fault: Fault) => (fault === "hang" || fault === 503 ? test.concurrent : test);

describe("a store that", () => {
  const faults: [string, Fault][] = [
    ["hangs", "hang"],
    ["breaks every connection", "reset"],
    ["is busy", 503],
    ["refuses", 403],
    ["has an error", 500],
    ["sends elsewhere", 307],
  ];
  for (const [title, fault] of faults)
    testOf(fault).each(verbs)(
      `${title} makes every %s a 503, and leaves nothing half done`,
      async (verb, work) => {
        await using opened = await open();
        const { s3, store, hasty } = opened;
        await put(store, key, small);
        if (verb.includes("large")) await put(store, pending, large);
        const before = s3.objects.size;
        s3.fault(fault, any);
        // An impatient store may give up on a request that the bucket reads only once it is well again.
        await expect(work(fault === "hang" ? hasty : store)).rejects.toEqual(away);
        s3.heal();
        expect(await store.stat(copied)).toBeNull();
        expect(s3.objects.size).toBe(before);
        await work(store);
        expect(s3.unfinished()).toBe(0);
      },
    );

  const steps: [string, (call: RecordedCall) => boolean][] = [
    ["at the beginning", ({ method, query }) => method === "POST" && query.has("uploads")],
    ["at the first part", ({ query }) => query.get("partNumber") === "1"],
    ["at the last part", ({ query }) => query.get("partNumber") === "3"],
    ["at the end", ({ method, query }) => method === "POST" && query.has("uploadId")],
  ];
  for (const [fault, what] of [
    ["hang", "hangs"],
    ["reset", "breaks connections"],
    [503, "is busy"],
    ["page", "is another server"],
  ] as const)
    testOf(fault).each(steps)(
      `${what} %s of a large object makes its put a 503 and leaves nothing`,
      async (_, picks) => {
        await using opened = await open();
        const { s3, store, hasty } = opened;
        s3.fault(fault, picks);
        await expect(put(fault === "hang" ? hasty : store, key, large)).rejects.toEqual(away);
        expect([s3.unfinished(), s3.objects.size]).toEqual([0, 0]);
        s3.heal();
        expect(await put(store, key, large)).toEqual(writtenOf(large));
      },
    );

  test("rejects a part: put fails immediately, even if its source has not ended", async () => {
    await using opened = await open();
    opened.s3.fault(403, ({ query }) => query.get("partNumber") === "1");
    await expect(
      opened.store.put(
        key,
        sourceOf(large.subarray(0, partBytesMin + 100_000), partBytesMin / 4, never),
        options,
      ),
    ).rejects.toEqual(away);
    expect(opened.s3.unfinished()).toBe(0);
  });

  test("hangs on a part: put fails immediately when the source fails", async () => {
    await using opened = await open();
    const { s3, store } = opened;
    const failure = new Error("the sender went away");
    s3.fault("hang", ({ query }) => query.get("partNumber") === "1");
    const source = sourceOf(large.subarray(0, partBytesMin + 100_000), partBytesMin / 4, () =>
      Promise.reject(failure),
    );
    await expect(store.put(key, source, options)).rejects.toBe(failure);
    expect(s3.unfinished()).toBe(0);
    const started = performance.now();
    while (s3.connections() > 1 && performance.now() - started < calm.responseMs / 2) await Bun.sleep(5);
    expect(s3.connections()).toBeLessThan(2);
  });

  test.concurrent.each(verbs)(
    "is busy twice, or breaks two connections, is asked again for a %s",
    async (verb, work) => {
      for (const fault of [503, "reset"] as const) {
        await using opened = await open();
        const { s3, store } = opened;
        await put(store, key, small);
        if (verb.includes("large")) await put(store, pending, large);
        s3.fault(fault, any, 2);
        await work(store);
        expect(s3.unfinished()).toBe(0);
        for (const at of [copied, key]) {
          const written = await hashObject(store, at);
          if (written) expect([writtenOf(small), writtenOf(large)]).toContainEqual(written);
        }
      }
    },
  );

  test("drops the connection after a write: the request is retried and the object recognized", async () => {
    for (const bytes of [small, large]) {
      await using opened = await open();
      const { s3, store } = opened;
      s3.fault(
        "reset after",
        ({ method, query }) => (method === "PUT" && !query.has("partNumber")) || query.has("uploadId"),
        1,
      );
      expect(await put(store, key, bytes)).toEqual(writtenOf(bytes));
      expect([s3.unfinished(), s3.objects.size]).toEqual([0, 1]);
    }
  });

  test("hangs: the request is not retried", async () => {
    await using opened = await open();
    const { s3, hasty } = opened;
    s3.fault("hang", any);
    await expect(hasty.stat(key)).rejects.toEqual(away);
    expect(s3.requests).toHaveLength(1);
  });

  test("keeps hanging: other requests go through, and it works again immediately after", async () => {
    await using opened = await open();
    await using another = await open();
    const { s3, store } = opened;
    await put(another.store, key, small);
    s3.fault("hang", any);
    const stuck = s3Store({ ...s3.place, timeouts: { ...brief, responseMs: 3000 } });
    let answered = 0;
    const calls = Array.from({ length: 600 }, () => stuck.stat(key).catch((error) => ++answered && error));
    expect(await another.store.stat(key)).toMatchObject({ size: small.length });
    expect(answered).toBe(0);
    for (const outcome of await Promise.all(calls)) expect(outcome).toEqual(away);
    s3.heal();
    expect(await put(store, key, small)).toEqual(writtenOf(small));
    expect(s3.connections()).toBeLessThan(20);
  });

  test("answers 200 with another server's page: a 503", async () => {
    await using opened = await open();
    const { s3, store, hasty } = opened;
    await put(store, key, small);
    s3.fault("page", any);
    for (const [name, work] of verbs) if (name !== "delete") await expect(work(hasty)).rejects.toEqual(away);
    s3.heal();
    expect([s3.objects.size, s3.unfinished()]).toEqual([1, 0]);
  });
});
