/** `svc doctor` reports problems with a fix, and exits with 1 only for errors. */

import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { closeSync, openSync, writeSync } from "node:fs";
import { chmod, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { reportDropped } from "../../../cli/agents/spool/status.ts";
import { checkDiskSpace } from "../../../src/api/doctor/disk.ts";
import { readConfig } from "../../../src/core/config.ts";
import { command } from "../../support/commands/command.ts";
import {
  createDatabase,
  event,
  fileOf,
  freshDatabase,
  programToken,
  startServer,
  temporaryFolder,
} from "../../support/harness.ts";
import { startS3 } from "../../support/stores/s3-server.ts";
import { mount, mountable, unmount } from "../../support/stores/small-disk.ts";

interface Finding {
  what: string;
  level: "ok" | "warning" | "error";
  detail: string;
}

async function doctor(env: Record<string, string>) {
  const { code, output, errors } = await command(["doctor", "--json"], env);
  const findings = output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Finding);
  return {
    code,
    errors,
    findings,
    of: (what: string) => findings.filter((finding) => finding.what === what),
  };
}

describe("svc doctor", () => {
  test("exits with 0 for warnings: missing settings and helper programs", async () => {
    await using database = await freshDatabase("sqlite");
    await createDatabase(database.url);
    await using folder = await temporaryFolder();
    reportDropped(join(folder.path, "svc/spool"), 2);
    const { code, errors, of } = await doctor({
      ...{ SVC_DATABASE_URL: database.url, SVC_DATA_DIR: folder.path, XDG_STATE_HOME: folder.path },
      PATH: folder.path,
    });
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    for (const what of ["database", "clock", "asset store", "public store"])
      expect(of(what)[0]).toMatchObject({ level: "ok" });
    const detail = "not found; without it there are no video thumbnails and waveforms";
    expect(of("ffmpeg")).toEqual([{ what: "ffmpeg", level: "warning", detail }]);
    expect(of("configuration").map(({ detail }) => detail)).toContainEqual(
      expect.stringContaining("SVC_GITHUB_WEBHOOK_SECRET"),
    );
    const dropped = "Reports deleted unsent, because too many were waiting: 2.";
    expect(of("reports")).toEqual([{ what: "reports", level: "warning", detail: dropped }]);
  });

  test("exits with 1 if a store cannot be written, and says what to check", async () => {
    await using database = await freshDatabase("sqlite");
    await createDatabase(database.url);
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, "assets-local"), "a file where the folder has to be");
    const { code, of } = await doctor({ SVC_DATABASE_URL: database.url, SVC_DATA_DIR: folder.path });
    expect(code).toBe(1);
    expect(of("asset store")[0]).toMatchObject({
      level: "error",
      detail: expect.stringContaining("check the folder's owner"),
    });
  });

  test("exits with 1 for an invalid variable and for a file that is not a database, with one finding each", async () => {
    await using database = await freshDatabase("sqlite");
    expect(await doctor({ SVC_DATABASE_URL: database.url, SVC_PORT: "x" })).toMatchObject({
      code: 1,
      findings: [{ what: "configuration", level: "error", detail: expect.stringContaining("SVC_PORT") }],
    });
    await writeFile(fileOf(database), "no database");
    expect(await doctor({ SVC_DATABASE_URL: database.url })).toMatchObject({
      code: 1,
      findings: [
        { what: "database", level: "error", detail: expect.stringContaining("is not a SQLite database") },
      ],
    });
  });

  test("names each disk that is filling up, what it stores and what to do, as an error only if writes are about to fail", async () => {
    const config = readConfig({ SVC_DATA_DIR: "/data", SVC_DATABASE_URL: "sqlite:/base/svc.db" });
    const detail = async (...rooms: [disk: number, bytes: number, files: number][]) => {
      const left = rooms.map(([disk, bytes, files]) => ({ disk, bytes, files }));
      return (await checkDiskSpace({ config }, { roomOf: async () => left.shift() ?? null })).map(
        ({ level, detail }) => `${level}: ${detail}`,
      );
    };
    const fix = "delete unrelated files, or move SVC_DATA_DIR to a larger disk";
    expect(await detail([1, 1e9, 1e6], [1, 1e9, 1e6], [1, 1e9, 1e6])).toEqual(["ok: 1.0 GB free"]);
    expect(await detail([1, 1e8, 1e6], [2, 1e8 - 1, 1e6], [2, 1e8 - 1, 1e6])).toEqual([
      `warning: 0.10 GB free for database in /base: ${fix}`,
      `error: 0.10 GB free for asset store and public store in /data/assets-local/private; writes will fail soon: ${fix}`,
    ]);
    expect(await detail([1, 1e12, 9_999], [2, 1e12, 999])).toEqual([
      `warning: 9999 inodes free for database in /base: ${fix}`,
      `error: 999 inodes free for asset store in /data/assets-local/private; writes will fail soon: ${fix}`,
    ]);
    expect(await detail()).toEqual([]);
  });

  test("warns about a database file that every user can read", async () => {
    await using database = await freshDatabase("sqlite");
    await createDatabase(database.url);
    const env = { SVC_DATABASE_URL: database.url };
    expect((await doctor(env)).of("database file")).toEqual([]);
    await chmod(fileOf(database), 0o644);
    expect((await doctor(env)).of("database file")).toEqual([
      {
        what: "database file",
        level: "warning",
        detail: `any user on this machine can read it: run chmod o= ${fileOf(database)}*`,
      },
    ]);
  });

  test.skipIf(!mountable)("exits with 1 for a nearly full disk", async () => {
    await using folder = await temporaryFolder();
    await mount("-t", "tmpfs", "-o", "size=16m", "svc-test", folder.path);
    try {
      await createDatabase(`sqlite:${join(folder.path, "svc.db")}`);
      const { code, of } = await doctor({ SVC_DATA_DIR: folder.path });
      expect(code).toBe(1);
      expect(of("disk")).toEqual([
        {
          what: "disk",
          level: "error",
          detail: expect.stringContaining(`for database and asset store and public store in ${folder.path}`),
        },
      ]);
    } finally {
      await unmount(folder.path);
    }
  });

  test("says whether the bucket allows uploads from the browser, and the CORS rule that it needs", async () => {
    await using database = await freshDatabase("sqlite");
    await createDatabase(database.url);
    const s3 = await startS3({ pages: ["https://svc.example"] });
    const env = {
      ...{
        SVC_DATABASE_URL: database.url,
        SVC_ASSET_STORE: `s3://${s3.place.bucket}`,
        SVC_PUBLIC_STORE: "none",
      },
      ...{ S3_ENDPOINT: s3.place.endpoint, S3_REGION: s3.place.region },
      ...{ S3_ACCESS_KEY_ID: s3.place.accessKeyId, S3_SECRET_ACCESS_KEY: s3.place.secretAccessKey },
    };
    const detail = async (site: string) =>
      (await doctor({ ...env, SVC_SITE_URL: site })).of("browser upload");
    expect(await detail("https://svc.example")).toMatchObject([{ level: "ok" }]);
    expect(await detail("https://other.example")).toMatchObject([
      {
        level: "warning",
        detail: expect.stringContaining(
          "AllowedOrigins https://other.example, AllowedMethods PUT, AllowedHeaders content-type",
        ),
      },
    ]);
    await s3.close();
  });

  test("names the bucket that cannot be reached", async () => {
    await using database = await freshDatabase("sqlite");
    await createDatabase(database.url);
    const s3 = { S3_ENDPOINT: "http://127.0.0.1:1", S3_ACCESS_KEY_ID: "a", S3_SECRET_ACCESS_KEY: "b" };
    const { code, of } = await doctor({
      SVC_DATABASE_URL: database.url,
      SVC_ASSET_STORE: "s3://things/svc",
      SVC_PUBLIC_STORE: "none",
      ...s3,
    });
    expect(code).toBe(1);
    expect(of("asset store")[0]).toMatchObject({
      level: "error",
      detail: expect.stringContaining("s3://things/svc: "),
    });
    expect(of("public store")[0]).toMatchObject({ level: "warning" });
  });
});

/** Overwrites the root pages of a table and its indexes. */
function damageTable(path: string, table: string): void {
  const database = new Database(path);
  const roots = database
    .query("select rootpage from sqlite_schema where tbl_name = ? and rootpage > 0")
    .all(table) as {
    rootpage: number;
  }[];
  const { page_size } = database.query("pragma page_size").get() as { page_size: number };
  database.exec("pragma wal_checkpoint(truncate)");
  database.close(true);
  const file = openSync(path, "r+");
  for (const { rootpage } of roots)
    writeSync(file, new Uint8Array(page_size).fill(0xa5), 0, page_size, (rootpage - 1) * page_size);
  closeSync(file);
}

test("damaged pages are one finding among others; a server that reads them is not ready and refuses writes", async () => {
  await using folder = await temporaryFolder();
  const env = { SVC_DATA_DIR: folder.path };
  await command(["project", "link", "atlas", "--repo", "acme/atlas"], env);
  damageTable(join(folder.path, "svc.db"), "usage");
  const { code, errors, of, findings } = await doctor(env);
  expect({ code, errors }).toEqual({ code: 1, errors: "" });
  expect(of("database file")).toEqual([
    { what: "database file", level: "error", detail: "damaged; stop all servers and restore a backup" },
  ]);
  for (const what of ["configuration", "clock", "asset store", "probe", "disk"])
    expect([what, of(what).length > 0]).toEqual([what, true]);
  expect(findings.filter(({ detail }) => /malformed|unexpected/.test(detail))).toEqual([]);

  await using server = await startServer({ url: `sqlite:${join(folder.path, "svc.db")}` }, env);
  const headers = { authorization: `Bearer ${programToken}`, "content-type": "application/json" };
  const append = () =>
    fetch(`${server.origin}/api/v1/events`, {
      method: "POST",
      headers,
      body: JSON.stringify({ events: [event({ project: "atlas" })] }),
    });
  expect([(await fetch(`${server.origin}/readyz`)).status, (await append()).status]).toEqual([200, 200]);
  expect((await fetch(`${server.origin}/api/v1/projects/atlas/usage`, { headers })).status).toBe(503);
  expect([(await fetch(`${server.origin}/readyz`)).status, (await append()).status]).toEqual([503, 503]);
  expect((await fetch(`${server.origin}/api/v1/projects`, { headers })).status).toBe(200);
  expect(server.errors()).toContain("the database is damaged");
});

test.skipIf(!mountable).each([
  ["the WAL of a killed server", false],
  ["no WAL", true],
])(
  "on a full disk with %s, read-only commands work, and a backup is complete or absent",
  async (_, isWalRemoved) => {
    await using folder = await temporaryFolder();
    await mount("-t", "tmpfs", "-o", "size=8m", "svc-test", folder.path);
    try {
      const path = join(folder.path, "svc.db");
      const env = { SVC_DATA_DIR: folder.path };
      await command(["project", "link", "atlas", "--repo", "acme/atlas"], env);
      await command(["token", "create", "reader", "--scopes", "feed:read"], env);
      {
        await using server = await startServer({ url: `sqlite:${path}` }, env);
        const headers = { authorization: `Bearer ${programToken}`, "content-type": "application/json" };
        const events = Array.from({ length: 100 }, () =>
          event({ project: "atlas", summary: "x".repeat(400) }),
        );
        expect(
          (
            await fetch(`${server.origin}/api/v1/events`, {
              method: "POST",
              headers,
              body: JSON.stringify({ events }),
            })
          ).status,
        ).toBe(200);
        if (isWalRemoved) await server.terminate();
        else await server.kill();
      }
      if (isWalRemoved) for (const suffix of ["-wal", "-shm"]) await rm(path + suffix, { force: true });
      await writeFile(join(folder.path, "ballast"), new Uint8Array(16 * 2 ** 20)).catch(() => {});
      expect(await command(["token", "list"], env)).toMatchObject({
        code: 0,
        output: expect.stringContaining("reader"),
      });
      expect(await command(["project", "list"], env)).toMatchObject({
        code: 0,
        output: expect.stringContaining("acme/atlas"),
      });
      const { errors, of } = await doctor(env);
      expect([errors, of("disk")[0]?.level, of("database")[0]?.level]).toEqual(["", "error", "ok"]);
      await using elsewhere = await temporaryFolder();
      const backup = join(elsewhere.path, "whole.tar");
      expect((await command(["backup", backup], env)).code).toBe(0);
      const restored = { SVC_DATA_DIR: join(elsewhere.path, "restored") };
      expect((await command(["restore", backup], restored)).code).toBe(0);
      expect((await command(["backup", join(folder.path, "failed.tar")], env)).code).toBe(1);
      expect((await readdir(folder.path)).filter((name) => name.startsWith("failed"))).toEqual([]);
    } finally {
      await unmount(folder.path);
    }
  },
);
