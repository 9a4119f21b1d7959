/** The commands for backups, backups in a bucket, and the tar format. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Entry } from "../../../src/api/backup/archive.ts";
import { openBackupContents } from "../../../src/api/backup/contents.ts";
import { verifyArchive, withManifests } from "../../../src/api/backup/manifest.ts";
import { restore } from "../../../src/api/backup/restore.ts";
import { createTar, openArchive, readTar, writeTar } from "../../../src/api/backup/targets.ts";
import { jsonInKeyOrder } from "../../../src/core/lib/key-order.ts";
import { command } from "../../support/commands/command.ts";
import { openEmpty, options, reports } from "../../support/database/backup.ts";
import {
  expectSameRows,
  hashObjects,
  readAllRows,
  seedDeployment,
} from "../../support/database/seeded-deployment.ts";
import { must, temporaryFolder, until } from "../../support/harness.ts";
import { openLibrary } from "../../support/library.ts";
import { startS3 } from "../../support/stores/s3-server.ts";

test("a backup can be an S3 object, is never partial, and never overwrites another", async () => {
  await using source = await openLibrary("sqlite", "disk");
  const bucket = await startS3();
  await using _bucket = { [Symbol.asyncDispose]: bucket.close };
  await seedDeployment(source);
  const { prefix: __, bucket: name, ...s3 } = { sessionToken: "", ...bucket.place };
  const place = `s3://${name}/backups/one.tar`;
  const write = (entries: AsyncIterable<Entry>) => writeTar(place, entries, s3);
  const { entries, summary } = openBackupContents(source.ctx, { bytes: true });
  const killed = async function* () {
    for await (const entry of entries) {
      if (entry.name.startsWith("private/")) throw new Error("killed");
      yield entry;
    }
  };
  expect(await write(withManifests(killed(), summary, reports)).catch((error) => error.message)).toBe(
    "killed",
  );
  expect([...bucket.objects.keys()]).toEqual([]);
  expect(await openArchive(place, s3).catch((error) => error.message)).toBe(`there is no backup at ${place}`);
  for (const outcome of ["written", `${place} already exists; choose another name`]) {
    const again = openBackupContents(source.ctx, { bytes: true });
    const result = write(withManifests(again.entries, again.summary, reports)).then(
      () => "written",
      (error) => error.message,
    );
    expect(await result).toBe(outcome);
  }
  await using target = await openEmpty(["sqlite", "disk"]);
  await restore(target.ctx, await openArchive(place, s3), options);
  await expectSameRows(await readAllRows(source.ctx.data), target.ctx.data);
  expect(await hashObjects(target)).toEqual(await hashObjects(source));
});

test("a tar supports long names and can be read by tar", async () => {
  await using folder = await temporaryFolder();
  const long = `private/atlas/01ARZ3NDEKTSV4RRFFQ69G5FAV/${"ü".repeat(100)}/${"x".repeat(200)}`;
  const entries = async function* () {
    for (const name of ["svc-backup.json", long]) yield { name, size: 5, body: new Blob(["12345"]).stream() };
  };
  const path = join(folder.path, "a.tar");
  await writeFile(path, createTar(entries()));
  const names: string[] = [];
  for await (const { name, body } of readTar(Bun.file(path).stream())) {
    names.push(name);
    expect(Buffer.concat(await Array.fromAsync(body)).toString()).toBe("12345");
  }
  expect(names).toEqual(["svc-backup.json", long]);
  if (!Bun.which("tar")) return;
  const listed = Bun.spawnSync(["tar", "--quoting-style=literal", "-tf", path], {
    env: { LC_ALL: "C.UTF-8" },
  });
  expect(listed.stdout.toString().trim().split("\n")).toEqual(names);
});

test("the commands report what they did, reject invalid input, and lose nothing", async () => {
  await using source = await openLibrary("sqlite", "disk");
  await using folder = await temporaryFolder();
  await seedDeployment(source);
  const at = (name: string) => join(folder.path, name);
  const env = (name: string) => ({ SVC_DATA_DIR: at(name) });
  const rows = await readAllRows(source.ctx.data);
  const { entries, summary } = openBackupContents(source.ctx, { bytes: true });
  await writeTar(at("a.tar"), withManifests(entries, summary, reports), source.ctx.config.s3);
  expect(await command(["restore", at("a.tar")], env("one"))).toMatchObject({
    code: 0,
    output: "",
    errors: expect.stringMatching(/^Created the database .*\nRestored \d+ rows into /),
  });
  expect(await command(["restore", at("a.tar")], env("one"))).toMatchObject({
    code: 1,
    errors: expect.stringContaining("--force"),
  });
  expect(await command(["backup", at("b.tar")], env("one"))).toMatchObject({
    code: 0,
    errors: expect.stringContaining("SHA-256"),
  });
  expect(await command(["backup", at("b.tar")], env("one"))).toMatchObject({
    code: 1,
    errors: expect.stringContaining("already exists"),
  });
  expect(await command(["backup", "--no-bytes", at("c.tar")], env("one"))).toMatchObject({ code: 0 });
  expect(await command(["export", at("d")], env("one"))).toMatchObject({ code: 0 });
  expect(await command(["import", at("d")], env("two"))).toMatchObject({ code: 0 });
  expect(await command(["restore", at("nothing.tar")], env("three"))).toMatchObject({
    code: 1,
    errors: expect.stringContaining("no backup at"),
  });
  expect(existsSync(at("three"))).toBe(false);
  expect(await command(["restore", at("c.tar")], { ...env("four"), SVC_ASSET_STORE: "none" })).toMatchObject({
    code: 0,
  });
  for await (const name of ["b.tar", "d"]) {
    const lines = new Map<string, string>();
    await verifyArchive(await openArchive(at(name), source.ctx.config.s3), {
      onBytes() {},
      onText: (file, text) => void lines.set(file, text),
    });
    const stored = must(lines.get("rows/events/000001.ndjson")).trim().split("\n");
    expect(stored.map((line) => jsonInKeyOrder(JSON.parse(line))).sort()).toEqual(must(rows.get("events")));
  }
  await until(
    async () => (await readdir(folder.path)).every((name) => !name.endsWith(".part")),
    "no partial file remains",
  );
});
