/** Hooks report which files of decisions are left: of the default branch alone, and no contents. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Inbox } from "../../../src/overview/inbox/schema.ts";
import { type HookMachine, openHookMachine, sessionHook } from "../../support/agents/hook-machine.ts";
import { openTestServer, type TestServer } from "../../support/test-server.ts";

let site: TestServer;
let machine: HookMachine;
let folder: string;
let session = 0;
let id: number;

const git = (...args: string[]) => {
  const identity = ["-c", "user.name=Ana", "-c", "user.email=ana@example.com"];
  const { exitCode, stderr } = Bun.spawnSync(["git", "-C", folder, ...identity, ...args]);
  if (exitCode !== 0) throw new Error(stderr.toString());
};
const commit = (message: string) => {
  git("add", "-A");
  git("commit", "-qm", message);
};
/** Commits count in seconds: what is reported next is of a later one. */
const nextSecond = () => Bun.sleep(1_100);
const start = async () => {
  const { output } = await machine.hook(
    sessionHook(`session-${++session}`, "SessionStart", { cwd: folder, source: "startup" }),
  );
  await machine.drained();
  return JSON.parse(output).hookSpecificOutput.additionalContext as string;
};
const asked = async () =>
  (await site.api<Inbox>("GET", "/inbox")).items.flatMap(({ id, reason }) =>
    reason === "files_gone" ? [id] : [],
  );

beforeAll(async () => {
  [site, machine] = await Promise.all([openTestServer(), openHookMachine()]);
  folder = join(machine.root, "work");
  mkdirSync(folder);
  machine.connect(site.server.origin, site.token);
  git("init", "--quiet", "-b", "main");
  for (const name of ["price.ts", "other.ts"])
    writeFileSync(join(folder, name), `export const ${name[0]} = 1;\n`);
  commit("First");
  const anchors = [{ path: "price.ts" }];
  ({ id } = await site.api<{ id: number }>("POST", "/decisions", {
    project: "atlas",
    text: "Round once",
    anchors,
  }));
  const others = { project: "atlas", text: "Others are one", anchors: [{ path: "other.ts" }] };
  await site.api("POST", "/decisions", others);
  await nextSecond();
});
afterAll(async () => {
  await machine.close();
  await site[Symbol.asyncDispose]();
});

test("a branch that deletes a file says so to its own sessions, and asks no one until it is merged", async () => {
  git("switch", "-qc", "without-price");
  rmSync(join(folder, "price.ts"));
  commit("Remove price");
  expect(await start()).toContain(`decision ${id} [price.ts gone]`);
  expect(await asked()).toEqual([]);
  git("switch", "-q", "main");
  expect(await start()).toContain(`decision ${id} [holds]`);
  expect(await asked()).toEqual([]);
  git("merge", "-q", "--no-ff", "-m", "Merge", "without-price");
  expect(await start()).toContain(`decision ${id} [price.ts gone]`);
  expect(await asked()).toEqual([`files-gone-${id}`]);
});

test("a default branch that has the file again takes the question back", async () => {
  await nextSecond();
  git("revert", "--no-edit", "-m", "1", "HEAD");
  expect(await start()).toContain(`decision ${id} [`);
  expect(await asked()).toEqual([]);
});

test("with a remote its default branch counts, and no commit that was not pushed", async () => {
  const origin = join(machine.root, "origin.git");
  Bun.spawnSync(["git", "clone", "-q", "--bare", folder, origin]);
  git("remote", "add", "origin", origin);
  git("fetch", "-q", "origin");
  await nextSecond();
  git("rm", "-q", "price.ts");
  commit("Remove price again");
  expect(await start()).toContain(`decision ${id} [price.ts gone]`);
  expect(await asked()).toEqual([]);
  git("push", "-q", "origin", "main");
  await start();
  expect(await asked()).toEqual([`files-gone-${id}`]);
});
