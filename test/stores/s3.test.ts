/** A bucket that misbehaves, and the address that it gives away. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { CreateMultipartUploadCommand } from "@aws-sdk/client-s3";
import { Problem } from "../../src/problem.ts";
import { semaphore } from "../../src/stores/inactivity-timeout.ts";
import { encodeKey } from "../../src/stores/keys.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import { hashObject, probeStore } from "../../src/stores/objects.ts";
import { allowsBrowserUploads } from "../../src/stores/s3/bucket-cors.ts";
import { s3Client } from "../../src/stores/s3/client.ts";
import type { S3Timeouts } from "../../src/stores/s3/location.ts";
import { s3Store } from "../../src/stores/s3/store.ts";
import type { Store } from "../../src/stores/store.ts";
import { until } from "../support/harness.ts";
import { repositoryRoot } from "../support/repository.ts";
import {
  type Asked,
  type Fault,
  type S3Server,
  type S3ServerOptions,
  startS3,
} from "../support/s3-server.ts";
import { bytesOf, ids, keysOf, MiB, never, read, sourceOf, writtenOf } from "../support/store-sources.ts";

setDefaultTimeout(60_000);

const [id, other] = ids;
const key = `atlas/${id}/file.bin`;
const copied = `atlas/${id}/copy.bin`;
const pending = `_pending/${id}`;
const options = { type: "image/png", maxBytes: 64 * MiB };
const small = bytesOf(100_000);
/** Three parts. */
const large = bytesOf(11 * MiB + 1, 2);
/** For a store that is about to do nothing. */
const brief: S3Timeouts = { responseMs: 400, followUpMs: 200, attempts: 3, retryMs: 1 };
/** For one that does, on a machine that is busy with other tests. */
const calm: S3Timeouts = { ...brief, responseMs: 20_000, followUpMs: 20_000 };

interface Opened extends AsyncDisposable {
  s3: S3Server;
  store: Store;
  /** The same bucket, asked without patience. */
  hasty: Store;
}

async function open(server: S3ServerOptions = {}, now = () => new Date()): Promise<Opened> {
  const s3 = await startS3(server);
  const [store, hasty] = [calm, brief].map((patience) =>
    s3Store({ ...s3.place, timeouts: patience, now }),
  ) as [Store, Store];
  return { s3, store, hasty, [Symbol.asyncDispose]: s3.close };
}

const put = (store: Store, at: string, bytes: Uint8Array) => store.put(at, sourceOf(bytes), options);
const any = () => true;
const method = (name: string) => (asked: Asked) => asked.method === name;
const away = expect.objectContaining({ status: 503, headers: { "retry-after": "2" } });

/** Every verb, on objects that are there. */
const verbs: [string, (store: Store) => Promise<unknown>][] = [
  ["put of a small object", (store) => put(store, copied, small)],
  ["put of a large object", (store) => put(store, copied, large)],
  ["copy of a small object", (store) => store.copy(key, copied, options)],
  ["copy of a large object", (store) => store.copy(pending, copied, options)],
  ["get", (store) => store.get(key)],
  ["stat", (store) => store.stat(key)],
  ["delete", (store) => store.delete(key)],
  ["list", (store) => keysOf(store)],
  ["sweep", (store) => store.deleteLeftovers(new Date(0))],
];

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
    test.each(verbs)(`${title} makes every %s a 503, and leaves nothing half done`, async (verb, work) => {
      await using opened = await open();
      const { s3, store, hasty } = opened;
      await put(store, key, small);
      if (verb.includes("large")) await put(store, pending, large);
      const before = s3.objects.size;
      s3.fault(fault, any);
      await expect(work(hasty)).rejects.toEqual(away);
      s3.heal();
      expect(await store.stat(copied)).toBeNull();
      expect(s3.objects.size).toBe(before);
      await work(store);
      expect(s3.unfinished()).toBe(0);
    });

  const steps: [string, (asked: Asked) => boolean][] = [
    ["at the beginning", ({ method, query }) => method === "POST" && query.has("uploads")],
    ["at the first part", ({ query }) => query.get("partNumber") === "1"],
    ["at the last part", ({ query }) => query.get("partNumber") === "3"],
    ["at the end", ({ method, query }) => method === "POST" && query.has("uploadId")],
  ];
  for (const [fault, what] of [
    ["hang", "hangs"],
    ["reset", "breaks connections"],
    [503, "is busy"],
    ["page", "is somebody else"],
  ] as const)
    test.each(steps)(
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
      opened.store.put(key, sourceOf(large.subarray(0, 6 * MiB), MiB, never), options),
    ).rejects.toEqual(away);
    expect(opened.s3.unfinished()).toBe(0);
  });

  test("hangs on a part: put fails immediately when the source fails", async () => {
    await using opened = await open();
    const { s3, store } = opened;
    const failure = new Error("the sender went away");
    s3.fault("hang", ({ query }) => query.get("partNumber") === "1");
    const source = sourceOf(large.subarray(0, 6 * MiB), MiB, () => Promise.reject(failure));
    await expect(store.put(key, source, options)).rejects.toBe(failure);
    expect(s3.unfinished()).toBe(0);
    const started = performance.now();
    while (s3.connections() > 1 && performance.now() - started < calm.responseMs / 2) await Bun.sleep(5);
    expect(s3.connections()).toBeLessThan(2);
  });

  test.each(verbs)(
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

  describe("answers impossibly:", () => {
    const page = (text: string) => () => new Response(text);
    const listed = `<Contents><Key>${key}</Key><Size>1</Size><LastModified>2026-03-01T12:00:00Z</LastModified></Contents>`;
    const get = method("GET");
    const bytesWith = (bytes: Uint8Array) => (detail: Response) =>
      new Response(new Uint8Array(bytes), { headers: detail.headers });
    const lies: [
      string,
      Fault,
      (asked: Asked) => boolean,
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
        (asked) => get(asked) && asked.key === copied,
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

  test.each([
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

    test("slow but active, does not time out", async () => {
      await using opened = await openFor();
      await put(opened.calm, key, small);
      opened.s3.fault("slow", method("GET"), 1);
      const started = performance.now();
      expect(await hashObject(opened.store, key)).toEqual(writtenOf(small));
      expect(performance.now() - started).toBeGreaterThan(patience.responseMs); // or it was not slow
    });

    test("completing an upload in two while it sends spaces, does not time out", async () => {
      await using opened = await openFor();
      opened.s3.fault("late", ({ method, query }) => method === "POST" && query.has("uploadId"));
      const started = performance.now();
      expect(await put(opened.store, key, large)).toEqual(writtenOf(large));
      expect(performance.now() - started).toBeGreaterThan(patience.responseMs); // or it was not late
    });

    test("read by a reader that pauses for two, does not time out", async () => {
      await using opened = await openFor();
      await put(opened.calm, key, large);
      const reader = (await opened.store.get(key))?.body.getReader();
      await Bun.sleep(patience.responseMs * 2);
      let bytes = (await reader?.read())?.value?.length ?? 0;
      await Bun.sleep(patience.responseMs * 2);
      for (let next = await reader?.read(); !next?.done; next = await reader?.read())
        bytes += next?.value?.length ?? 0;
      expect(bytes).toBe(large.length);
    });

    test("slow to take an upload, does not time out", async () => {
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

    test("written from a source that pauses for two, does not time out", async () => {
      await using opened = await openFor();
      const source = sourceOf(large, MiB, () => Bun.sleep(patience.responseMs * 2));
      expect(await opened.store.put(key, source, options)).toEqual(writtenOf(large));
    });
  });

  test("has readers that leave early: no connection stays open", async () => {
    await using opened = await open();
    const { s3, store } = opened;
    await put(store, key, large);
    for (let times = 0; times < 20; times++) {
      const bodies = await Promise.all(Array.from({ length: 10 }, () => store.get(key)));
      await Promise.all(bodies.map((stored) => stored?.body.cancel()));
    }
    expect(await store.stat(key)).toMatchObject({ size: large.length });
    expect(s3.connections()).toBeLessThan(20);
  });

  test("fails one of two identical copies: the other copy stays", async () => {
    await using opened = await open();
    const { s3, store, hasty } = opened;
    await put(store, pending, large);
    s3.fault("stall", ({ method, key }) => method === "GET" && key === copied, 1);
    const failing = hasty.copy(pending, copied, options);
    await expect(failing).rejects.toEqual(away);
    expect(await store.copy(pending, copied, options)).toEqual(writtenOf(large));
    await Bun.sleep(brief.followUpMs);
    expect(await hashObject(store, copied)).toEqual(writtenOf(large));
  });

  test("returns other data than was written: the probe fails", async () => {
    await using opened = await open();
    const { s3, store } = opened;
    s3.fault(
      (detail) =>
        new Response("x".repeat(Number(detail.headers.get("content-length"))), { headers: detail.headers }),
      method("GET"),
    );
    await expect(probeStore(store)).rejects.toMatchObject({
      status: 503,
      detail: expect.stringContaining("other data than was written"),
    });
    await until(() => s3.objects.size === 0, "the probe is removed");
    await expect(probeStore({ ...store, put: async () => "exists" })).rejects.toMatchObject({ status: 503 });
  });

  test("lets objects be overwritten: the probe warns", async () => {
    await using opened = await open();
    opened.s3.fault("overwrite", method("PUT"));
    expect(await probeStore(opened.store)).toEqual([expect.stringContaining("be overwritten")]);
  });

  test("aborted while a small object is copied fails with the signal's reason", async () => {
    await using opened = await open();
    const { s3, store } = opened;
    const stop = new AbortController();
    await put(store, key, small);
    meanwhile(
      s3,
      ({ method, key }) => method === "PUT" && key === copied,
      () => stop.abort("gone"),
    );
    await expect(store.copy(key, copied, { ...options, signal: stop.signal })).rejects.toBe("gone");
    s3.heal();
    expect(
      await store.copy(key, `${copied}.2`, { ...options, signal: new AbortController().signal }),
    ).toEqual(writtenOf(small));
  });

  test("allows uploads from the origins in its CORS rules only", async () => {
    await using opened = await open({ pages: ["https://svc.example"] });
    const { s3, store } = opened;
    expect([
      await allowsBrowserUploads(store, "https://svc.example"),
      await allowsBrowserUploads(store, "https://other.example"),
    ]).toEqual([true, false]);
    s3.fault("page", any);
    expect(await allowsBrowserUploads(store, "https://svc.example")).toBe(false);
    expect(await allowsBrowserUploads(memoryStore(new Map()), "https://svc.example")).toBeNull();
  });

  test("cannot copy within itself copies through the process", async () => {
    await using opened = await open();
    const { s3, store } = opened;
    await put(store, pending, large);
    for (const [number, refusal] of [501, 400, 403].entries()) {
      s3.fault(refusal, ({ query, copies }) => copies && query.has("partNumber"));
      expect(await store.copy(pending, `${copied}.${number}`, options)).toEqual(writtenOf(large));
      s3.heal();
    }
    expect(s3.unfinished()).toBe(0);
  });

  test("lacks the bucket or rejects the credentials: a 503, not an empty store", async () => {
    await using opened = await open();
    const { s3, store } = opened;
    await put(store, key, small);
    const elsewhere = s3Store({ ...s3.place, bucket: "another", timeouts: brief });
    const stranger = s3Store({ ...s3.place, secretAccessKey: "another secret", timeouts: brief });
    for (const verb of ["put of a small object", "put of a large object", "get", "list", "sweep"])
      await expect(verbs.find(([name]) => name === verb)?.[1](elsewhere)).rejects.toEqual(away);
    for (const [, work] of verbs) await expect(work(stranger)).rejects.toEqual(away);
    expect(s3.objects.size).toBe(1);
  });

  test("rejects a request: the log has its error code and no secret", async () => {
    await using opened = await open();
    const stranger = s3Store({ ...opened.s3.place, secretAccessKey: "another secret", timeouts: brief });
    const problem = await stranger.get(key).catch((error) => error);
    expect(problem).toBeInstanceOf(Problem);
    expect(problem.cause.message).toBe("S3 GetObject answered 403 SignatureDoesNotMatch");
    const text = Bun.inspect(problem, { depth: 9 });
    for (const secret of ["another secret", opened.s3.place.accessKeyId, "X-Amz", "Signature="])
      expect(text).not.toContain(secret);
  });
});

test("a semaphore: aborting a wait releases no permit", async () => {
  const take = semaphore(1);
  const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
  const got: string[] = [];
  await take(first.signal);
  const waiting = take(second.signal).then(() => got.push("second"));
  const last = take(third.signal).then(() => got.push("third"));
  second.abort();
  await waiting;
  await Bun.sleep(0);
  expect(got).toEqual(["second"]);
  first.abort();
  await last;
});

describe("a presigned URL", () => {
  const send = (url: string, init: RequestInit) =>
    fetch(url, { method: "PUT", body: new Blob([new Uint8Array(small)]), ...init }).then(
      ({ status }) => status,
    );

  test("accepts the file with its signed headers only", async () => {
    await using opened = await open({ prefix: "some/where" });
    const { s3, store } = opened;
    const signed = await store.signedPut(pending, { type: "image/png", expiresSeconds: 60 });
    if (!signed) throw new Error("a bucket signs");
    const { url, headers } = signed;
    expect(headers).toEqual({ "content-type": "image/png" });
    expect(await send(url, { headers: { "content-type": "text/html" } })).toBe(403);
    expect(await send(url, { headers: {} })).toBe(403);
    expect(await send(url.replace(id, other), { headers })).toBe(403);
    expect(await send(url.replace("X-Amz-Expires=60", "X-Amz-Expires=6000"), { headers })).toBe(403);
    expect(await send(`${url}&x=1`, { headers })).toBe(403);
    expect(await send(url, { headers: { ...headers, "x-amz-acl": "public-read" } })).toBe(403);
    expect(await send(url, { method: "DELETE", headers, body: null })).toBe(403);
    expect(await send(url, { method: "GET", headers, body: null })).toBe(403);
    expect(s3.objects.size).toBe(0);
    expect(await send(url, { headers })).toBe(200);
    expect(s3.objects.get(`some/where/${pending}`)).toMatchObject({
      size: small.length,
      headers: { "content-type": "image/png" },
    });
    expect(await hashObject(store, pending)).toEqual(writtenOf(small));
  });

  test("is rejected after it expires", async () => {
    const clock = { now: new Date() };
    await using opened = await open({ now: () => clock.now }, () => clock.now);
    const signed = await opened.store.signedPut(pending, { type: "image/png", expiresSeconds: 60 });
    clock.now = new Date(clock.now.getTime() + 61_000);
    expect(await send(signed?.url ?? "", { headers: signed?.headers ?? {} })).toBe(403);
  });

  test.each([
    ["small", small],
    ["large", large],
  ])("does not reach a %s object that was copied from it", async (_, bytes) => {
    await using opened = await open();
    const { store } = opened;
    const signed = await store.signedPut(pending, { type: "image/png", expiresSeconds: 60 });
    const upload = (body: Uint8Array) =>
      send(signed?.url ?? "", { headers: signed?.headers ?? {}, body: new Blob([new Uint8Array(body)]) });
    expect(await upload(bytes)).toBe(200);
    expect(await store.copy(pending, copied, options)).toEqual(writtenOf(bytes));
    expect(await upload(Buffer.alloc(bytes.length))).toBe(200);
    expect(await hashObject(store, copied)).toEqual(writtenOf(bytes));
    expect(await store.copy(pending, copied, options)).toBe("exists");
    expect(await hashObject(store, copied)).toEqual(writtenOf(bytes));
  });

  test.each([
    ["small", small, ({ method, key }: Asked) => method === "GET" && key === pending],
    ["large", large, ({ query }: Asked) => query.get("partNumber") === "1"],
  ])(
    "used while its %s object is copied makes the copy a 400 and leaves nothing",
    async (_, bytes, during) => {
      await using opened = await open();
      const { s3, store } = opened;
      await put(store, pending, bytes);
      meanwhile(s3, during, () => Object.assign(s3.objects.get(pending) ?? {}, { etag: '"of other bytes"' }));
      await expect(store.copy(pending, copied, options)).rejects.toMatchObject({ status: 400 });
      expect([[...s3.objects.keys()], s3.unfinished()]).toEqual([[pending], 0]);
    },
  );

  test.each([
    ["small", small],
    ["large", large],
  ])("of a %s object that vanishes while it is copied is nothing", async (_, bytes) => {
    await using opened = await open();
    const { s3, store } = opened;
    await put(store, pending, bytes);
    meanwhile(
      s3,
      ({ method, query }) => method === "GET" || query.has("partNumber"),
      () => s3.objects.delete(pending),
    );
    expect(await store.copy(pending, copied, options)).toBeNull();
    expect([s3.objects.size, s3.unfinished()]).toEqual([0, 0]);
  });
});

describe("in the bucket", () => {
  test("a long list is fetched in pages", async () => {
    await using opened = await open({ pageKeysMax: 3, prefix: "some/where" });
    const { s3, store } = opened;
    const keys = Array.from({ length: 10 }, (_, number) => `atlas/${id}/file-${number}`);
    for (const one of keys) await put(store, one, small);
    s3.objects.set("some/where/not a key", s3.objects.get(`some/where/${keys[0]}`) as never);
    s3.objects.set(`elsewhere/${keys[0]}`, s3.objects.get(`some/where/${keys[0]}`) as never);
    const before = s3.requests.length;
    expect(await keysOf(store)).toEqual(keys);
    expect(s3.requests.length - before).toBe(4);
    expect(await keysOf(store, "atlas/", keys[4])).toEqual(keys.slice(5));
  });

  test("each body is sent with its SHA-256, which the signature covers", async () => {
    await using opened = await open();
    const { s3, store } = opened;
    const hashes: (string | null)[] = [];
    s3.fault("hang", ({ method, headers }) => {
      if (method === "PUT") hashes.push(headers.get("x-amz-content-sha256"));
      return false;
    });
    for (const bytes of [small, large]) await put(store, `${key}.${bytes.length}`, bytes);
    const partBytes = 5 * MiB;
    const parts = [0, 1, 2].map((part) => large.subarray(part * partBytes, (part + 1) * partBytes));
    expect(hashes.toSorted()).toEqual([small, ...parts].map((bytes) => writtenOf(bytes).sha256).toSorted());
  });

  test("a copy of a large object with a known digest transfers nothing through the process", async () => {
    await using opened = await open();
    const { s3, store } = opened;
    await put(store, pending, large);
    const before = s3.requests.length;
    expect(await store.copy(pending, copied, { ...options, digest: writtenOf(large) })).toEqual(
      writtenOf(large),
    );
    expect(s3.requests.slice(before).filter((request) => request.startsWith("GET"))).toEqual([]);
  });

  test("objects keep their media type and are publicly readable at the store's base URL", async () => {
    await using opened = await open({ public: true, prefix: "some/where" });
    const { s3, store } = opened;
    expect(store.baseUrl).toBe(`${s3.place.endpoint}/a-bucket/some/where`);
    for (const [name, bytes] of [
      ["ü #1.png", small],
      ["large.png", large],
    ] as const) {
      await put(store, pending, bytes);
      await store.copy(pending, `atlas/${id}/${name}`, options);
      await store.delete(pending);
      const response = await fetch(`${store.baseUrl}/${encodeKey(`atlas/${id}/${name}`)}`);
      expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/png"]);
      expect((await response.bytes()).length).toBe(bytes.length);
    }
  });

  test("cleanup aborts old unfinished uploads, but not recent ones, running ones or those of others", async () => {
    await using opened = await open({ pageKeysMax: 2, prefix: "some/where" });
    const { s3, store } = opened;
    const child = Bun.spawn(
      [
        process.execPath,
        join(repositoryRoot, "test/support/store-child.ts"),
        JSON.stringify([{ place: s3.place }, "put unending", key, 11 * MiB]),
      ],
      {
        stderr: "inherit",
      },
    );
    for await (const _ of child.stdout) break; // two parts are there
    child.kill("SIGKILL");
    await child.exited;
    expect(await store.stat(key)).toBeNull();
    for (const name of [
      "some/where/what is that",
      "elsewhere/x",
      `some/where/atlas/${id}/a`,
      `some/where/atlas/${id}/b`,
    ])
      await begin(s3, name);
    expect(s3.unfinished()).toBe(5);
    const stop = new AbortController();
    const given = Promise.withResolvers<void>();
    const source = sourceOf(large, MiB, async () => {
      given.resolve();
      await never();
    });
    const going = store.put(copied, source, { ...options, signal: stop.signal }).catch((error) => error);
    await given.promise;
    expect(s3.unfinished()).toBe(6);
    expect(await store.deleteLeftovers(new Date(Date.now() - 60_000))).toBe(0);
    expect(await store.deleteLeftovers(new Date(Date.now() + 60_000))).toBe(3);
    expect(s3.unfinished()).toBe(3);
    stop.abort();
    await going;
    expect(s3.unfinished()).toBe(2);
  });
});

/** Begins an upload in parts, and goes away. */
async function begin({ place }: S3Server, name: string): Promise<void> {
  const { Bucket } = s3Client(place, calm).target("");
  await s3Client(place, calm).send(new CreateMultipartUploadCommand({ Bucket, Key: name }));
}

/** Does something just before the requests that `picks` names are answered. */
const meanwhile = (s3: S3Server, picks: (asked: Asked) => boolean, work: () => unknown): void =>
  s3.fault("hang", (asked) => {
    if (picks(asked)) work();
    return false;
  });
