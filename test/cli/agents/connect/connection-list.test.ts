/** What `svc connect --list` and the checks of `svc connect` say of hooks and tokens that do not work. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, copyFile, link, mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type AgentHome, agentHome } from "../../../support/agents/agent-home.ts";
import { jsonLines, useLinkedServer } from "../../../support/agents/linked-server.ts";
import { command } from "../../../support/commands/command.ts";
import { must, programCommand } from "../../../support/harness.ts";

const linked = useLinkedServer();
let stack: AsyncDisposableStack;
let machine: AgentHome;
beforeEach(async () => {
  stack = new AsyncDisposableStack();
  machine = stack.use(await agentHome({ SVC_DATABASE_URL: linked.database.url }));
});
afterEach(() => stack.disposeAsync());

const connect = (agent: string, env = {}) => machine.svc(["connect", agent, "--yes"], env);
const list = async (env = {}) => {
  const { output } = await machine.svc(["connect", "--list", "--json"], env);
  return must(jsonLines<{ hooks: string; hooks_error: string | null; error: string | null }>(output)[0]);
};

test("--list says that hooks run, are missing, cannot run, or cannot be read", async () => {
  await connect("claude-code");
  expect(await list()).toMatchObject({ hooks: "ok", hooks_error: null });
  const path = ".claude/settings.json";
  const text = must(await machine.read(path));
  const [own] = programCommand();
  await machine.write(path, text.replaceAll(own, "/gone/svc"));
  const broken = await list();
  expect(broken).toMatchObject({ hooks: "not running" });
  expect(broken.hooks_error).toContain("/gone/svc cannot be executed. Run svc connect claude-code again.");
  await machine.write(path, "{}");
  expect(await list()).toMatchObject({ hooks: "missing" });
  await rm(join(machine.path, path));
  await mkdir(join(machine.path, path));
  expect(await list()).toMatchObject({ hooks: "unreadable" });
  const { output, errors } = await machine.svc(["connect", "--list"]);
  expect(output).toMatch(/HOOKS +LAST EVENT\nClaude Code .* unreadable /);
  expect(errors).toContain(`Claude Code: Cannot read ${join(machine.path, path)}`);
});

test("--list says that a token was revoked, not that the server is away", async () => {
  await connect("cursor");
  const tokens = await command(["token", "list"], { SVC_DATABASE_URL: linked.database.url });
  const [name] = must(/^cursor-\S+/m.exec(tokens.output));
  await command(["token", "revoke", name], { SVC_DATABASE_URL: linked.database.url });
  const { output, errors } = await machine.svc(["connect", "--list"]);
  expect(output).toContain("token not valid");
  expect(output).not.toContain("server away");
  expect(errors).toContain("Cursor: This token is not valid.");
});

/** Answers `hooks/list` as the app server of Codex 0.171.0 does, with the hooks of its settings. */
const codexProgram = (trust: string) => `#!/bin/sh
exec "${process.execPath}" -e '
const { hooks } = await Bun.file(process.env.HOME + "/.codex/hooks.json").json();
const list = Object.values(hooks).flatMap(([{ hooks }]) => hooks);
for await (const line of console) {
  const { id, method, params } = JSON.parse(line);
  const data = [{ cwd: params?.cwds?.[0], hooks: list.map((hook) => ({ ...hook, trustStatus: "${trust}" })) }];
  if (id) console.log(JSON.stringify({ id, result: method === "hooks/list" ? { data } : {} }));
}'
`;

test.each([
  ["untrusted", "not trusted"],
  ["modified", "not trusted"],
  ["trusted", "ok"],
])("hooks of Codex that are %s read as %s, and as checked only if they are trusted", async (trust, hooks) => {
  const folder = join(machine.path, "bin");
  await machine.write("bin/codex", codexProgram(trust));
  await chmod(join(folder, "codex"), 0o755);
  const env = { PATH: `${folder}:${process.env.PATH}` };
  const { code, errors } = await connect("codex", env);
  expect(code).toBe(0);
  const isTrusted = hooks === "ok";
  expect(/^Checked: .*\bhooks\b/m.test(errors)).toBe(isTrusted);
  expect(errors.includes("Not checked yet: hooks. Codex skips these hooks until you trust them")).toBe(
    !isTrusted,
  );
  expect(await list(env)).toMatchObject({ hooks });
});

test("a settings file that cannot be read ends the command for its agent alone", async () => {
  await machine.write(".cursor/mcp.json", "[not JSON");
  await machine.write(".gemini/settings.json", "{}");
  const { code, errors } = await machine.svc(["connect", "--yes"], { PATH: "/usr/bin:/bin" });
  expect(code).toBe(1);
  expect(errors).toContain("Gemini CLI is connected to atlas");
  expect(errors).toContain(`svc: Cursor: Cannot change ${join(machine.path, ".cursor/mcp.json")}`);
  await machine.write(".gemini/settings.json", "[not JSON");
  await connect("copilot");
  const undone = await machine.svc(["disconnect", "--yes"]);
  expect(undone.code).toBe(1);
  expect(undone.errors).toContain("Disconnected GitHub Copilot CLI.");
});

test("a program in the cache of a package runner sets up no hooks", async () => {
  const [own, ...source] = programCommand();
  const cached = join(machine.path, ".npm/_npx/6f1c2a/svc");
  await mkdir(dirname(cached), { recursive: true });
  await link(own, cached).catch(() => copyFile(own, cached));
  const child = Bun.spawn([cached, ...source, "connect", "cursor", "--yes"], {
    cwd: machine.repository,
    env: {
      PATH: process.env.PATH,
      HOME: machine.path,
      XDG_CONFIG_HOME: join(machine.path, ".config"),
      SVC_DATABASE_URL: linked.database.url,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const errors = await new Response(child.stderr).text();
  expect(await child.exited).toBe(1);
  expect(errors).toContain(`Hooks would call ${cached}, which is in the cache of a package runner`);
  expect(await machine.read(".cursor/hooks.json")).toBeNull();
});
