/** A bucket that gives impossible answers, or slow ones. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Problem } from "../../../src/core/problem.ts";
import { hashObject } from "../../../src/files/stores/objects.ts";
import type { S3Timeouts } from "../../../src/files/stores/s3/location.ts";
import { s3Store } from "../../../src/files/stores/s3/store.ts";
import type { Store } from "../../../src/files/stores/store.ts";
import {
  away,
  calm,
  copied,
  key,
  large,
  method,
  open,
  options,
  pending,
  put,
  small,
} from "../../support/stores/s3-faults.ts";
import type { Fault, RecordedCall } from "../../support/stores/s3-server.ts";
import { bytesOf, keysOf, MiB, read, sourceOf, writtenOf } from "../../support/stores/store-sources.ts";

setDefaultTimeout(60_000);

describe("a store that", () => {
  describe("answers impossibly:", () => {
    const page = (text: string) => () => new Response(text);
    const listed = `<Contents><Key>${key}</Key><Size>1</Size><LastModified>2026-03-01T12:00:00Z</LastModified></Contents>`;
    const get = method("GET");
    const bytesWith = (bytes: Uint8Array) => (detail: Response) =>
      new Response(new Uint8Array(bytes), { headers: detail.headers });
    const lies: [
      string,
      Fault,
      (call: RecordedCall) => boolean,
      (store: Store) => Promise<unknown>,
      detail: string,
    ][] = [
      [
        "lists an object again and again",
        page(`<ListBucketResult><IsTruncated>true</IsTruncated>${listed}</ListBucketResult>`),
        get,
        keysOf,
        "listed the same objects twice",
      ],
      ["answers with another document", page("<Something><Else/></Something>"), get, keysOf, "not valid S3"],
      ["answers with more than a list can be", page(" ".repeat(5 * MiB)), get, keysOf, "too long"],
      [
        "gives a part, and does not say of what",
        ({ body }) => new Response(body, { status: 206, headers: { etag: '"x"' } }),
        get,
        (store) => store.get(key, { start: 0, end: 5 }),
        "not valid S3",
      ],
      [
        "says 200 to the parts of a large object, and that it failed",
        page("<Error><Code>InternalError</Code></Error>"),
        ({ method, query }) => method === "POST" && query.has("uploadId"),
        (store) => put(store, copied, large),
        "answered 503 InternalError",
      ],
      [
        "has an object of two sizes",
        "wrong size",
        method("HEAD"),
        (store) => store.copy(key, copied, options),
        "two sizes",
      ],
      [
        "has a copy that is shorter than what was copied",
        bytesWith(small),
        (s3Call) => get(s3Call) && s3Call.key === copied,
        (store) => store.copy(pending, copied, options),
        "does not match its source",
      ],
    ];
    test.each(lies)("%s: a 503", async (_, lie, picks, work, detail) => {
      await using opened = await open();
      const { s3, store } = opened;
      await put(store, key, small);
      await put(store, pending, large);
      s3.fault(lie, picks);
      const problem = await work(store).then(
        () => null,
        (error: Problem) => error,
      );
      expect(problem).toEqual(away);
      expect(`${problem?.detail} ${(problem?.cause as Error | undefined)?.message}`).toContain(detail);
    });
  });

  test.each([
    ["none", "204 No Content", ""],
    ["fewer", "200 OK", "transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"],
  ])("gives %s of the bytes that it announces is found out", async (_, status, rest) => {
    const data = (socket: Bun.Socket) =>
      void socket.end(`HTTP/1.1 ${status}\r\netag: "x"\r\ncontent-length: 10\r\n${rest}\r\n`);
    using server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data } });
    await using opened = await open();
    const store = s3Store({
      ...opened.s3.place,
      endpoint: `http://127.0.0.1:${server.port}`,
      timeouts: calm,
    });
    await expect(hashObject(store, key)).rejects.toMatchObject({
      status: 503,
      detail: "The store sent fewer bytes than it announced.",
    });
  });

  test("confirms a write it did not do: a 503", async () => {
    for (const bytes of [small, large]) {
      await using opened = await open();
      opened.s3.fault("pretend", ({ query }) => !query.has("partNumber"));
      await expect(put(opened.store, key, bytes)).rejects.toEqual(away);
    }
  });

  test("stores another size than was written: a 503", async () => {
    await using opened = await open();
    const { s3, store } = opened;
    s3.fault("wrong size", method("HEAD"));
    await expect(put(store, key, small)).rejects.toEqual(away);
    s3.heal();
    expect(await put(store, key, small)).toEqual(writtenOf(small));
  });

  test.concurrent.each([
    ["ends in the middle of an object", "short"],
    ["falls silent in the middle of an object", "stall"],
  ] as const)("%s is an error to its reader", async (_, fault) => {
    await using opened = await open();
    const { s3, store, hasty } = opened;
    await put(store, key, small);
    await put(store, pending, large);
    s3.fault(fault, method("GET"));
    const stored = await hasty.get(key);
    expect(stored?.size).toBe(small.length);
    await expect(read(stored as { body: ReadableStream<Uint8Array> })).rejects.toEqual(away);
    await expect(hashObject(hasty, key)).rejects.toEqual(away);
    for (const from of [key, pending]) await expect(hasty.copy(from, copied, options)).rejects.toEqual(away);
    s3.heal();
    expect(await store.copy(pending, copied, options)).toEqual(writtenOf(large));
    expect(s3.unfinished()).toBe(0);
  });

  describe("with a timeout of one second,", () => {
    const patience: S3Timeouts = { ...calm, responseMs: 1000 };
    const openFor = async () => {
      const opened = await open();
      return { ...opened, store: s3Store({ ...opened.s3.place, timeouts: patience }), calm: opened.store };
    };

    test.concurrent("slow but active, does not time out", async () => {
      await using opened = await openFor();
      await put(opened.calm, key, small);
      opened.s3.fault("slow", method("GET"), 1);
      const started = performance.now();
      expect(await hashObject(opened.store, key)).toEqual(writtenOf(small));
      expect(performance.now() - started).toBeGreaterThan(patience.responseMs); // or it was not slow
    });

    test.concurrent("completing an upload in two while it sends spaces, does not time out", async () => {
      await using opened = await openFor();
      opened.s3.fault("late", ({ method, query }) => method === "POST" && query.has("uploadId"));
      const started = performance.now();
      expect(await put(opened.store, key, large)).toEqual(writtenOf(large));
      expect(performance.now() - started).toBeGreaterThan(patience.responseMs); // or it was not late
    });

    test.concurrent("read by a reader that pauses for two, does not time out", async () => {
      await using opened = await openFor();
      const bytes = bytesOf(11 * MiB); // more than what the buffers on the way hold
      await put(opened.calm, key, bytes);
      const reader = (await opened.store.get(key))?.body.getReader();
      await Bun.sleep(patience.responseMs * 2);
      let count = (await reader?.read())?.value?.length ?? 0;
      await Bun.sleep(patience.responseMs * 2);
      for (let next = await reader?.read(); !next?.done; next = await reader?.read())
        count += next?.value?.length ?? 0;
      expect(count).toBe(bytes.length);
    });

    test.concurrent("slow to take an upload, does not time out", async () => {
      await using opened = await openFor();
      const store = s3Store({ ...opened.s3.place, timeouts: { ...patience, responseMs: 3000 } });
      const bytes = bytesOf(39 * MiB);
      opened.s3.fault("slow", method("PUT"), 1);
      const started = performance.now();
      // The more a file may grow, the larger its parts: this is one call.
      expect(await store.put(key, sourceOf(bytes, MiB), { ...options, maxBytes: 400_000 * MiB })).toEqual(
        writtenOf(bytes),
      );
      expect(performance.now() - started).toBeGreaterThan(3000); // or it was not slow
    });

    test.concurrent("written from a source that pauses for two, does not time out", async () => {
      await using opened = await openFor();
      const source = sourceOf(large, MiB, () => Bun.sleep(patience.responseMs * 2));
      expect(await opened.store.put(key, source, options)).toEqual(writtenOf(large));
    });
  });
});
