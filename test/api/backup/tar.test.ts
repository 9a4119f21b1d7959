/** The tar of a backup: long names, hostile entries, and errors of the source or the consumer. */
import { expect, test } from "bun:test";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BackupError, type Entry, textEntry } from "../../../src/api/backup/archive.ts";
import { createTar, readTar } from "../../../src/api/backup/targets.ts";
import { temporaryFolder, until } from "../../support/harness.ts";

const key = (name: string) => `private/atlas/01ARZ3NDEKTSV4RRFFQ69G5FAV/${name}`;
const long = key(`${"ü".repeat(100)}/${"x".repeat(200)}`);

async function* entriesOf(...entries: Entry[]): AsyncGenerator<Entry> {
  yield* entries;
}
const tarOf = async (...entries: Entry[]): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(createTar(entriesOf(...entries))));

/** A source in chunks of `length` bytes. */
async function* inChunks(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.slice(at, at + length);
}

async function contentsOf(source: AsyncIterable<Uint8Array>): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  for await (const { name, body } of readTar(source))
    contents[name] = Buffer.concat(await Array.fromAsync(body)).toString();
  return contents;
}
const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error) => error,
  );

test("a tar supports long names, in chunks of any size, and can be read by tar", async () => {
  await using folder = await temporaryFolder();
  const contents = { "svc-backup.json": "12345", [long]: "x".repeat(1025), [key("empty")]: "" };
  const bytes = await tarOf(...Object.entries(contents).map(([name, text]) => textEntry(name, text)));
  for (const length of [1, 511, 513, bytes.length])
    expect(await contentsOf(inChunks(bytes, length))).toEqual(contents);
  if (!Bun.which("tar")) return;
  const path = join(folder.path, "a.tar");
  await writeFile(path, bytes);
  const { stdout } = Bun.spawnSync(["tar", "--quoting-style=literal", "-tf", path], {
    env: { LC_ALL: "C.UTF-8" },
  });
  expect(stdout.toString().trim().split("\n")).toEqual(Object.keys(contents));
});

test("a file larger than the tar header can express has its size in a pax header", async () => {
  const size = 9 * 2 ** 30;
  const body = (async function* () {
    yield new Uint8Array(512);
    await new Promise(() => {});
  })();
  const head: Uint8Array[] = [];
  for await (const chunk of createTar(entriesOf({ name: key("large"), size, body })))
    if (head.push(chunk) === 5) break; // pax header, its records and padding, header, body
  for await (const entry of readTar(inChunks(Buffer.concat(head), 512))) {
    expect([entry.name, entry.size]).toEqual([key("large"), size]);
    break;
  }
});

test("entries that the consumer does not read are skipped", async () => {
  const bytes = await tarOf(
    textEntry("svc-backup.json", "x".repeat(3_000_000)),
    textEntry(key("a"), "x".repeat(2_000)),
    textEntry("end.json", "end"),
  );
  const names: string[] = [];
  for await (const { name, body } of readTar(inChunks(bytes, 65_536))) {
    names.push(name);
    if (name === key("a")) for await (const _ of body) break;
  }
  expect(names).toEqual(["svc-backup.json", key("a"), "end.json"]);
});

test("a long entry after one that was skipped is read to its end", async () => {
  const text = "x".repeat(2_000_000);
  const bytes = await tarOf(textEntry("svc-backup.json", "{}"), textEntry(key("a"), text));
  const lengths: number[] = [];
  for await (const { name, body } of readTar(inChunks(bytes, 524_288)))
    if (name === key("a")) for await (const chunk of body) lengths.push(chunk.length);
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(text.length);
});

test("links, folders, and names that svc does not write are rejected", async () => {
  if (!Bun.which("tar")) return;
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "private"));
  await symlink("/etc/passwd", join(folder.path, "end.json"));
  await writeFile(join(folder.path, "other.json"), "{}");
  for (const name of ["private", "end.json", "other.json"])
    for (const format of ["ustar", "gnu", "pax"]) {
      const made = Bun.spawnSync(["tar", `--format=${format}`, "-C", folder.path, "-cf", "-", name]);
      const error = await errorOf(contentsOf(inChunks(made.stdout, 512)));
      expect([name, format, error]).toEqual([name, format, expect.any(BackupError)]);
      expect(String(error)).toMatch(/unexpected (entry|file)/);
    }
});

test("a tar that is truncated anywhere or damaged is a BackupError", async () => {
  const bytes = await tarOf(textEntry("svc-backup.json", "x".repeat(700)), textEntry(long, "y"));
  for (let at = 0; at < bytes.length; at += 97) {
    const error = await errorOf(contentsOf(inChunks(bytes.subarray(0, at), 512)));
    expect([at, error]).toEqual([at, new BackupError("the backup is truncated")]);
  }
  const changed = Buffer.from(bytes);
  changed[3] = 0x7e;
  const notTar = Buffer.alloc(4096, "not a tar. ");
  for (const source of [changed, notTar])
    expect(await errorOf(contentsOf(inChunks(source, 512)))).toEqual(
      new BackupError("this is not an svc backup, or it is damaged"),
    );
});

test("an error of the entries or of the source arrives unchanged", async () => {
  const failed = new Error("the disk failed");
  const body = async function* () {
    yield Buffer.from("12");
    throw failed;
  };
  expect(await errorOf(tarOf({ name: "svc-backup.json", size: 5, body: body() }))).toBe(failed);
  const bytes = await tarOf(textEntry("svc-backup.json", "x".repeat(5_000)));
  const source = async function* () {
    yield bytes.subarray(0, 1_500);
    throw failed;
  };
  expect(await errorOf(contentsOf(source()))).toBe(failed);
});

test("a consumer that stops early closes the entries and the source", async () => {
  const closed: string[] = [];
  const entries = async function* () {
    try {
      for (;;) yield textEntry("svc-backup.json", "x".repeat(100_000));
    } finally {
      closed.push("entries");
    }
  };
  for await (const _ of createTar(entries())) break;
  const bytes = await tarOf(textEntry("svc-backup.json", "x".repeat(5_000_000)));
  const source = async function* () {
    try {
      yield* inChunks(bytes, 65_536);
    } finally {
      closed.push("source");
    }
  };
  for await (const _ of readTar(source())) break;
  await until(() => closed.length === 2, "both are closed");
  expect(closed).toEqual(["entries", "source"]);
});
