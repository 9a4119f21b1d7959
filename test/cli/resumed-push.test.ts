/** svc asset push of a large file: it resumes after the command or the connection was cut. */
import { expect, test } from "bun:test";
import { truncateSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import {
  freshDatabase,
  program,
  programToken,
  rowsOf,
  runProgram,
  startServer,
  temporaryFolder,
  until,
} from "../support/harness.ts";
import { MiB } from "../support/store-sources.ts";

const size = 200 * MiB;

test("svc asset push resumes where the previous run was killed", async () => {
  await using database = await freshDatabase("sqlite");
  await using folder = await temporaryFolder();
  await program(["project", "link", "atlas", "--repo", "acme/atlas"], { SVC_DATABASE_URL: database.url });
  await using server = await startServer(database, { SVC_DATA_DIR: folder.path });
  const path = join(folder.path, "large.bin");
  writeFileSync(path, "a large file");
  truncateSync(path, size);
  const config = join(folder.path, "config");
  const env = { SVC_URL: server.origin, SVC_TOKEN: programToken, XDG_CONFIG_HOME: config };
  const args = ["asset", "push", path, "--project", "atlas", "--json"];
  const received = async () =>
    Number((await rowsOf(database.url, "select sum(size) as bytes from upload_segments"))[0]?.bytes);
  const first = runProgram(args, env);
  await until(async () => (await received()) > 0, "the first piece is stored");
  await first.close();
  const bytes = await received();
  expect(bytes).toBeLessThan(size);
  const [saved = ""] = await readdir(join(config, "svc", "uploads"));
  const { id } = await Bun.file(join(config, "svc", "uploads", saved)).json();
  const { output, errors } = await program(args, env);
  expect(errors).toBe("");
  expect(JSON.parse(output)).toMatchObject({ id, size });
  expect(await readdir(join(config, "svc", "uploads"))).toEqual([]);
});
