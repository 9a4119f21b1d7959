/** What can happen to a folder: full, read-only, links, leftovers, sudden death. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import {
  chmod,
  type FileHandle,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localStore } from "../../src/stores/disk/store.ts";
import { HashingWriter } from "../../src/stores/disk/worker-pool.ts";
import { hashObject, hashSource, probeStore } from "../../src/stores/objects.ts";
import type { ContentDigest } from "../../src/stores/store.ts";
import { repositoryRoot } from "../support/repository.ts";
import { mount, mountable, unmount } from "../support/small-disk.ts";
import { bytesOf, endless, ids, keysOf, MiB, read, sourceOf, writtenOf } from "../support/store-sources.ts";

setDefaultTimeout(60_000);

const [id] = ids;
const key = `atlas/${id}/file.bin`;
const options = { type: "application/octet-stream", maxBytes: 64 * MiB };
const small = bytesOf(10_000);
/** More than is kept in one go. */
const large = bytesOf(3 * MiB);
const childFile = join(repositoryRoot, "test/support/store-child.ts");

async function freshFolder() {
  const path = await mkdtemp(join(tmpdir(), "svc-disk-"));
  const root = join(path, "store");
  return {
    path,
    root,
    store: localStore({ root }),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** Every file below a folder, temporary ones too. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

const childOf = (root: string, task: string, bytes: number) => [
  process.execPath,
  childFile,
  JSON.stringify([{ root }, task, key, bytes]),
];

describe("a full disk", () => {
  test("fails a put with a 503, leaves nothing, and still takes a file that fits", async () => {
    await using folder = await freshFolder();
    // A limit on the size of files is the full disk that every machine has.
    const put = async (bytes: number) => {
      const script = `trap '' XFSZ; ulimit -f 2048; exec "$@"`;
      const child = Bun.spawn(["/bin/sh", "-c", script, "sh", ...childOf(folder.root, "put", bytes)], {
        stderr: "inherit",
      });
      return JSON.parse(await new Response(child.stdout).text()).said;
    };
    expect(await put(3 * MiB)).toEqual({
      status: 503,
      message: expect.stringContaining("full"),
      cause: "EFBIG",
    });
    expect(await filesIn(folder.root)).toEqual([]);
    expect(await put(100_000)).toMatchObject({ size: 100_000 });
    expect(await filesIn(folder.root)).toEqual([key]);
  });

  test.skipIf(!mountable)(
    "ends a put in a 503 wherever it fills up; a read-only one too; both are read",
    async () => {
      await using folder = await freshFolder();
      await mkdir(folder.root);
      await mount("-t", "tmpfs", "-o", "size=3m", "svc-test", folder.root);
      try {
        const first = bytesOf(MiB + 5000); // so that the last write fits in part only
        await folder.store.put(`atlas/${id}/first`, sourceOf(first), options);
        for (const size of [2 * MiB, 2 * MiB + 1, 8 * MiB]) {
          const failing = folder.store.put(key, sourceOf(bytesOf(size)), options);
          await expect(failing).rejects.toMatchObject({
            status: 503,
            detail: expect.stringContaining("full"),
            cause: { code: "ENOSPC" },
          });
          expect(await filesIn(folder.root)).toEqual([`atlas/${id}/first`]);
        }
        const stored = await folder.store.get(`atlas/${id}/first`);
        expect(stored && (await read(stored)).equals(first)).toBe(true);
        await folder.store.delete(`atlas/${id}/first`);
        expect(await folder.store.put(key, sourceOf(bytesOf(2 * MiB)), options)).toMatchObject({
          size: 2 * MiB,
        });

        await mount("-o", "remount,ro", folder.root);
        const refused = { status: 503, cause: { code: "EROFS" } };
        await expect(folder.store.put(`${key}.2`, sourceOf(small), options)).rejects.toMatchObject(refused);
        await expect(folder.store.copy(key, `${key}.2`, options)).rejects.toMatchObject(refused);
        await expect(folder.store.delete(key)).rejects.toMatchObject(refused);
        await expect(probeStore(folder.store)).rejects.toMatchObject(refused);
        expect(await folder.store.stat(key)).toMatchObject({ size: 2 * MiB });
        await mount("-o", "remount,rw", folder.root);
        expect(await probeStore(folder.store)).toEqual([]);
      } finally {
        await unmount(folder.root);
      }
    },
  );
});

describe("a folder that cannot be used", () => {
  test("is a 503 until it can", async () => {
    await using folder = await freshFolder();
    await writeFile(folder.root, "a file where the folder should be");
    await expect(folder.store.put(key, sourceOf(small), options)).rejects.toMatchObject({ status: 503 });
    await expect(folder.store.get(key)).rejects.toMatchObject({ status: 503 });
    await rm(folder.root);
    expect(await folder.store.put(key, sourceOf(small), options)).toEqual(writtenOf(small));
  });

  test("does not reveal its path to the caller", async () => {
    await using folder = await freshFolder();
    await writeFile(folder.root, "");
    const error = await folder.store.put(key, sourceOf(small), options).catch((error) => error);
    expect(error.detail).not.toContain(folder.path);
    expect(error.cause.message).toContain(folder.path);
  });
});

test.skipIf(process.getuid?.() !== 0)(
  "a file that the process may not read is a 503, before the answer has begun",
  async () => {
    await using folder = await freshFolder();
    await folder.store.put(key, sourceOf(small), options);
    await chmod(folder.path, 0o755);
    for (const part of ["store", "store/atlas", `store/atlas/${id}`])
      await chmod(join(folder.path, part), 0o755);
    const asked = async () =>
      JSON.parse(await new Response(Bun.spawn(childOf(folder.root, "get as nobody", 0)).stdout).text()).said;
    expect(await asked()).toMatchObject({ status: 503, cause: "EACCES" });
    await chmod(join(folder.root, key), 0o644);
    expect(await asked()).toBe(small.length);
  },
);

describe("foreign files in the store folder", () => {
  test("a folder at an object's path reads as missing, and stays", async () => {
    await using folder = await freshFolder();
    await mkdir(join(folder.root, key), { recursive: true });
    expect(await folder.store.get(key)).toBeNull();
    expect(await folder.store.stat(key)).toBeNull();
    expect(await folder.store.copy(key, `${key}.2`, options)).toBeNull();
    expect(await folder.store.put(key, sourceOf(small), options)).toBe("exists");
    await folder.store.delete(key);
    expect(existsSync(join(folder.root, key))).toBe(true);
    expect(await keysOf(folder.store)).toEqual([]);
  });

  test("a file at a folder's path reads as missing, and stays", async () => {
    await using folder = await freshFolder();
    await folder.store.put(key, sourceOf(small), options);
    expect(await folder.store.get(`${key}/a`)).toBeNull();
    expect(await folder.store.stat(`${key}/a`)).toBeNull();
    await folder.store.delete(`${key}/a`);
    expect(await folder.store.put(`${key}/a`, sourceOf(small), options)).toBe("exists");
    expect(await folder.store.stat(key)).toMatchObject({ size: small.length });
  });

  test("symbolic links are not followed", async () => {
    await using folder = await freshFolder();
    const { root, store } = folder;
    const outside = join(folder.path, "outside");
    await mkdir(join(outside, id), { recursive: true });
    await mkdir(join(root, "atlas", id), { recursive: true });
    await writeFile(join(outside, id, "secret"), "a secret");
    await symlink(join(outside, id, "secret"), join(root, "atlas", id, "file"));
    await symlink(outside, join(root, "borealis"));
    for (const linked of [`atlas/${id}/file`, `borealis/${id}/secret`]) {
      expect(await store.get(linked)).toBeNull();
      expect(await store.stat(linked)).toBeNull();
      expect(await store.copy(linked, `atlas/${id}/stolen`, options)).toBeNull();
      await store.delete(linked);
    }
    expect(await store.put(`atlas/${id}/file`, sourceOf(small), options)).toBe("exists");
    await expect(store.put(`borealis/${id}/mine`, sourceOf(small), options)).rejects.toMatchObject({
      status: 503,
    });
    expect(await keysOf(store)).toEqual([]);
    expect(await keysOf(store, "borealis/")).toEqual([]);
    expect(await filesIn(outside)).toEqual([`${id}/secret`]);
    expect(await Bun.file(join(outside, id, "secret")).text()).toBe("a secret");
  });

  test("the root folder itself may be a symbolic link", async () => {
    await using folder = await freshFolder();
    await mkdir(join(folder.path, "elsewhere"));
    await symlink(join(folder.path, "elsewhere"), folder.root);
    expect(await folder.store.put(key, sourceOf(small), options)).toEqual(writtenOf(small));
    expect(await folder.store.stat(key)).toMatchObject({ size: small.length });
    expect(await keysOf(folder.store)).toEqual([key]);
  });

  test("files that no key names are not listed", async () => {
    await using folder = await freshFolder();
    await folder.store.put(key, sourceOf(small), options);
    await mkdir(join(folder.root, "lost+found"));
    for (const name of [".DS_Store", "atlas/notes.txt", `atlas/${id}/50%.png`, "lost+found/x"])
      await writeFile(join(folder.root, name), "");
    expect(await keysOf(folder.store)).toEqual([key]);
  });
});

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
