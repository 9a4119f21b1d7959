/**
 * The database file: what is refused and left alone, what is survived, and another process that holds its
 * lock.
 */
import { Database } from "bun:sqlite";
import { beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { copyFile, mkdir, readFile, truncate, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { openSqlite } from "../../db/engine/sqlite.ts";
import { openData } from "../../db/open.ts";
import {
  event,
  expectConsistent,
  fileOf,
  freshDatabase,
  link,
  openTestData,
  program,
  type TestDatabase,
  testClock,
} from "../support/harness.ts";

const clock = testClock();
const open = (url: string) => openData(url, { now: clock.now, log() {} });

describe("a database file that is incomplete or not from svc", () => {
  let whole: Buffer;
  beforeAll(async () => {
    await using database = await freshDatabase("sqlite");
    const data = await open(database.url);
    await link(data, "atlas");
    await data.atomically((writes) =>
      writes.append(Array.from({ length: 50 }, () => event({ project: "atlas" }))),
    );
    await data.close();
    whole = await readFile(fileOf(database));
  });

  const zeros = (bytes: number) => Buffer.alloc(bytes);
  const pageBytes = 4096;
  const cases: [string, () => Buffer][] = [
    ["is empty", () => zeros(0)],
    ["is cut off in its header", () => whole.subarray(0, 50)],
    ["is cut off behind its header", () => whole.subarray(0, 100)],
    ["is cut off in the middle", () => whole.subarray(0, whole.length / 2)],
    ["lacks its last page", () => whole.subarray(0, whole.length - pageBytes)],
    ["lacks its last byte", () => whole.subarray(0, whole.length - 1)],
    ["is all zeros", () => zeros(whole.length)],
    [
      "is zeros behind its first page",
      () => Buffer.concat([whole.subarray(0, pageBytes), zeros(whole.length - pageBytes)]),
    ],
    ["is text", () => Buffer.from("Dear diary,\n".repeat(100))],
    ["is the database of another program", foreign],
    ["has svc's application ID, but none of its tables", () => foreign("pragma application_id = 0x73766331")],
    ["was written by a newer version", () => newer(whole)],
  ];
  test.each(cases)("that %s stops the start with one line and stays as it is", async (_, make) => {
    await using database = await freshDatabase("sqlite");
    const path = fileOf(database);
    await writeFile(path, make());
    const before = await readFile(path);
    const { code, errors, output } = await program(["serve", "--port", "0"], {
      SVC_DATABASE_URL: database.url,
    });
    expect(errors).toMatch(/^svc: .*svc\.db.*\n$/);
    expect([code, output]).toEqual([1, ""]);
    expect((await readFile(path)).equals(before)).toBe(true);
    expect(readdirSync(dirname(path))).toEqual(["svc.db"]);
  });

  test.each([
    ["a folder", (path: string) => mkdir(path)],
    ["below a file", (path: string) => writeFile(dirname(path).concat("/file"), "")],
  ])("a path that is %s stops the start with one line", async (what, make) => {
    await using database = await freshDatabase("sqlite");
    await make(fileOf(database));
    const url = what === "below a file" ? `sqlite:${dirname(fileOf(database))}/file/svc.db` : database.url;
    const { code, errors } = await program(["serve", "--port", "0"], { SVC_DATABASE_URL: url });
    expect(errors).toMatch(/^svc: .*svc\.db.*\n$/);
    expect(code).toBe(1);
  });

  test("every command refuses it, not only the server", async () => {
    await using database = await freshDatabase("sqlite");
    await writeFile(fileOf(database), "");
    const { code, errors } = await program(["token", "list"], { SVC_DATABASE_URL: database.url });
    expect([code, errors.split("\n").length]).toEqual([1, 2]);
    expect(await readFile(fileOf(database))).toEqual(zeros(0));
  });
});

/** A SQLite file with a table that is not ours. */
function foreign(statement = "select 1"): Buffer {
  const database = new Database(":memory:");
  database.exec("create table diary (entry text); insert into diary values ('Dear diary')");
  database.exec(statement);
  const bytes = database.serialize();
  database.close();
  return bytes;
}

function newer(bytes: Buffer): Buffer {
  // A serialized database in WAL mode cannot be written to, so its header says rollback journal meanwhile.
  const copy = Buffer.from(bytes);
  copy.writeUInt8(1, 18);
  copy.writeUInt8(1, 19);
  const database = Database.deserialize(copy);
  database.exec("insert into schema_migrations (name, applied_at) values ('9999_from_the_future', 0)");
  const written = database.serialize();
  database.close();
  written.writeUInt8(2, 18);
  written.writeUInt8(2, 19);
  return written;
}

describe("a database file after a crash", () => {
  /** What is on the disk when the power goes while the log was not yet folded into the file. */
  async function crashed(database: TestDatabase, events: number): Promise<string> {
    const data = await open(database.url);
    await link(data, "atlas");
    await data.atomically((writes) => writes.append([event({ project: "atlas" })]));
    const path = fileOf(database);
    // An open reader keeps the log from being folded in, when the writer closes as well.
    const reader = new Database(path, { readonly: true });
    reader.exec("begin; select * from events");
    await data.atomically((writes) =>
      writes.append(Array.from({ length: events }, () => event({ project: "atlas" }))),
    );
    const copy = `${dirname(path)}/copy.db`;
    for (const suffix of ["", "-wal"]) await copyFile(path + suffix, copy + suffix);
    reader.close();
    await data.close();
    return copy;
  }

  test("opens with everything that its log holds", async () => {
    await using database = await freshDatabase("sqlite");
    const copy = await crashed(database, 200);
    const data = await open(`sqlite:${copy}`);
    expect(await expectConsistent(data)).toBe(201);
    await data.close();
  });

  test("opens where the log was being folded into it: the first page is new, the last ones are still missing", async () => {
    await using database = await freshDatabase("sqlite");
    const copy = await crashed(database, 200);
    const page = await newestFirstPage(`${copy}-wal`);
    const file = await readFile(copy);
    page.copy(file, 0);
    await writeFile(copy, file);
    expect(page.readUInt32BE(28) * page.length).toBeGreaterThan(file.length);
    const data = await open(`sqlite:${copy}`);
    expect(await expectConsistent(data)).toBe(201);
    await data.close();
  });

  test("is refused where neither the file nor its log has a page", async () => {
    await using database = await freshDatabase("sqlite");
    const copy = await crashed(database, 1);
    await truncate(copy, 4 * 4096); // the log has what the append changed, and no more
    const before = await readFile(copy);
    await expect(open(`sqlite:${copy}`)).rejects.toThrow(/copy\.db .*truncated/);
    expect(await readFile(copy)).toEqual(before);
  });

  test("that lost the end of its log opens with what was whole, counters and all", async () => {
    await using database = await freshDatabase("sqlite");
    const copy = await crashed(database, 200);
    const { byteLength } = await readFile(`${copy}-wal`);
    await truncate(`${copy}-wal`, byteLength - 1000);
    const data = await open(`sqlite:${copy}`);
    expect(await expectConsistent(data)).toBe(1);
    await data.close();
  });
});

/**
 * The last copy of page 1 in a write-ahead log: frames of a header of 24 bytes and a page, behind a header of
 * 32 bytes.
 */
async function newestFirstPage(log: string): Promise<Buffer> {
  const bytes = await readFile(log);
  const pageBytes = bytes.readUInt32BE(8);
  let found: Buffer | undefined;
  for (let at = 32; at + 24 + pageBytes <= bytes.length; at += 24 + pageBytes)
    if (bytes.readUInt32BE(at) === 1) found = bytes.subarray(at + 24, at + 24 + pageBytes);
  if (!found) throw new Error("the log holds no first page");
  return found;
}

describe("the connections to the file", () => {
  test("write through a log, wait for the disk at each commit, and read beside it without being able to write", async () => {
    await using database = await freshDatabase("sqlite");
    const lite = openSqlite(fileOf(database));
    const connection = (session: unknown) => (session as { db: { $client: Database } }).db.$client;
    const pragma = (session: unknown, name: string) =>
      Object.values(connection(session).query(`pragma ${name}`).get() as object)[0];
    await lite.transaction(async (write) => {
      expect(pragma(write, "journal_mode")).toBe("wal");
      expect(pragma(write, "synchronous")).toBe(2);
      // Pages that the log has when it is folded into the file.
      expect(pragma(write, "wal_autocheckpoint")).toBe(8_000);
      expect(pragma(write, "foreign_keys")).toBe(1);
      // Waiting inside SQLite would stop the event loop.
      expect(pragma(write, "busy_timeout")).toBe(0);
    });
    const erase = connection(lite.readSession).prepare("delete from events");
    expect(() => erase.run()).toThrow("readonly");
    lite.close();
  });

  test("are readable by their owner only", async () => {
    await using opened = await openTestData("sqlite");
    await link(opened.data, "atlas");
    const path = fileOf(opened);
    const modes = ["", "-wal", "-shm"].map((suffix) => [
      suffix,
      (statSync(path + suffix).mode & 0o777).toString(8),
    ]);
    expect(modes).toEqual(["", "-wal", "-shm"].map((suffix) => [suffix, "600"]));
  });

  test("a database in memory serves reads and writes alike", async () => {
    const data = await open("sqlite::memory:");
    await link(data, "atlas");
    await Promise.all([
      ...Array.from({ length: 5 }, () =>
        data.atomically((writes) => writes.append([event({ project: "atlas" })])),
      ),
      ...Array.from({ length: 5 }, () => data.feed(null, { limit: 5 })),
    ]);
    expect(await expectConsistent(data)).toBe(5);
    await data.close();
  });

  test("a missing file and folder are created; after a clean shutdown the whole database is one file", async () => {
    await using database = await freshDatabase("sqlite");
    const path = `${dirname(fileOf(database))}/deep/er/svc.db`;
    const data = await open(`sqlite:${path}`);
    expect(readdirSync(dirname(path)).toSorted()).toEqual(["svc.db", "svc.db-shm", "svc.db-wal"]);
    await link(data, "atlas");
    await data.atomically((writes) => writes.append([event({ project: "atlas" })]));
    expect(await data.feed(null, { limit: 1 })).toHaveLength(1);
    await data.close();
    expect(readdirSync(dirname(path))).toEqual(["svc.db"]);
    await copyFile(path, `${path}.moved`);
    const moved = await open(`sqlite:${path}.moved`);
    expect(await expectConsistent(moved)).toBe(1);
    await moved.close();
  });
});
