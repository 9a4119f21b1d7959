/** svc asset push of a large file: it resumes after the command or the connection was cut. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { truncateSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import {
  linkIn,
  migratedDatabase,
  must,
  program,
  programToken,
  rowsOf,
  runProgram,
  startServer,
  temporaryFolder,
  until,
} from "../support/harness.ts";
import { openPlace, type StorePlace } from "../support/library.ts";
import { MiB } from "../support/stores/store-sources.ts";

setDefaultTimeout(60_000);

/** A server with a project, and a large file to push to it. */
async function openPush(place: StorePlace, size: number) {
  const stack = new AsyncDisposableStack();
  const database = stack.use(await migratedDatabase("sqlite"));
  const folder = stack.use(await temporaryFolder());
  const { s3, env: storeEnv } = stack.use(await openPlace(place));
  await linkIn(database);
  const server = stack.use(await startServer(database, storeEnv));
  const path = join(folder.path, "large.bin");
  writeFileSync(path, "a large file");
  truncateSync(path, size);
  const config = join(folder.path, "config");
  const env = { SVC_URL: server.origin, SVC_TOKEN: programToken, XDG_CONFIG_HOME: config };
  const saved = join(config, "svc", "uploads");
  return {
    ...{ database, s3, env },
    args: ["asset", "push", path, "--project", "atlas", "--json"],
    savedNames: () => readdir(saved),
    savedId: async () => (await Bun.file(join(saved, must((await readdir(saved))[0]))).json()).id,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

test("svc asset push resumes where the previous run was killed", async () => {
  const size = 200 * MiB;
  await using push = await openPush("disk", size);
  const received = async () =>
    Number((await rowsOf(push.database.url, "select sum(size) as bytes from upload_segments"))[0]?.bytes);
  const first = runProgram(push.args, push.env);
  await until(async () => (await received()) > 0, "the first piece is stored");
  await first.close();
  expect(await received()).toBeLessThan(size);
  const id = await push.savedId();
  const { output, errors } = await program(push.args, push.env);
  expect(errors).toBe("");
  expect(JSON.parse(output)).toMatchObject({ id, size });
  expect(await push.savedNames()).toEqual([]);
});

test("svc asset push sends only the parts that the bucket lacks", async () => {
  const size = 5 * 16 * MiB + 7;
  await using push = await openPush("bucket", size);
  const s3 = must(push.s3);
  const sent = () => s3.requests.filter((request) => /^PUT .*partNumber/.test(request)).length;
  s3.fault("hang", ({ method, query }) => method === "PUT" && Number(query.get("partNumber")) > 2);
  const first = runProgram(push.args, push.env);
  // Three are sent at a time: the fifth begins once the first two are there.
  await until(() => sent() >= 5, "two parts are there, and others on their way");
  await first.close();
  s3.heal();
  const id = await push.savedId();
  const before = sent();
  s3.fault(503, ({ method, query }) => method === "PUT" && query.get("partNumber") === "4", 1);
  const { output, errors } = await program(push.args, push.env);
  expect(errors).toBe("");
  expect(JSON.parse(output)).toMatchObject({ id, size });
  expect(await push.savedNames()).toEqual([]);
  expect(sent() - before).toBe(5); // four parts, one of them twice
  const throughService = await rowsOf(push.database.url, "select position from upload_segments");
  expect(throughService).toEqual([]);
});
