/**
 * A disk that is full, and one that is read-only, below a running server: writes are refused, reads go on,
 * and all is well once there is room.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { localStore } from "../../src/files/stores/disk/store.ts";
import type { Asset } from "../../src/library/assets/schema.ts";
import {
  event,
  link,
  must,
  program,
  programToken,
  rowsOf,
  type Server,
  startServer,
  temporaryFolder,
  until,
} from "../support/harness.ts";
import type { TestPlace } from "../support/library.ts";
import { openLeft, requireAgreement } from "./agreement.ts";
import { reached, scale, times } from "./promises.ts";

const authorization = `Bearer ${programToken}`;
const json = { authorization, "content-type": "application/json" };
const run = async (...command: string[]) => (await Bun.spawn(command, { stderr: "ignore" }).exited) === 0;

async function canMount(): Promise<boolean> {
  await using folder = await temporaryFolder();
  return (
    (await run("mount", "-t", "tmpfs", "-o", "size=1m", "svc-test", folder.path)) &&
    (await run("umount", folder.path))
  );
}
const mountable = scale !== "suite" && (await canMount());

describe.skipIf(!mountable)("a server", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let disk: string;
  let bytes: string;
  let server: Server;
  let database: {
    dialect: "sqlite";
    url: string;
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
  };
  let place: TestPlace;
  let remaining: Asset;

  const append = async (summary = "x") =>
    (
      await fetch(`${server.origin}/api/v1/events`, {
        method: "POST",
        headers: json,
        body: JSON.stringify({ events: [event({ summary })] }),
      })
    ).status;
  const upload = async (bytes: number) => {
    const body = new FormData();
    body.append("project", "atlas");
    body.append("file", new File([new Uint8Array(bytes)], "a.bin"));
    const response = await fetch(`${server.origin}/api/v1/assets`, {
      method: "POST",
      headers: { authorization },
      body,
    });
    return { status: response.status, body: (await response.json()) as Asset };
  };
  const readsGoOn = async () => {
    for (const path of [
      "/api/v1/info",
      "/api/v1/feed",
      "/api/v1/projects",
      "/api/v1/assets",
      "/healthz",
      new URL(must(remaining.url)).pathname,
    ])
      expect([path, (await fetch(server.origin + path, { headers: { authorization } })).status]).toEqual([
        path,
        200,
      ]);
  };
  const allIsWell = async () => {
    expect([await append(), (await upload(10_000)).status]).toEqual([200, 201]);
    await readsGoOn();
  };

  const refusesReadOnlyDisk = async () => {
    // The kernel may still be closing what the process had open.
    await until(() => run("mount", "-o", "remount,ro", disk), "no process writes to the disk");
    const { code, errors } = await program(["serve", "--port", "0"], { SVC_DATABASE_URL: database.url });
    expect([code, errors.trim()]).toEqual([
      1,
      expect.stringMatching(/^svc: Cannot open .*: its disk is read-only\.?$/),
    ]);
    expect(await run("mount", "-o", "remount,rw", disk)).toBe(true);
  };

  beforeAll(async () => {
    folder = await temporaryFolder();
    disk = join(folder.path, "disk");
    await mkdir(disk);
    expect(await run("mount", "-t", "tmpfs", "-o", "size=16m", "svc-test", disk)).toBe(true);
    // The database keeps its files open, so only the disk of the bytes can turn read-only below it.
    bytes = join(disk, "assets-local");
    await mkdir(bytes);
    expect(await run("mount", "-t", "tmpfs", "-o", "size=8m", "svc-test", bytes)).toBe(true);
    database = {
      dialect: "sqlite",
      url: `sqlite:${join(disk, "svc.db")}`,
      close: async () => {},
      [Symbol.asyncDispose]: async () => {},
    };
    const data = await openLeft(database);
    await link(data, "atlas");
    await data.close();
    const root = (name: string) => join(disk, "assets-local", name);
    const stores = {
      store: localStore({ root: root("private") }),
      publicStore: localStore({ root: root("public") }),
    };
    place = {
      ...stores,
      env: {},
      s3: null,
      folder: join(disk, "assets-local"),
      [Symbol.asyncDispose]: async () => {},
    };
    server = await startServer(database, { SVC_DATA_DIR: disk });
    remaining = (await upload(10_000)).body;
  });
  afterAll(async () => {
    await server.close();
    // This process may still hold a file of the database: the last who lets go frees it.
    for (const place of [bytes, disk]) await run("umount", "-l", place);
    await folder.close();
  });

  test("on a full disk refuses what it cannot keep, reads all the same, and goes on once there is room", async () => {
    for (let round = 0; round < times("fullDisks"); round++) {
      expect((await upload(40 * 2 ** 20)).status).toBe(503);
      await allIsWell();
      const ballast = join(round % 2 ? bytes : disk, "ballast");
      for (let size = 8 * 2 ** 20; size >= 1024; size /= 2)
        for (let part = 0; ; part++)
          if (
            !(await writeFile(`${ballast}-${size}-${part}`, new Uint8Array(size)).then(
              () => true,
              () => false,
            ))
          )
            break;
      if (round % 2 === 0) {
        const statuses = new Set<number>();
        for (let turn = 0; turn < 200 && !statuses.has(503); turn++)
          statuses.add(await append("x".repeat(1000)));
        expect([...statuses].filter((status) => status !== 200)).toEqual([503]);
      }
      expect((await upload(100_000)).status).toBe(503);
      await readsGoOn();
      await run("sh", "-c", `rm -f ${ballast}-*`);
      await allIsWell();
      reached("fullDisks");
    }
  });

  test("whose bytes lie on a disk that turns read-only refuses writes, reads all the same, and goes on once it may write", async () => {
    for (let round = 0; round < times("readOnlyDisks"); round++) {
      expect(await run("mount", "-o", "remount,ro", bytes)).toBe(true);
      expect((await upload(1000)).status).toBe(503);
      await readsGoOn();
      expect(await append()).toBe(200);
      expect(await run("mount", "-o", "remount,rw", bytes)).toBe(true);
      await allIsWell();
      reached("readOnlyDisks");
    }
  });

  test("has lost nothing, and kept nothing by half; on a read-only disk it does not start, and says so in a line", async () => {
    expect(await server.terminate()).toBe(0);
    await refusesReadOnlyDisk();
    // A crash leaves the WAL, with which SQLite would open the file.
    server = await startServer(database, { SVC_DATA_DIR: disk });
    expect(await append()).toBe(200);
    await server.kill();
    await refusesReadOnlyDisk();
    const data = await openLeft(database);
    await requireAgreement(data, place).finally(() => data.close());
    expect(await rowsOf(database.url, "pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
    expect(server.errors()).not.toContain("unexpected error");
  });
});
