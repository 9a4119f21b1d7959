/** The files of a store on a disk, and what a sudden death leaves. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { type FileHandle, lstat, readdir, rm, truncate, utimes } from "node:fs/promises";
import { join } from "node:path";
import { ulid } from "ulid";
import { HashingWriter } from "../../../src/files/stores/disk/worker-pool.ts";
import { hashObject, hashSource } from "../../../src/files/stores/objects.ts";
import type { ContentDigest } from "../../../src/files/stores/store.ts";
import { must } from "../../support/harness.ts";
import { childOf, filesIn, freshFolder, key, options, small } from "../../support/stores/disk-store.ts";
import { bytesOf, endless, keysOf, MiB, sourceOf, writtenOf } from "../../support/stores/store-sources.ts";

setDefaultTimeout(60_000);
/** More than is kept in one go. */
const large = bytesOf(3 * MiB);

describe("on the disk", () => {
  test("files are readable by their owner only", async () => {
    await using folder = await freshFolder();
    await folder.store.put(key, sourceOf(small), options);
    const mode = async (path: string) => ((await lstat(path)).mode & 0o777).toString(8);
    expect(await mode(join(folder.root, key))).toBe("600");
    expect(await mode(join(folder.root, "atlas"))).toBe("700");
    expect(await mode(folder.root)).toBe("700");
  });

  test("an empty folder is removed with its last object", async () => {
    await using folder = await freshFolder();
    await folder.store.put(key, sourceOf(small), options);
    await folder.store.delete(key);
    expect(await readdir(folder.root)).toEqual(["_tmp"]);
  });

  test("the size cache misses no deletion and no new file", async () => {
    await using folder = await freshFolder();
    const part = async () => (await folder.store.get(key, { start: 5, end: 9 }))?.file?.bytes();
    for (let times = 0; times < 3; times++) {
      expect(await part()).toBeUndefined();
      await folder.store.put(key, sourceOf(small), options);
      expect(await part()).toEqual(small.slice(5, 9));
      expect(await part()).toEqual(small.slice(5, 9));
      await folder.store.delete(key);
    }
  });

  test("a small range is read at once, unless its file is gone or shorter", async () => {
    await using folder = await freshFolder();
    const bytes = bytesOf(100_000);
    await folder.store.put(key, sourceOf(bytes), options);
    const part = async (start: number, end: number) => must(await folder.store.get(key, { start, end }));
    for (const [start, end] of [
      [0, 1],
      [99_990, 200_000],
      [5, 5 + 2 ** 16],
    ] as const)
      expect((await part(start, end)).readNow?.()).toEqual(bytes.slice(start, end));
    expect((await part(0, 2 ** 16 + 1)).readNow).toBeUndefined();
    const [one, other] = [await part(0, 9), await part(0, 9)];
    await truncate(join(folder.root, key), 5);
    expect(() => one.readNow?.()).toThrow(expect.objectContaining({ status: 503 }));
    await rm(join(folder.root, key));
    expect(other.readNow?.()).toBeNull();
  });

  test.skipIf(!existsSync("/proc/self/fd"))("a reader that stops early closes its file", async () => {
    await using folder = await freshFolder();
    await folder.store.put(key, sourceOf(bytesOf(4 * MiB)), options);
    const openFiles = async () => (await readdir("/proc/self/fd")).length;
    const before = await openFiles();
    for (let times = 0; times < 200; times++) {
      const reader = (await folder.store.get(key))?.body.getReader();
      await reader?.read();
      await reader?.cancel();
    }
    await Bun.sleep(0);
    Bun.gc(true);
    expect(await openFiles()).toBeLessThan(before + 20);
  });
});

describe("a put", () => {
  test("whose temporary file is deleted by another process is a 503, and leaves nothing", async () => {
    await using folder = await freshFolder();
    const { root, store } = folder;
    const source = sourceOf(large, 65_521, () => rm(join(root, "_tmp"), { recursive: true }));
    await expect(store.put(key, source, options)).rejects.toMatchObject({
      status: 503,
      detail: expect.stringContaining("Another process"),
    });
    expect(await filesIn(root)).toEqual([]);
    expect(await store.put(key, sourceOf(small), options)).toEqual(writtenOf(small));
  });

  test("of more than the sync interval is complete", async () => {
    await using folder = await freshFolder();
    const written = await folder.store.put(key, endless(40 * MiB), options);
    expect(written).toEqual(await hashSource(endless(40 * MiB)));
    expect(await hashObject(folder.store, key)).toEqual(written as ContentDigest);
  });

  test("stores what was sent, of any size and beside more than reused blocks", async () => {
    await using folder = await freshFolder();
    const sizes = [0, 1, MiB / 8, MiB / 8 + 1, MiB - 1, MiB, MiB + 1, 2 * MiB, 2 * MiB + 1];
    for (let round = 0; round < 2; round++) {
      const files = [...sizes, ...Array(12).fill(MiB), ...Array(12).fill(99)].map((size, index) => ({
        key: `atlas/${ulid()}/a.bin`,
        bytes: bytesOf(size).map((byte) => byte + index + round),
      }));
      const put = ({ key, bytes }: (typeof files)[number]) => folder.store.put(key, sourceOf(bytes), options);
      expect(await Promise.all(files.map(put))).toEqual(files.map(({ bytes }) => writtenOf(bytes)));
      for (const { key, bytes } of files)
        expect(Buffer.compare(await Bun.file(join(folder.root, key)).bytes(), bytes)).toBe(0);
    }
    expect((await filesIn(folder.root)).filter((path) => path.startsWith("_tmp"))).toEqual([]);
  });

  test("fails if a write returns 0 bytes", async () => {
    const stuck = { write: async () => ({ bytesWritten: 0 }) };
    // safe because: a HashingWriter only writes to the file of a small stream
    using writer = new HashingWriter(stuck as unknown as FileHandle);
    await expect(writer.add(small)).rejects.toMatchObject({ code: "ENOSPC" });
  });
});

describe("sudden death", () => {
  test("during a put leaves no object, and cleanup deletes the temporary file", async () => {
    await using folder = await freshFolder();
    const child = Bun.spawn(childOf(folder.root, "put unending", 8 * MiB), { stderr: "inherit" });
    for await (const _ of child.stdout) break; // it has given all bytes but the end
    expect(await filesIn(folder.root)).toEqual([expect.stringMatching(/^_tmp\//)]);
    child.kill("SIGKILL");
    await child.exited;
    expect(await folder.store.stat(key)).toBeNull();
    expect(await keysOf(folder.store)).toEqual([]);
    expect(await folder.store.deleteLeftovers(new Date(Date.now() - 60_000))).toBe(0);
    expect(await folder.store.deleteLeftovers(new Date(Date.now() + 1000))).toBe(1);
    expect(await filesIn(folder.root)).toEqual([]);
    expect(await folder.store.put(key, sourceOf(small), options)).toEqual(writtenOf(small));
  });

  test("cleanup keeps files this process is writing", async () => {
    await using folder = await freshFolder();
    const swept = Promise.withResolvers<void>();
    const source = sourceOf(large, 65_521, async () => {
      expect(await folder.store.deleteLeftovers(new Date(Date.now() + 60_000))).toBe(0);
      swept.resolve();
    });
    expect(await folder.store.put(key, source, options)).toEqual(writtenOf(large));
    await swept.promise;
  });

  test("an old mtime does not make a new object old", async () => {
    await using folder = await freshFolder();
    await folder.store.put(key, sourceOf(small), options);
    await utimes(join(folder.root, key), 1000, 1000);
    expect((await folder.store.stat(key))?.modifiedAt.getTime()).toBeGreaterThan(Date.now() - 60_000);
  });
});
