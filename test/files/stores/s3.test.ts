/** A store in a bucket: retries, limits, presigned URLs. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { Problem } from "../../../src/core/problem.ts";
import { embeddedStore } from "../../../src/files/stores/embedded.ts";
import { semaphore } from "../../../src/files/stores/inactivity-timeout.ts";
import { hashObject, probeStore } from "../../../src/files/stores/objects.ts";
import { allowsBrowserUploads } from "../../../src/files/stores/s3/bucket-cors.ts";
import { s3Store } from "../../../src/files/stores/s3/store.ts";
import { until } from "../../support/harness.ts";
import {
  any,
  away,
  brief,
  copied,
  id,
  key,
  large,
  method,
  open,
  options,
  other,
  pending,
  put,
  small,
  verbs,
} from "../../support/stores/s3-faults.ts";
import type { RecordedCall, S3Server } from "../../support/stores/s3-server.ts";
import { writtenOf } from "../../support/stores/store-sources.ts";

setDefaultTimeout(60_000);

describe("a store that", () => {
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
    // On a loaded machine the first copy may fail before it reads.
    let stalls = true;
    s3.fault("stall", ({ method, key }) => stalls && method === "GET" && key === copied, 1);
    const failing = hasty.copy(pending, copied, options);
    await expect(failing).rejects.toEqual(away);
    stalls = false;
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

  test.each([true, false])(
    "with public reads: %s, the probe of published files warns if not",
    async (isPublic) => {
      await using opened = await open({ public: isPublic });
      const { store } = opened;
      const warnings = isPublic ? [] : [expect.stringContaining(`${store.baseUrl} (403)`)];
      expect(await probeStore(store, store.baseUrl)).toEqual(warnings);
      expect(await probeStore(store)).toEqual([]);
    },
  );

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
    expect(await allowsBrowserUploads(embeddedStore(new Map()), "https://svc.example")).toBeNull();
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
    ["small", small, ({ method, key }: RecordedCall) => method === "GET" && key === pending],
    ["large", large, ({ query }: RecordedCall) => query.get("partNumber") === "1"],
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

/** Does something just before the requests that `picks` names are answered. */
const meanwhile = (s3: S3Server, picks: (call: RecordedCall) => boolean, work: () => unknown): void =>
  s3.fault("hang", (s3Call) => {
    if (picks(s3Call)) work();
    return false;
  });
