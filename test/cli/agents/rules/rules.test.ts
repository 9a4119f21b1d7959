/** svc rules: the files that it keeps in a repository. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type AgentHome, agentHome } from "../../../support/agents/agent-home.ts";
import { useLinkedServer } from "../../../support/agents/linked-server.ts";
import { command } from "../../../support/commands/command.ts";
import { programToken } from "../../../support/harness.ts";

const linked = useLinkedServer();
const remote = () => ({ SVC_URL: linked.server.origin, SVC_TOKEN: programToken });
let agentToken = "";
beforeAll(async () => {
  const local = { SVC_DATABASE_URL: linked.database.url, SVC_DATA_DIR: linked.folder.path };
  agentToken = (await command(["token", "create", "codex", "--role", "agent"], local)).output.trim();
  await command(["decide", "atlas", "No force push."], remote());
  await command(["decide", "atlas", "Use tabs."], { ...remote(), SVC_TOKEN: agentToken });
});

const homes: AgentHome[] = [];
afterAll(() => Promise.all(homes.map((home) => home[Symbol.asyncDispose]())));
async function repository() {
  const home = await agentHome({});
  homes.push(home);
  return {
    path: home.repository,
    rules: (...args: string[]) => home.svc(["rules", "atlas", ...args], remote()),
    svcWith: (token: string, ...args: string[]) => home.svc(args, { ...remote(), SVC_TOKEN: token }),
    read: (path: string) => home.read(`repository/${path}`),
    write: (path: string, text: string) => home.write(`repository/${path}`, text),
  };
}

test("writes AGENTS.md, and says nothing changed after that", async () => {
  const repo = await repository();
  const { code, output, errors } = await repo.rules();
  expect([code, output, errors]).toEqual([0, "", "AGENTS.md: written.\n"]);
  const text = (await repo.read("AGENTS.md")) ?? "";
  expect(text).toMatch(/^- Decision \d+ \(.+, \d{4}-\d\d-\d\d\): No force push\.$/m);
  expect(text).not.toContain("Use tabs."); // an agent proposed it
  expect((await repo.rules("--json")).output).toBe(
    `${JSON.stringify({ path: "AGENTS.md", changed: false, conflict: false })}\n`,
  );
  expect(await repo.read("AGENTS.md")).toBe(text);
  expect(statSync(join(repo.path, "AGENTS.md")).mode & 0o777).toBe(0o644);
  expect(await repo.read("CLAUDE.md")).toBeNull();
});

test("--check fails while a file is behind, and writes nothing", async () => {
  const repo = await repository();
  const behind = await repo.rules("--check");
  expect([behind.code, behind.errors]).toEqual([
    1,
    "AGENTS.md: behind.\nsvc: Behind: AGENTS.md. Run svc rules.\n",
  ]);
  expect(await repo.read("AGENTS.md")).toBeNull();
  await repo.rules();
  expect((await repo.rules("--check")).code).toBe(0);
});

test("keeps the files of agents that are used here, and no decision twice for one of them", async () => {
  const repo = await repository();
  mkdirSync(join(repo.path, ".cursor"));
  mkdirSync(join(repo.path, ".claude"));
  await repo.write("GEMINI.md", "@./AGENTS.md\n");
  const first = await repo.rules();
  const paths = ["AGENTS.md", ".claude/rules/svc.md", ".cursor/rules/svc.mdc"];
  expect(first.errors).toBe(paths.map((path) => `${path}: written.\n`).join(""));
  expect(await repo.read(".cursor/rules/svc.mdc")).toMatch(
    /^---\n.*\nalwaysApply: true\n---\n\n<!-- svc rules/,
  );
  const asked = await repo.rules("--file", "CLAUDE.md,.github/copilot-instructions.md");
  expect(asked.errors).toContain("CLAUDE.md: written.\n");
  expect((await repo.rules()).errors).toContain(".github/copilot-instructions.md: up to date.\n");
});

test("a link to AGENTS.md is left out, and CLAUDE.md has the block in place of .claude/rules", async () => {
  const repo = await repository();
  await repo.write("AGENTS.md", "# Mine\n");
  symlinkSync("AGENTS.md", join(repo.path, "GEMINI.md"));
  await repo.write("CLAUDE.md", "# Claude\n");
  mkdirSync(join(repo.path, ".claude"));
  expect((await repo.rules()).errors).toBe("AGENTS.md: written.\nCLAUDE.md: written.\n");
});

test("--remove leaves the files as they were, and deletes those that it created", async () => {
  const repo = await repository();
  await repo.write("CLAUDE.md", "# Claude");
  mkdirSync(join(repo.path, ".cursor"));
  await repo.rules();
  expect((await repo.rules("--remove")).errors).toContain("CLAUDE.md: removed.\n");
  expect([await repo.read("AGENTS.md"), await repo.read(".cursor/rules/svc.mdc")]).toEqual([null, null]);
  expect(await repo.read("CLAUDE.md")).toBe("# Claude");
  expect((await repo.rules("--remove")).errors).toBe("No file has decisions of svc.\n");
});

test("says that it repaired a conflict, and stops before writing if a block is broken", async () => {
  const repo = await repository();
  await repo.rules();
  const text = (await repo.read("AGENTS.md")) ?? "";
  await repo.write(
    "AGENTS.md",
    text.replace("- Decision", "<<<<<<< a\n- x\n=======\n- y\n>>>>>>> b\n- Decision"),
  );
  expect((await repo.rules("--check")).errors).toContain("behind (a merge conflict touches its block).");
  expect((await repo.rules()).errors).toBe("AGENTS.md: written (repaired a merge conflict).\n");
  expect(await repo.read("AGENTS.md")).toBe(text);
  await repo.write("AGENTS.md", text.split("\n").slice(0, -2).join("\n"));
  const { code, errors } = await repo.rules();
  expect([code, errors]).toEqual([
    1,
    expect.stringContaining("AGENTS.md: line 1 begins a block that does not"),
  ]);
});

test("refuses other files, and both flags at once", async () => {
  const repo = await repository();
  expect((await repo.rules("--file", "README.md")).errors).toContain('Unknown file "README.md".');
  expect((await repo.rules("--check", "--remove")).code).toBe(2);
});

test("svc connect offers it until the block is there", async () => {
  const repo = await repository();
  const connect = () => repo.svcWith(agentToken, "connect", "cursor", "--project", "atlas", "--yes");
  const offer = "To keep its confirmed decisions in AGENTS.md, run svc rules atlas.";
  expect((await connect()).errors).toContain(offer);
  await repo.rules();
  expect((await connect()).errors).not.toContain(offer);
});
