/** Objects in a bucket: long lists, copies, types and unfinished uploads. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { CreateMultipartUploadCommand } from "@aws-sdk/client-s3";
import { encodeKey } from "../../../src/files/stores/keys.ts";
import { s3Client } from "../../../src/files/stores/s3/client.ts";
import { s3Store } from "../../../src/files/stores/s3/store.ts";
import { repositoryRoot } from "../../support/repository.ts";
import {
  calm,
  copied,
  id,
  key,
  large,
  open,
  options,
  pending,
  put,
  small,
} from "../../support/stores/s3-faults.ts";
import { partBytesMin, type S3Server } from "../../support/stores/s3-server.ts";
import { bytesOf, keysOf, MiB, never, sourceOf, writtenOf } from "../../support/stores/store-sources.ts";

setDefaultTimeout(60_000);

describe("in the bucket", () => {
  test("each body is sent with its SHA-256, which the signature covers", async () => {
    await using opened = await open();
    const { s3, store } = opened;
    const hashes: (string | null)[] = [];
    s3.fault("hang", ({ method, headers }) => {
      if (method === "PUT") hashes.push(headers.get("x-amz-content-sha256"));
      return false;
    });
    for (const bytes of [small, large]) await put(store, `${key}.${bytes.length}`, bytes);
    const parts = [0, 1, 2].map((part) => large.subarray(part * partBytesMin, (part + 1) * partBytesMin));
    expect(hashes.toSorted()).toEqual([small, ...parts].map((bytes) => writtenOf(bytes).sha256).toSorted());
  });

  test("a body takes parts of 5 MiB, unless its place says otherwise", async () => {
    await using opened = await open();
    const { partBytesMin: _, ...place } = opened.s3.place;
    const bytes = bytesOf(11 * MiB);
    expect(await put(s3Store(place), key, bytes)).toEqual(writtenOf(bytes));
    expect(opened.s3.requests.filter((request) => request.includes("partNumber"))).toHaveLength(3);
  });

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
        join(repositoryRoot, "test/support/stores/store-child.ts"),
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
