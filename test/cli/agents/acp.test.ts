/** `svc acp`: the agent gets its brief, every other byte passes on, and the session is a run. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Run, RunPage } from "../../../src/feed/runs/schema.ts";
import type { RunDetail } from "../../../src/overview/runs/schema.ts";
import { type HookMachine, openHookMachine } from "../../support/agents/hook-machine.ts";
import { must, programCommand, until } from "../../support/harness.ts";
import { openTestServer, type TestServer } from "../../support/test-server.ts";

let site: TestServer;
let machine: HookMachine;
const decision = "Maps are drawn for screens, not for paper";
beforeAll(async () => {
  [site, machine] = await Promise.all([openTestServer(), openHookMachine()]);
  await site.api("POST", "/decisions", { project: "atlas", text: decision });
});
afterAll(async () => {
  await machine.close();
  await site[Symbol.asyncDispose]();
});

const agentFile = join(import.meta.dir, "../../support/agents/acp-agent.ts");
let count = 0;

interface Editor {
  session: string;
  /** Writes bytes as they are. */
  write(bytes: string | Uint8Array): void;
  /** Resolves when the agent has written the text. */
  sees(text: string): Promise<void>;
  /** What the agent has read so far. */
  record(): string;
  output(): string;
  /** Closes the input of the proxy. @returns its exit code */
  end(): Promise<number>;
}

/** Starts an editor whose agent is behind the proxy. */
function startEditor(env: Record<string, string> = {}, proxy = ["acp", "--project", "atlas"]): Editor {
  const session = `acp-session-${++count}`;
  const record = join(machine.root, `record-${count}`);
  const child = Bun.spawn([...programCommand(), ...proxy, "--", process.execPath, agentFile, record], {
    cwd: machine.root,
    env: {
      ...machine.env,
      SVC_URL: site.server.origin,
      SVC_TOKEN: site.token,
      SVC_HOOK_WAIT_MS: "30000",
      ACP_SESSION: session,
      ...env,
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  const read = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) output += decoder.decode(chunk, { stream: true });
  })();
  return {
    session,
    write: (bytes) => {
      child.stdin.write(bytes);
      child.stdin.flush();
    },
    sees: (text) => until(() => output.includes(text), text),
    record: () => {
      try {
        return readFileSync(record, "utf8");
      } catch {
        return "";
      }
    },
    output: () => output,
    end: async () => {
      child.stdin.end();
      await read;
      return child.exited;
    },
  };
}

const initialize = `${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: 1 } })}\n`;
const newSession = (id: number) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method: "session/new", params: { cwd: machine.root, mcpServers: [] } })}\n`;
/** With spaces, escapes and a number that no serializer writes so. */
const prompt = (id: number, session: string, text: string) =>
  `{"jsonrpc": "2.0", "id": ${id}, "method": "session/prompt", "params": {"n": 1.0e2, ` +
  `"sessionId": "${session}", "prompt": [ {"type": "text", "text": "MARKER-PROMPT \\u00e9 ${text}"} ]}}\n`;

async function begin(editor: Editor): Promise<void> {
  editor.write(initialize);
  await editor.sees("protocolVersion");
  editor.write(newSession(1));
  await editor.sees(editor.session);
}

async function runOf(session: string, status: Run["status"]): Promise<RunDetail> {
  const find = async () =>
    (await site.api<RunPage>("GET", "/runs")).runs.find((one) => one.id === session && one.status === status);
  await until(find, `the run ${session} to be ${status}`);
  return site.api<RunDetail>("GET", `/runs/${session}`);
}

describe("a session", () => {
  test("starts with its brief, and is a run with its steps; no prompt leaves the machine", async () => {
    const editor = startEditor();
    await begin(editor);
    const [first, second] = [prompt(2, editor.session, "work"), prompt(3, editor.session, "again")] as const;
    editor.write(first);
    await editor.sees('"id":2');
    editor.write(second);
    await editor.sees('"id":3');
    expect(await editor.end()).toBe(0);
    const lines = editor.record().split("\n");
    const [given = "", plain = ""] = lines.filter((line) => line.includes("MARKER-PROMPT"));
    const blocks = JSON.parse(given).params.prompt;
    expect(blocks).toHaveLength(2);
    expect(blocks[1].type).toBe("text");
    expect(blocks[1].text).toContain(decision);
    expect(blocks[1].text).toContain(`Your run is ${editor.session}`);
    expect(given.replace(`,${JSON.stringify(blocks[1])}`, "")).toBe(first.trimEnd());
    expect(`${plain}\n`).toBe(second);
    expect(editor.output()).toContain('{ "jsonrpc":"2.0", "method":"_x/unknown"');
    expect(editor.output()).toContain('"big":12345678901234567890,"u":"\\u00e9é"');
    const run = await runOf(editor.session, "finished");
    expect(run).toMatchObject({ actor: "agent:scripted", cost_equiv: 0.25, project: "atlas" });
    expect(run.summary).toBe("scripted session ended (2 prompts, 1 tool call)");
    expect(run.steps).toBe(2);
    const stored = JSON.stringify(run);
    expect(stored).not.toContain("MARKER");
    expect(stored).not.toContain("SECRET");
    await until(
      async () => (await site.api<RunDetail>("GET", `/runs/${editor.session}`)).brief !== null,
      "the brief that it was given",
    );
  });

  test("of an agent that takes context gets it as a resource, and a command gets none", async () => {
    const editor = startEditor({ ACP_EMBEDDED: "1", ACP_NAME: "@agentclientprotocol/claude-agent-acp" });
    await begin(editor);
    const command = prompt(2, editor.session, "x").replace("MARKER-PROMPT", "/clear");
    editor.write(command);
    editor.write(prompt(3, editor.session, "hello"));
    await editor.sees('"id":3');
    await editor.end();
    expect(editor.record()).toContain(command);
    const line = must(
      editor
        .record()
        .split("\n")
        .find((one) => one.includes("MARKER-PROMPT")),
    );
    expect(JSON.parse(line).params.prompt[1]).toMatchObject({
      type: "resource",
      resource: { uri: "svc://brief", text: expect.stringContaining(decision) },
    });
    expect((await runOf(editor.session, "finished")).actor).toBe("agent:claude-code");
  });

  test("waits while the agent asks for permission", async () => {
    const editor = startEditor();
    await begin(editor);
    editor.write(prompt(2, editor.session, "ask"));
    await editor.sees("ask-1");
    await runOf(editor.session, "waiting");
    editor.write(`${JSON.stringify({ jsonrpc: "2.0", id: "ask-1", result: { outcome: {} } })}\n`);
    await editor.sees('"id":2');
    await editor.end();
    await runOf(editor.session, "finished");
  });

  test("of an agent that crashes or fails a prompt has failed", async () => {
    const crashed = startEditor();
    await begin(crashed);
    crashed.write(prompt(2, crashed.session, "crash"));
    expect(await crashed.end()).toBe(3);
    expect((await runOf(crashed.session, "failed")).summary).toContain("failed: exit code 3");
    const failed = startEditor();
    await begin(failed);
    failed.write(prompt(2, failed.session, "fail"));
    await failed.sees("-32603");
    expect(await failed.end()).toBe(0);
    const { summary } = await runOf(failed.session, "failed");
    expect(summary).toBe("scripted session failed: prompt error -32603 (1 prompt, 0 tool calls)");
  });
});

describe("what the proxy does not understand passes on", () => {
  test("without a line break, longer than it holds, or not JSON", async () => {
    const editor = startEditor();
    await begin(editor);
    const huge = new Uint8Array(66 * 2 ** 20).fill(0x61);
    const odd = Buffer.concat([Buffer.from("not json\n\n"), Uint8Array.of(0xff, 0xfe, 10), huge]);
    editor.write(odd);
    editor.write("\n");
    editor.write(prompt(2, editor.session, "hello"));
    await editor.sees('"id":2');
    editor.write("no line break");
    expect(await editor.end()).toBe(0);
    const record = readFileSync(join(machine.root, `record-${count}`));
    const at = record.indexOf("not json");
    expect(record.subarray(at, at + odd.length + 1).equals(Buffer.concat([odd, Buffer.from("\n")]))).toBe(
      true,
    );
    expect(editor.record()).toEndWith("no line break");
    expect(editor.record()).toContain(decision);
  }, 120_000);

  test("and a server that is down or hangs costs only the brief", async () => {
    await using hanging = Bun.serve({ port: 0, fetch: () => new Promise<Response>(() => {}) });
    for (const url of ["http://127.0.0.1:9", hanging.url.origin]) {
      const editor = startEditor({ SVC_URL: url, SVC_HOOK_WAIT_MS: "300" });
      await begin(editor);
      editor.write(prompt(2, editor.session, "hello"));
      await editor.sees('"id":2');
      expect(await editor.end()).toBe(0);
      expect(editor.record()).toContain("No brief from svc");
    }
  });

  test("and without a server, the agent is as it was", async () => {
    const editor = startEditor({ SVC_URL: "", SVC_TOKEN: "" }, ["acp"]);
    await begin(editor);
    const sent = prompt(2, editor.session, "hello");
    editor.write(sent);
    await editor.sees('"id":2');
    expect(await editor.end()).toBe(0);
    expect(editor.record()).toBe(initialize + newSession(1) + sent);
  });
});

test("a missing command is an error of one line", async () => {
  const child = Bun.spawn([...programCommand(), "acp", "--", "no-such-agent"], {
    env: machine.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  expect(await new Response(child.stderr).text()).toBe("svc: no-such-agent: command not found\n");
  expect(await child.exited).toBe(127);
});
