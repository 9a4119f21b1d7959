/** Commands in another folder than the server's: they find it, and create no second database beside it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "../../src/core/config.ts";
import { runProgram, type Server, startServer, temporaryFolder } from "../support/harness.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let [served, elsewhere] = ["", ""];
let server: Server;
/** The user's own state folder: the servers of other tests are not theirs. */
let env: Environment;
beforeAll(async () => {
  folder = await temporaryFolder();
  [served, elsewhere] = [join(folder.path, "served"), join(folder.path, "elsewhere")];
  for (const path of [served, elsewhere]) await mkdir(path);
  env = { XDG_STATE_HOME: join(folder.path, "state"), SVC_PORT: "0" };
  server = await start(served);
  expect((await svc("backup backup.tar")).errors).toContain("Backed up");
});
afterAll(async () => {
  await server.close();
  await folder.close();
});

const inFolder = (path: string): string[] => ["sh", "-c", 'cd "$0" && exec "$@"', path];
const start = (path: string, more: Environment = {}) =>
  startServer({ url: "" }, { ...env, SVC_DATABASE_URL: undefined, ...more }, [], inFolder(path));

/** Runs a command in the other folder. */
async function svc(words: string, more: Environment = {}) {
  const running = runProgram(words.split(" "), { ...env, ...more }, inFolder(elsewhere));
  const code = await running.ended;
  return { code, output: running.output(), errors: running.errors() };
}

const link = "project link atlas --repo acme/atlas";

test.each([[link], ["serve"], ["restore backup.tar"]])(
  "svc %s beside a running server names the database it serves, and creates none",
  async (command) => {
    const { code, errors } = await svc(command);
    expect([code, errors]).toEqual([
      1,
      `svc: A server is already running at ${server.origin}, with ${served}/svc.db. ` +
        `For that one, add --data-dir ${served}; to create a second one here, add --data-dir .\n`,
    ]);
    expect(await readdir(elsewhere)).toEqual(["backup.tar"]);
  },
);

test("another user's server on the configured port is named, too", async () => {
  const stranger = {
    XDG_STATE_HOME: join(folder.path, "other-state"),
    SVC_PORT: new URL(server.origin).port,
  };
  const { code, errors } = await svc(link, stranger);
  expect([code, errors]).toEqual([
    1,
    `svc: A server is already running at ${server.origin}, with a database of another folder or user. For that ` +
      "one, run this command there and as that user; to create a second one here, add --data-dir .\n",
  ]);
  expect(existsSync(join(elsewhere, "svc.db"))).toBe(false);
});

test("other commands use the database of the running server", async () => {
  expect((await svc(`${link} --data-dir ${served}`)).code).toBe(0);
  expect((await svc("project list --json")).output).toContain('"slug":"atlas"');
  const { errors } = await svc("decide atlas Draw_all_berths");
  expect(errors).toContain(`in ${served}/svc.db`);
  const connected = await svc("connect claude-code --dry-run --json", { HOME: folder.path });
  expect(JSON.parse(connected.output)).toMatchObject({ project: "atlas", server: server.origin });
});

test("with two servers a command asks which one, and without one it says what is missing", async () => {
  const second = join(folder.path, "second");
  await mkdir(second);
  const other = await start(second, { SVC_DATA_DIR: second });
  const { code, errors } = await svc("project list");
  expect([code, errors]).toEqual([1, expect.stringContaining(`add --data-dir ${second}`)]);
  expect(errors).toContain(`add --data-dir ${served}`);
  await other.kill();
  expect((await svc("project list")).code).toBe(0); // what the killed one left is no server
  await server.terminate();
  expect((await svc("project list")).errors).toStartWith(`svc: No database at ${elsewhere}/svc.db. Name `);
  expect((await svc(link)).code).toBe(0);
});
