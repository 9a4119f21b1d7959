/** What hooks of a session say of its work to others: the files that it changes, and the task that it claims. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ClaimList } from "../../../src/feed/claims/schema.ts";
import type { FeedPage } from "../../../src/feed/schema.ts";
import type { RunDetail } from "../../../src/overview/runs/schema.ts";
import { type HookMachine, openHookMachine, sessionHook } from "../../support/agents/hook-machine.ts";
import { openTestServer, type TestServer } from "../../support/test-server.ts";

let site: TestServer;
let machine: HookMachine;
let number = 0;
let session: string;

beforeAll(async () => {
  [site, machine] = await Promise.all([openTestServer(), openHookMachine()]);
});
afterAll(async () => {
  await machine.close();
  await site[Symbol.asyncDispose]();
});
beforeEach(() => {
  session = `session-${++number}`;
  machine.connect(site.server.origin, site.token);
});

const start = { source: "startup", model: "claude-opus-5" };

test("a session names the files that its tools changed inside the checkout, once a minute and at the end of a turn", async () => {
  const folder = join(machine.root, "edited");
  mkdirSync(join(folder, ".git"), { recursive: true });
  const cwd = { cwd: folder };
  const edit = (file_path: string, tool_name = "Edit") =>
    machine.hook(
      sessionHook(session, "PostToolUse", {
        ...{ ...cwd, tool_name, tool_response: "MARKER" },
        tool_input: { file_path, old_string: "MARKER", new_string: "MARKER" },
      }),
    );
  const files = async () => {
    await machine.drained();
    const run = await site.api<RunDetail>("GET", `/runs/${session}`);
    return run.files.map(({ path }) => path);
  };
  await machine.hook(sessionHook(session, "SessionStart", { ...cwd, ...start }));
  expect(await edit(join(folder, "src/app.ts"))).toMatchObject({ code: 0, output: "", errors: "" });
  expect(await files()).toEqual(["src/app.ts"]);
  for (const path of ["/etc/MARKER", "../MARKER", ".git/MARKER"]) await edit(path, "Write");
  await edit(join(folder, "src/MARKER"), "Read");
  await edit("src/map.ts", "Write");
  await edit(join(folder, "src/app.ts"));
  expect(await files()).toEqual(["src/app.ts"]);
  await machine.hook(sessionHook(session, "Stop", cwd));
  expect((await files()).toSorted()).toEqual(["src/app.ts", "src/map.ts"]);
  await edit("src/last.ts", "Write");
  await machine.hook(sessionHook(session, "SessionEnd", { ...cwd, reason: "logout" }));
  expect(await files()).toContain("src/last.ts");
  const run = await site.api<RunDetail>("GET", `/runs/${session}`);
  const { events } = await site.api<FeedPage>("GET", `/feed?run_id=${session}`);
  expect(events.toReversed().map(({ summary }) => summary)).toEqual([
    "Claude Code session started (startup)",
    "Claude Code session changed files",
    "Claude Code session waits for a prompt",
    "Claude Code session ended (logout)",
  ]);
  expect(JSON.stringify([run, events])).not.toContain("MARKER");
});

test("a session claims the task that SVC_TASK names if it is free, until it ends, and nothing without it", async () => {
  await using tasked = await openHookMachine({ SVC_TASK: "PROJ-7" });
  tasked.connect(site.server.origin, site.token);
  const claims = async () => {
    await Promise.all([tasked.drained(), machine.drained()]);
    const listed = await site.api<ClaimList>("GET", "/projects/atlas/claims");
    return listed.claims.map(({ subject, run_id }) => `${subject} ${run_id}`);
  };
  await machine.hook(sessionHook(`${session}-plain`, "SessionStart", start));
  expect(await claims()).toEqual([]);
  await tasked.hook(sessionHook(session, "SessionStart", start));
  expect(await claims()).toEqual([`PROJ-7 ${session}`]);
  await tasked.hook(sessionHook(`${session}-late`, "SessionStart", start));
  expect([await claims(), tasked.status().refused]).toEqual([[`PROJ-7 ${session}`], 0]);
  await tasked.hook(sessionHook(session, "SessionEnd", { reason: "logout" }));
  expect(await claims()).toEqual([]);
});
