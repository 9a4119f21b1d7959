/** A store on a disk that is full, unusable, or has foreign files. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { probeStore } from "../../../src/files/stores/objects.ts";
import { childOf, filesIn, freshFolder, id, key, options, small } from "../../support/stores/disk-store.ts";
import { mount, mountable, unmount } from "../../support/stores/small-disk.ts";
import { bytesOf, keysOf, MiB, read, sourceOf, writtenOf } from "../../support/stores/store-sources.ts";

setDefaultTimeout(60_000);

describe("a full disk", () => {
  test("fails a put with a 503, leaves nothing, and still takes a file that fits", async () => {
    await using folder = await freshFolder();
    // A limit on the size of files is the full disk that every machine has.
    const put = async (bytes: number) => {
      const script = `trap '' XFSZ; ulimit -f 2048; exec "$@"`;
      const child = Bun.spawn(["/bin/sh", "-c", script, "sh", ...childOf(folder.root, "put", bytes)], {
        stderr: "inherit",
      });
      return JSON.parse(await new Response(child.stdout).text()).result;
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
    const readUnprivileged = async () =>
      JSON.parse(await new Response(Bun.spawn(childOf(folder.root, "get unprivileged", 0)).stdout).text())
        .result;
    expect(await readUnprivileged()).toMatchObject({ status: 503, cause: "EACCES" });
    await chmod(join(folder.root, key), 0o644);
    expect(await readUnprivileged()).toBe(small.length);
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
    for (const name of [".DS_Store", "atlas/notes.txt", `atlas/${id}/a%2fb.png`, "lost+found/x"])
      await writeFile(join(folder.root, name), "");
    expect(await keysOf(folder.store)).toEqual([key]);
  });
});
