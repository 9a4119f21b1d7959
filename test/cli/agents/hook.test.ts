/** `svc hook`, called as Claude Code calls it: what arrives, what it prints, and what it survives. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "../../../src/feed/schema.ts";
import type { RunDetail } from "../../../src/overview/runs/schema.ts";
import { type HookMachine, openHookMachine, sessionHook } from "../../support/agents/hook-machine.ts";
import { must, until } from "../../support/harness.ts";
import { programCommand } from "../../support/program.ts";
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

const eventsOf = async (run: string): Promise<Event[]> => {
  const { events } = await site.api<{ events: Event[] }>("GET", `/feed?run_id=${encodeURIComponent(run)}`);
  return events.toReversed();
};
const start = { source: "startup", model: "claude-opus-5" };

describe("a session of Claude Code", () => {
  test("is a run, with its subagents as runs below it and the task of its branch", async () => {
    const folder = join(machine.root, "checkout");
    mkdirSync(join(folder, ".git"), { recursive: true });
    writeFileSync(join(folder, ".git/HEAD"), "ref: refs/heads/fix/42-login\n");
    writeFileSync(
      join(folder, ".git/config"),
      '[remote "origin"]\n\turl = https://me:MARKER@github.com/acme/atlas.git\n',
    );
    const cwd = { cwd: folder };
    const agent = { ...cwd, agent_id: "a1", agent_type: "Explore", last_assistant_message: "MARKER" };
    for (const [name, fields] of [
      ["SessionStart", { ...cwd, ...start }],
      ["SubagentStart", agent],
      ["PostToolUse", { ...cwd, tool_input: "MARKER" }],
      ["SubagentStop", agent],
      ["SessionEnd", { ...cwd, reason: "logout" }],
    ] as const)
      expect(await machine.hook(sessionHook(session, name, fields))).toMatchObject({ code: 0, errors: "" });
    await machine.drained();
    const task = { project: "atlas", repo: "acme/atlas", issue: 42, actor: "agent:claude-code" };
    expect(await eventsOf(session)).toMatchObject([
      { ...task, kind: "run.started", summary: "Claude Code session started (startup)", model: start.model },
      { ...task, kind: "run.finished", summary: "Claude Code session ended (logout)" },
    ]);
    const sub = await eventsOf(`${session}/a1`);
    expect(sub.map(({ kind, summary }) => [kind, summary])).toEqual([
      ["run.started", "Subagent Explore started"],
      ["run.finished", "Subagent Explore ended"],
    ]);
    const run = await site.api<RunDetail>("GET", `/runs/${session}`);
    expect(run.children.map(({ id }) => id)).toEqual([`${session}/a1`]);
    expect(JSON.stringify([run, sub])).not.toContain("MARKER");
  });

  test("is idle while its agent waits for a prompt, and prints nothing then", async () => {
    const status = async () => {
      await machine.drained();
      return (await site.api<RunDetail>("GET", `/runs/${session}`)).status;
    };
    await machine.hook(sessionHook(session, "SessionStart", start));
    await machine.hook(sessionHook(session, "UserPromptSubmit"));
    expect(await status()).toBe("running");
    expect((await machine.hook(sessionHook(session, "Stop"))).output).toBe("");
    expect(await status()).toBe("idle");
    const { output } = await machine.hook(sessionHook(session, "UserPromptSubmit"));
    expect([output, await status()]).toEqual(["", "running"]);
    await machine.hook(sessionHook(session, "SessionEnd", { reason: "logout" }));
    expect(await status()).toBe("finished");
  });

  test("waits while its agent asks for an answer, until its next tool, and tools report nothing else", async () => {
    const status = async () => {
      await machine.drained();
      return (await site.api<RunDetail>("GET", `/runs/${session}`)).status;
    };
    const tool = { tool_name: "Bash", tool_input: { command: "MARKER" }, tool_response: "MARKER" };
    await machine.hook(sessionHook(session, "SessionStart", start));
    await machine.hook(sessionHook(session, "PostToolUse", tool));
    const permission = { notification_type: "permission_prompt", message: "MARKER", title: "MARKER" };
    const asked = await machine.hook(sessionHook(session, "Notification", permission));
    expect([asked.code, asked.output, await status()]).toEqual([0, "", "waiting"]);
    await machine.hook(sessionHook(session, "PostToolUse", tool));
    await machine.hook(sessionHook(session, "PostToolUse", tool));
    expect(await status()).toBe("running");
    const events = await eventsOf(session);
    expect(events.map(({ summary }) => summary)).toEqual([
      "Claude Code session started (startup)",
      "Claude Code session asks for an answer (permission prompt)",
      "Claude Code session got an answer",
    ]);
    expect(JSON.stringify(events)).not.toContain("MARKER");
  });

  test("that ends right after a failed request has failed", async () => {
    await machine.hook(sessionHook(session, "SessionStart", start));
    await machine.hook(sessionHook(session, "StopFailure", { error: "rate_limit", error_details: "MARKER" }));
    await machine.hook(sessionHook(session, "SessionEnd", { reason: "other" }));
    await machine.drained();
    expect(await site.api<RunDetail>("GET", `/runs/${session}`)).toMatchObject({
      status: "failed",
      summary: "Claude Code session failed: rate_limit",
    });
  });
});

describe("the brief", () => {
  const contextIn = (output: string): string => JSON.parse(output).hookSpecificOutput.additionalContext;
  const told = async () => (await site.api<RunDetail>("GET", `/runs/${session}`)).briefs;

  test("is given to a session that starts, with the id of its run, which shows the text that it was given", async () => {
    await machine.hook(sessionHook(`${session}-first`, "SessionStart", start)); // fills the cache
    await machine.drained();
    const { output } = await machine.hook(sessionHook(session, "SessionStart", start));
    expect(contextIn(output)).toStartWith("Brief from svc, the shared memory of this project, as of 2");
    expect(contextIn(output)).toContain(`Your run is ${session}, and svc already reports its start and end.`);
    await machine.drained();
    const [brief] = await told();
    expect(contextIn(output)).toEndWith(must(brief?.text));
  });

  test("names another session that works on the branch, and never the session itself", async () => {
    const folder = join(machine.root, "shared");
    mkdirSync(join(folder, ".git"), { recursive: true });
    writeFileSync(join(folder, ".git/HEAD"), "ref: refs/heads/fix/77-tides\n");
    const startIn = async (id: string, source: string) => {
      const { output } = await machine.hook(sessionHook(id, "SessionStart", { cwd: folder, source }));
      await machine.drained();
      return contextIn(output).match(/^.*agent:\S+ works on .*$/gm) ?? [];
    };
    const other = `${session}-other`;
    const line = (id: string) =>
      expect.stringMatching(
        new RegExp(`agent:claude-code works on issue 77, branch fix/77-tides since 2.* UTC \\(run ${id}\\)`),
      );
    expect(await startIn(session, "startup")).toEqual([]);
    expect(await startIn(other, "startup")).toEqual([line(session)]);
    expect(await startIn(session, "compact")).toEqual([line(other)]);
    await machine.hook(sessionHook(other, "SessionEnd", { cwd: folder, reason: "logout" }));
    await machine.drained();
    expect(await startIn(session, "compact")).toEqual([]);
  });

  test("comes from the cache while the server is down, and is recorded when it is back", async () => {
    await machine.hook(sessionHook(`${session}-first`, "SessionStart", start));
    await machine.drained();
    const decision = "Maps are drawn for screens";
    await site.api("POST", "/decisions", { project: "atlas", text: decision });
    const { port } = new URL(site.server.origin);
    await site.server.kill();
    const { output, code } = await machine.hook(sessionHook(session, "SessionStart", start));
    expect([code, contextIn(output).includes(decision)]).toEqual([0, false]);
    expect(contextIn(output)).toContain(`Your run is ${session}, and svc already`);
    await site.restart();
    expect(new URL(site.server.origin).port).toBe(port);
    await machine.drained();
    const [brief] = await told();
    expect(contextIn(output)).toEndWith(must(brief?.text));
  });
});

describe("the agent notices nothing", () => {
  const quiet = { code: 0, output: "", errors: "" };

  test.each([
    ["nothing", ""],
    ["no JSON", "\u0000{{{"],
    ["JSON of another shape", "[1]"],
    ["null", "null"],
    ["no session", JSON.stringify({ hook_event_name: "SessionStart" })],
    ["an unknown hook", JSON.stringify(sessionHook("s", "__proto__"))],
    ["more than fits", JSON.stringify(sessionHook("s", "SessionStart", { prompt: "x".repeat(5_000_000) }))],
  ])("when the input is %s", async (_, input) => {
    expect(await machine.hook(input)).toMatchObject(quiet);
    expect(machine.waiting()).toEqual([]);
  });

  test("when it is not connected, unknown, or its connections are damaged", async () => {
    const input = sessionHook(session, "SessionStart", start);
    expect(await machine.hook(input, "codex")).toMatchObject(quiet);
    expect(await machine.hook(input, "constructor")).toMatchObject(quiet);
    writeFileSync(join(machine.root, "config/svc/connections.json"), "{");
    expect(await machine.hook(input)).toMatchObject(quiet);
    writeFileSync(join(machine.root, "config/svc/connections.json"), '{"connections":[]}');
  });

  test("when nothing can be written", async () => {
    await using full = await openHookMachine();
    full.connect(site.server.origin, site.token);
    writeFileSync(join(full.root, "state"), "a file where the folder should be");
    expect(await full.hook(sessionHook(session, "SessionEnd", {}))).toMatchObject(quiet);
    const { output } = await full.hook(sessionHook(session, "SessionStart", start));
    expect(output).toContain("Brief from svc");
  });
});

test("what an agent wrote is reported though it leaves the pipe open", async () => {
  const command = [...programCommand(), "hook", "claude-code"];
  const child = Bun.spawn(command, { env: machine.env, cwd: machine.root, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.write(JSON.stringify(sessionHook(session, "SessionEnd", { reason: "logout" })));
  await child.stdin.flush();
  expect(await child.exited).toBe(0);
  await machine.drained();
  expect(await eventsOf(session)).toMatchObject([{ kind: "run.finished" }]);
});

test("a subagent that Copilot CLI 1.0.102 starts is reported, though its hook is not named", async () => {
  await using other = await openHookMachine();
  other.connect("http://127.0.0.1:9", "svc_x", null, "copilot");
  const input = { sessionId: session, agentName: "general-purpose", parent_agent_id: session };
  await other.hook({ ...input, agent_id: "a1", agent_type: "general-purpose" }, "copilot");
  const [waiting] = other.waiting();
  const report = await Bun.file(join(other.spool, must(waiting))).json();
  expect(report).toMatchObject({ report: { event: { kind: "run.started", run_id: `${session}/a1` } } });
});

test("what the server refuses is set aside and named, and blocks nothing", async () => {
  await machine.drained();
  await site.server.kill();
  await machine.hook(sessionHook(`${session}-a`, "SessionEnd"));
  await machine.hook(sessionHook("event:7", "SessionEnd")); // an id that only the service gives
  await machine.hook(sessionHook(`${session}-b`, "SessionEnd"));
  await site.restart();
  await machine.drained();
  for (const run of ["a", "b"]) expect(await eventsOf(`${session}-${run}`)).toHaveLength(1);
  const { refused, refusals } = machine.status();
  expect([refused, refusals.map(({ run_id }) => run_id)]).toEqual([1, ["event:7"]]);
  expect(must(refusals[0]).reason).toContain("the prefix event: is reserved");
  expect(readdirSync(join(machine.spool, "refused"))).toHaveLength(1);
});

test("a token that is not valid keeps what waits until the connection has another one", async () => {
  await machine.drained();
  machine.connect(site.server.origin, "svc_revoked");
  await machine.hook(sessionHook(session, "SessionEnd"));
  const error = () => machine.status().destinations[0]?.error;
  await until(() => error() != null, "the refusal");
  expect(error()).toContain("token");
  expect(machine.waiting()).toHaveLength(1);
  machine.connect(site.server.origin, site.token);
  await machine.drained();
  expect(await eventsOf(session)).toHaveLength(1);
  expect(error()).toBeNull();
});

test("a token that may not read memory, and a damaged file of connections, stop no report", async () => {
  await using other = await openHookMachine();
  other.connect(site.server.origin, await site.mint(`writer-${session}`, ["feed:write"]));
  const path = join(other.root, "config/svc/connections.json");
  const connections = readFileSync(path, "utf8");
  await other.hook(sessionHook(session, "SessionStart", start));
  await until(() => other.waiting().length === 0, "the first report");
  await other.hook(sessionHook(session, "SessionEnd"));
  await other.drained();
  expect(await eventsOf(session)).toHaveLength(2);
  other.connect("http://127.0.0.1:9", site.token);
  await other.hook(sessionHook(`${session}-b`, "SessionEnd"));
  writeFileSync(path, "{");
  const error = () => other.status().destinations.at(-1)?.error ?? "";
  await until(() => error().includes("is damaged"), "the reason");
  writeFileSync(path, connections.replace(/"server": "[^"]*"/, '"server": "http://127.0.0.1:9"'));
  expect(other.waiting()).toHaveLength(1);
});

test("what waits is readable for the user alone, and holds no token", async () => {
  await machine.drained();
  machine.connect("http://127.0.0.1:9", site.token);
  await machine.hook(sessionHook(session, "SessionEnd", { cwd: machine.root }));
  const [name] = machine.waiting();
  const path = join(machine.spool, must(name));
  expect([statSync(path).mode & 0o777, statSync(machine.spool).mode & 0o777]).toEqual([0o600, 0o700]);
  const text = readFileSync(path, "utf8");
  expect(text).not.toContain("MARKER");
  expect(text).not.toContain(site.token);
});
