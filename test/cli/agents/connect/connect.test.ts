/** svc connect and svc disconnect: what they write, keep, refuse and undo. */
import { describe, expect, test } from "bun:test";
import { chmod, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { briefCharsDefault } from "../../../../src/overview/brief/schema.ts";
import { agentHome } from "../../../support/agents/agent-home.ts";
import { jsonLines, useLinkedServer } from "../../../support/agents/linked-server.ts";

const linked = useLinkedServer();
/** A home on the machine that holds the database. */
const home = () => agentHome({ SVC_DATABASE_URL: linked.database.url });

const userFiles: [agent: string, files: string[]][] = [
  ["claude-code", [".claude/settings.json", ".claude.json"]],
  ["codex", [".codex/config.toml", ".codex/hooks.json"]],
  ["gemini", [".gemini/settings.json"]],
  ["cursor", [".cursor/mcp.json", ".cursor/hooks.json"]],
  ["copilot", [".copilot/mcp-config.json", ".copilot/hooks/svc.json"]],
  ["opencode", [".config/opencode/opencode.json", ".config/opencode/plugins/svc.js"]],
  ["vscode", [".config/Code/User/mcp.json"]],
];
const projectFiles: [agent: string, files: string[]][] = [
  ["claude-code", ["repository/.claude/settings.local.json", ".claude.json"]],
  ["codex", ["repository/.codex/config.toml", "repository/.codex/hooks.json"]],
  ["gemini", ["repository/.gemini/settings.json"]],
  ["cursor", ["repository/.cursor/mcp.json", "repository/.cursor/hooks.json"]],
  ["copilot", [".copilot/mcp-config.json", "repository/.github/hooks/svc.json"]],
  ["opencode", ["repository/opencode.json", "repository/.opencode/plugins/svc.js"]],
  ["vscode", ["repository/.vscode/mcp.json"]],
];

const token = /svc_\w{40}/;

describe.each(userFiles)("for %s, a machine without settings", (agent, files) => {
  test("gets them, is checked, stays the same the second time, and loses them again", async () => {
    await using machine = await home();
    const connected = await machine.svc(["connect", agent, "--yes"]);
    expect([connected.code, connected.errors]).toEqual([
      0,
      expect.stringContaining("is connected to atlas on"),
    ]);
    const texts = await Promise.all(files.map(machine.read));
    expect(texts.join("")).toContain(linked.server.origin);
    expect(connected.output).not.toMatch(token);
    for (const file of files) expect((await stat(join(machine.path, file))).mode & 0o777).toBe(0o600);

    const again = await machine.svc(["connect", agent, "--yes"]);
    expect([again.code, again.output]).toEqual([0, ""]);
    expect(again.errors).toContain("(nothing to change)");
    expect(await Promise.all(files.map(machine.read))).toEqual(texts);

    expect((await machine.svc(["disconnect", agent, "--yes"])).code).toBe(0);
    expect(await Promise.all(files.map(machine.read))).toEqual(files.map(() => null));
    expect((await machine.svc(["connect", "--list"])).errors).toContain("No agent is connected.");
  });
});

test.each(projectFiles)(
  "for %s, --scope project puts no token where it can be committed",
  async (agent, files) => {
    await using machine = await home();
    const { code } = await machine.svc(["connect", agent, "--yes", "--scope", "project"]);
    expect(code).toBe(0);
    for (const file of files) expect(await machine.read(file)).not.toBeNull();
    const git = (...args: string[]) => Bun.spawnSync(["git", ...args], { cwd: machine.repository });
    git("add", "--all");
    expect(git("diff", "--cached").stdout.toString()).not.toMatch(token);
    const again = await machine.svc(["connect", agent, "--yes", "--scope", "project"]);
    expect(again.errors).toContain("(nothing to change)");
    const away = await machine.svc(["disconnect", agent, "--yes", "--scope", "project"]);
    expect(away.code).toBe(0);
    for (const file of files) expect(await machine.read(file)).toBeNull();
  },
);

test("a dry run shows the changes, and writes and creates nothing", async () => {
  await using machine = await home();
  const tokens = async () => jsonLines((await machine.svc(["token", "list", "--json"])).output).length;
  const before = await tokens();
  const { code, output } = await machine.svc(["connect", "claude-code", "--dry-run"]);
  expect(code).toBe(0);
  expect(output).toContain(`+++ ${machine.path}/.claude/settings.json\n`);
  expect(output).toContain('+    "SessionStart": [\n');
  expect([await machine.read(".claude.json"), await machine.read(".config/svc/connections.json")]).toEqual([
    null,
    null,
  ]);
  expect(await tokens()).toBe(before);
});

test("without --yes and without a terminal to ask on, nothing is written", async () => {
  await using machine = await home();
  const { code, errors } = await machine.svc(["connect", "cursor"]);
  expect([code, errors]).toEqual([2, expect.stringContaining("Add --yes")]);
  expect(await machine.read(".cursor/mcp.json")).toBeNull();
});

const ownSettings = '\uFEFF{\r\n  // mine\r\n  "model": "opus",\r\n  "env": { "A": "1" } // of env\r\n}\r\n';

test("settings that were there stay, come back byte for byte and with their mode, and keep their link", async () => {
  await using machine = await home();
  await machine.write("dotfiles/claude.json", ownSettings);
  await machine.write(".claude/x", "");
  await chmod(join(machine.path, "dotfiles/claude.json"), 0o640);
  await symlink("../dotfiles/claude.json", join(machine.path, ".claude/settings.json"));
  expect((await machine.svc(["connect", "claude-code", "--yes"])).code).toBe(0);
  const text = (await machine.read("dotfiles/claude.json")) ?? "";
  for (const part of [
    "\uFEFF{\r\n  // mine\r\n",
    '"model": "opus"',
    '}, // of env\r\n  "hooks": {\r\n',
    '"A": "1"',
    "hook claude-code",
  ])
    expect(text).toContain(part);
  const mode = async () => (await stat(join(machine.path, "dotfiles/claude.json"))).mode & 0o777;
  expect(await mode()).toBe(0o600);
  expect((await machine.svc(["disconnect", "claude-code", "--yes"])).code).toBe(0);
  expect(await machine.read("dotfiles/claude.json")).toBe(ownSettings);
  expect(await mode()).toBe(0o640);
});

test("what changed since stays when svc disconnects", async () => {
  await using machine = await home();
  await machine.write(".cursor/mcp.json", '{"mcpServers": {"svc": {"command": "svc"}}}');
  expect((await machine.svc(["connect", "cursor", "--yes"])).code).toBe(0);
  const servers = (await machine.json(".cursor/mcp.json")).mcpServers as object;
  await machine.write(
    ".cursor/mcp.json",
    JSON.stringify({ mcpServers: { ...servers, mine: { command: "x" } } }),
  );
  expect((await machine.svc(["disconnect", "cursor", "--yes"])).code).toBe(0);
  expect(await machine.json(".cursor/mcp.json")).toEqual({
    mcpServers: { svc: { command: "svc" }, mine: { command: "x" } },
  });
});

describe("nothing is written", () => {
  test.each([
    ["is not valid JSON", '{"mcpServers": '],
    ["mcpServers is not an object", '{"mcpServers": []}'],
    ["is not a JSON object", "[]"],
  ])("if a file %s", async (reason, text) => {
    await using machine = await home();
    await machine.write(".cursor/hooks.json", '{"version": 1}');
    await machine.write(".cursor/mcp.json", text);
    const { code, errors } = await machine.svc(["connect", "cursor", "--yes"]);
    expect([code, errors.split("\n").length]).toEqual([1, 2]);
    expect(errors).toContain(`Cannot change ${machine.path}/.cursor/mcp.json: `);
    expect(errors).toContain(reason);
    expect([await machine.read(".cursor/mcp.json"), await machine.read(".cursor/hooks.json")]).toEqual([
      text,
      '{"version": 1}',
    ]);
  });

  test("if a file is read-only", async () => {
    await using machine = await home();
    await machine.write(".cursor/hooks.json", "{}");
    await chmod(join(machine.path, ".cursor/hooks.json"), 0o444);
    const { code, errors } = await machine.svc(["connect", "cursor", "--yes"]);
    expect([code, errors]).toEqual([1, expect.stringContaining("/.cursor/hooks.json: ")]);
    expect(await machine.read(".cursor/mcp.json")).toBeNull();
  });

  test("if git tracks the file that would hold the token", async () => {
    await using machine = await home();
    await machine.write("repository/.claude/settings.local.json", "{}");
    Bun.spawnSync(["git", "add", "--force", "."], { cwd: machine.repository });
    const { code, errors } = await machine.svc(["connect", "claude-code", "--yes", "--scope", "project"]);
    expect([code, errors]).toEqual([1, expect.stringContaining("the token would end up in a commit")]);
    expect(await machine.read("repository/.claude/settings.local.json")).toBe("{}");
    expect(await machine.read(".claude.json")).toBeNull();
  });
});

test("next to the plugin of Claude Code, only telemetry and the connection are added", async () => {
  await using machine = await home();
  await machine.write(".claude/settings.json", '{"enabledPlugins": {"svc@svc": true}}');
  expect((await machine.svc(["connect", "claude-code", "--yes"])).code).toBe(0);
  expect(Object.keys(await machine.json(".claude/settings.json"))).toEqual(["enabledPlugins", "env"]);
  expect(await machine.read(".claude.json")).toBeNull();
});

test("Codex is told to give a session the whole brief, in every script", async () => {
  await using machine = await home();
  await machine.svc(["connect", "codex", "--yes"]);
  const { hooks } = (await machine.json(".codex/hooks.json")) as { hooks: Record<string, unknown> };
  const limit = Number(/"additionalContextLimit":(\d+)/.exec(JSON.stringify(hooks.SessionStart))?.[1]);
  // It counts four bytes as a token. A character of a brief takes three in most scripts.
  expect(limit).toBeGreaterThan((briefCharsDefault * 3) / 4);
  expect(JSON.stringify(hooks.SessionEnd)).not.toContain("additionalContextLimit"); // it warns of it
});

test("telemetry that goes elsewhere still does", async () => {
  await using machine = await home();
  const env = { OTEL_LOGS_EXPORTER: "otlp", OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.test" };
  await machine.write(".claude/settings.json", JSON.stringify({ env }));
  await machine.write(
    ".codex/config.toml",
    '[otel]\nexporter = { otlp-grpc = { endpoint = "https://c.test" } }\n',
  );
  await machine.write(".gemini/settings.json", '{"telemetry": {"enabled": true, "target": "gcp"}}');
  for (const agent of ["claude-code", "codex", "gemini-cli"]) {
    const { code, errors } = await machine.svc(["connect", agent, "--yes"]);
    expect([agent, code, errors]).toEqual([
      agent,
      0,
      expect.stringContaining("sends its telemetry elsewhere"),
    ]);
  }
  expect((await machine.json(".claude/settings.json")).env).toEqual(env);
  expect((await machine.json(".gemini/settings.json")).telemetry).toEqual({ enabled: true, target: "gcp" });
  expect(await machine.read(".codex/config.toml")).not.toContain("/api/otlp");
});

test("an interrupted run is completed by the next one, with the same token", async () => {
  await using machine = await home();
  await machine.svc(["connect", "cursor", "--yes"]);
  const hooks = (await machine.read(".cursor/hooks.json")) ?? "";
  const servers = await machine.read(".cursor/mcp.json");
  await machine.write(".cursor/hooks.json", "{}"); // as if it had been killed between the files
  expect((await machine.svc(["connect", "cursor", "--yes"])).code).toBe(0);
  expect(JSON.parse((await machine.read(".cursor/hooks.json")) ?? "")).toEqual(JSON.parse(hooks));
  expect(await machine.read(".cursor/mcp.json")).toBe(servers);
});
