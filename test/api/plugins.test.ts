/** What a deployment serves for agents on machines without `svc`: the script of their hooks, and a plugin. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import * as zip from "@zip.js/zip.js/lib/zip-core-external.js";
import { roles } from "../../src/core/auth/scopes.ts";
import { paths } from "../../src/core/info.ts";
import type { Run } from "../../src/feed/runs/schema.ts";
import { page, signIn } from "../support/browser/site.ts";
import {
  link,
  openApp,
  programCommand,
  programEnvironment,
  type TestApp,
  until,
} from "../support/harness.ts";
import { temporaryFolder } from "../support/resources.ts";

let app: TestApp;
let token: string;
let machine: Awaited<ReturnType<typeof temporaryFolder>>;
let origin: string;
beforeAll(async () => {
  app = await openApp("sqlite");
  await link(app.ctx.data, "atlas");
  token = await app.mint(roles.agent.scopes);
  machine = await temporaryFolder();
  origin = app.listen();
  await mkdir(join(machine.path, "work"));
  for (const command of [
    ["init", "-q", "-b", "issue-12"],
    ["remote", "add", "origin", "https://dana:secret@github.com/acme/atlas.git"],
    ["config", "user.email", "dana@example.com"],
  ])
    Bun.spawnSync(["git", ...command], { cwd: join(machine.path, "work") });
});
afterAll(async () => {
  await app.close();
  await machine.close();
});

/** Runs a hook of an agent: by the script, on a machine without `svc`, or by the program. */
async function runHook(
  input: object,
  env: Record<string, string> = { SVC_URL: origin, SVC_TOKEN: token },
  hook?: string[],
) {
  const script = await (await app.ask(paths.hookScript)).text();
  const child = Bun.spawn(hook ?? ["sh", "-c", script, "svc-hook", "claude-code"], {
    cwd: join(machine.path, "work"),
    env: { ...programEnvironment(), PATH: "/usr/bin:/bin", HOME: machine.path, ...env },
    stdin: new Blob([JSON.stringify(input)]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, output, errors };
}

const start = { session_id: "s-1", hook_event_name: "SessionStart", source: "startup", prompt: "zeppelin" };

describe("a session with SVC_URL and SVC_TOKEN alone", () => {
  test("is a run of its repository and branch, and reads its brief", async () => {
    const { code, output, errors } = await runHook(start);
    expect([code, errors]).toEqual([0, ""]);
    expect(JSON.parse(output).hookSpecificOutput.additionalContext).toContain("Your run is s-1");
    const run = (await (await app.ask("/api/v1/runs/s-1", { token })).json()) as Run;
    expect(run).toMatchObject({ project: "atlas", issue: 12, actor: "agent:claude-code" });
  });

  test("is one of the task that SVC_TASK names, also where its hook runs in another folder", async () => {
    const cwd = join(machine.path, "work");
    const env = { SVC_URL: origin, SVC_TOKEN: token, SVC_TASK: "PROJ-7" };
    const script = await (await app.ask(paths.hookScript)).text();
    for (const [session_id, hook] of [
      ["t-1", ["sh", "-c", `cd /; ${script}`, "svc-hook", "copilot"]],
      ["t-2", [...programCommand(), "hook", "claude-code"]],
    ] as const) {
      await runHook({ ...start, session_id, cwd }, env, [...hook]);
      const run = (await (await app.ask(`/api/v1/runs/${session_id}`, { token })).json()) as Run;
      expect(run).toMatchObject({ project: "atlas", task: "PROJ-7", issue: null });
    }
  });

  test("is found by the key of its branch on every page, which links to the tracker", async () => {
    const admin = await app.mint(roles.admin.scopes, { name: "mara", role: "admin" });
    const tracker = { repo: "acme/atlas", task_url: "https://jira.example.com/browse/{task}" };
    await app.ask("/api/v1/projects/atlas", { method: "PUT", token: admin, json: tracker });
    const cwd = join(machine.path, "tracked");
    await mkdir(cwd);
    Bun.spawnSync(["git", "init", "-q", "-b", "feature/PROJ-123-coast"], { cwd });
    Bun.spawnSync(["git", "remote", "add", "origin", "https://github.com/acme/atlas.git"], { cwd });
    const hook = [...programCommand(), "hook", "claude-code"];
    await runHook({ ...start, session_id: "k-1", cwd }, { SVC_URL: origin, SVC_TOKEN: token }, hook);
    const of = { project: "atlas", actor: "agent:claude-code", run_id: "k-1" };
    const events = [
      { ...of, kind: "step.usage", task: "PROJ-123", cost_equiv: 2.5, summary: "a call" },
      { ...of, kind: "run.finished", summary: "The coast is drawn" },
    ];
    expect((await app.ask("/api/v1/events", { token, json: { events } })).status).toBe(200);
    const { cookie } = await signIn(app, admin);
    const path = "/projects/atlas/tasks/PROJ-123";
    for (const shown of ["/", "/tasks", "/tasks?view=table", "/feed?task=proj-123", "/runs?task=proj-123"])
      expect([shown, (await (await page(app, shown, cookie)).text()).includes(`href="${path}"`)]).toEqual([
        shown,
        true,
      ]);
    expect(await (await page(app, "/usage?by=task", cookie)).text()).toContain("$2.50");
    const task = await (await page(app, path, cookie)).text();
    expect(task).toContain('href="https://jira.example.com/browse/PROJ-123"');
    expect(task).toContain("The coast is drawn");
    const jump = await app.ask("/search?query=proj-123&jump=1", { headers: { cookie }, redirect: "manual" });
    expect(jump.headers.get("location")).toBe(path);
  });

  test("is one with a program that was not connected, too", async () => {
    const cwd = join(machine.path, "work");
    const variables = { SVC_URL: origin, SVC_TOKEN: token };
    const hook = [...programCommand(), "hook", "claude-code"];
    const { code, output } = await runHook({ ...start, session_id: "s-2", cwd }, variables, hook);
    expect(code).toBe(0);
    expect(JSON.parse(output).hookSpecificOutput.additionalContext).toContain("Your run is s-2");
    expect(await (await app.ask("/api/v1/runs/s-2", { token })).json()).toMatchObject({ issue: 12 });
    expect(await runHook({ ...start, cwd }, {}, hook)).toEqual({ code: 0, output: "", errors: "" });
  });

  test("sends no prompt, and neither user nor password of its repository", async () => {
    const sent: { body: string; headers: Record<string, string> }[] = [];
    await using server = Bun.serve({
      port: 0,
      async fetch(request) {
        sent.push({ body: await request.text(), headers: request.headers.toJSON() });
        return Response.json({});
      },
    });
    await runHook(start, { SVC_URL: server.url.origin, SVC_TOKEN: token });
    expect(sent).toHaveLength(1);
    expect(JSON.parse(sent[0]?.body ?? "")).toEqual({
      session_id: "s-1",
      hook_event_name: "SessionStart",
      source: "startup",
    });
    expect(JSON.stringify(sent)).not.toMatch(/zeppelin|secret/);
    expect(sent[0]?.headers["svc-repository"]).toBe("https://github.com/acme/atlas.git");
  });

  test("sends nothing of the input of a tool that it asks about", async () => {
    const sent: string[] = [];
    await using server = Bun.serve({
      port: 0,
      async fetch(request) {
        sent.push(await request.text());
        return Response.json({});
      },
    });
    const asks = { session_id: "s-3", hook_event_name: "PermissionRequest" };
    const tool_input = { source: "zeppelin", session_id: "s-4" };
    await runHook({ ...asks, tool_input }, { SVC_URL: server.url.origin, SVC_TOKEN: token });
    await until(() => sent.length === 1, "the hook to be sent");
    expect(JSON.parse(sent[0] ?? "")).toEqual(asks);
  });

  test("does not wait for a server that never answers when it gets a prompt", async () => {
    const order: string[] = [];
    const { promise, resolve } = Promise.withResolvers<Response>();
    await using server = Bun.serve({
      port: 0,
      fetch(request) {
        request.signal.addEventListener("abort", () => order.push("curl gave up"));
        return promise;
      },
    });
    const prompt = { session_id: "s-1", hook_event_name: "UserPromptSubmit" };
    await runHook(prompt, { SVC_URL: server.url.origin, SVC_TOKEN: token });
    order.push("the hook ended");
    resolve(Response.json({}));
    expect(order).toEqual(["the hook ended"]);
  });

  test("goes on without a word if the server refuses it or is not there, and without the variables", async () => {
    const silent = { code: 0, output: "", errors: "" };
    expect(await runHook(start, { SVC_URL: origin, SVC_TOKEN: "svc_unknown" })).toEqual(silent);
    expect(await runHook(start, { SVC_URL: "http://127.0.0.1:1", SVC_TOKEN: token })).toEqual(silent);
    expect(await runHook(start, {})).toEqual(silent);
  });
});

describe("the marketplace of Claude Code", () => {
  test("names the archive of the plugin by its hash, and the archive has the URL of this deployment", async () => {
    const { plugins } = (await (await app.ask(paths.marketplace)).json()) as {
      plugins: [{ source: { url: string; sha256: string } }];
    };
    const [{ source }] = plugins;
    expect(source.url).toBe(`http://svc.test${paths.pluginArchive}`);
    const bytes = await (await app.ask(paths.pluginArchive)).bytes();
    expect(new Bun.CryptoHasher("sha256").update(bytes).digest("hex")).toBe(source.sha256);
    const reader = new zip.ZipReader(new zip.Uint8ArrayReader(bytes), { useWebWorkers: false });
    const texts = new Map<string, string>();
    for (const entry of await reader.getEntries())
      if (!entry.directory) texts.set(entry.filename, await entry.getData(new zip.TextWriter()));
    expect(JSON.parse(texts.get(".mcp.json") ?? "").mcpServers.svc.url).toBe("http://svc.test/mcp");
    const { hooks } = JSON.parse(texts.get("hooks/hooks.json") ?? "");
    expect(hooks.SessionStart[0].hooks[0].command).toStartWith("SVC_URL='http://svc.test' sh ");
    expect(texts.get("hooks/svc-hook.sh")).toContain("svc hook");
  });
});
