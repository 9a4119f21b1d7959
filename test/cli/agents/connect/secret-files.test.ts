/** Tokens that svc connect and svc login write: never into a commit, a file of others, or a terminal. */
import { describe, expect, test } from "bun:test";
import { chmod, mkdir, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { agents } from "../../../../src/core/agents/agents.ts";
import { allScopes, roles } from "../../../../src/core/auth/scopes.ts";
import { type AgentHome, agentHome } from "../../../support/agents/agent-home.ts";
import { useLinkedServer } from "../../../support/agents/linked-server.ts";
import { must, programToken, rowsOf } from "../../../support/harness.ts";

const agentToken = "a-token-of-an-agent-in-the-environment";
const telemetryToken = "a-token-of-telemetry-in-the-environment";
const linked = useLinkedServer({
  SVC_API_TOKENS: [
    `${programToken}:${allScopes.join(",")}`,
    `${agentToken}:${roles.agent.scopes.join(",")}`,
    `${telemetryToken}:telemetry:write`,
  ].join(";"),
});
/** A home on the machine that holds the database. */
const home = () => agentHome({ SVC_DATABASE_URL: linked.database.url });

const token = /svc_\w{40}/;

/** A repository in the home, with what git would commit of it. */
function repositoryOf(machine: AgentHome, folder: string) {
  const git = (...args: string[]) =>
    Bun.spawnSync(["git", "-C", join(machine.path, folder), ...args]).stdout.toString();
  git("init", "--quiet");
  return {
    git,
    committable: () => {
      git("add", "--all");
      return git("diff", "--cached", "--name-only").split("\n").filter(Boolean).sort();
    },
  };
}

const tokenCount = async () => (await rowsOf(linked.database.url, "select name from tokens")).length;

describe("a link that leads into a repository", () => {
  test("ends svc connect before it creates a token, if git tracks the file", async () => {
    await using machine = await home();
    await machine.write("dotfiles/claude/settings.json", "{}");
    repositoryOf(machine, "dotfiles").git("add", ".");
    await mkdir(join(machine.path, ".claude"));
    await symlink("../dotfiles/claude/settings.json", join(machine.path, ".claude/settings.json"));
    const before = await tokenCount();
    for (const flags of [["--yes"], ["--dry-run"]]) {
      const { code, errors } = await machine.svc(["connect", "claude-code", ...flags]);
      expect([code, errors]).toEqual([1, expect.stringContaining("the token would end up in a commit")]);
      expect(errors).toContain(`git -C ${machine.path}/dotfiles rm --cached claude/settings.json`);
    }
    expect(await machine.read("dotfiles/claude/settings.json")).toBe("{}");
    expect([await machine.read(".claude.json"), await tokenCount()]).toEqual([null, before]);
  });

  test("makes git ignore the file if it does not track it, also below a linked folder", async () => {
    await using machine = await home();
    await machine.write("dotfiles/README", "mine");
    await mkdir(join(machine.path, "dotfiles/cursor"));
    await symlink("dotfiles/cursor", join(machine.path, ".cursor"));
    const dotfiles = repositoryOf(machine, "dotfiles");
    const { code, errors } = await machine.svc(["connect", "cursor", "--yes"]);
    expect([code, errors]).toEqual([0, expect.stringContaining("so git ignores it now")]);
    expect(await machine.read("dotfiles/cursor/mcp.json")).toMatch(token);
    expect(dotfiles.committable()).toEqual(["README", "cursor/hooks.json"]);
  });

  test("holds for the files of svc itself, and for svc login", async () => {
    await using machine = await home();
    await machine.write("dotfiles/svc/README", "mine");
    await mkdir(join(machine.path, ".config"));
    await symlink("../dotfiles/svc", join(machine.path, ".config/svc"));
    const dotfiles = repositoryOf(machine, "dotfiles");
    const steps: [string[], string][] = [
      [["connect", "cursor", "--yes", "--scope", "project"], ""],
      [["login", linked.server.origin], `${programToken}\n`],
    ];
    for (const [args, input] of steps) expect((await machine.svc(args, {}, input)).code).toBe(0);
    expect(await machine.read("dotfiles/svc/login.json")).toContain(programToken);
    expect(await machine.read("dotfiles/svc/tokens/cursor-atlas.env")).toMatch(token);
    expect(dotfiles.committable()).toEqual(["svc/README"]);

    dotfiles.git("add", "--force", "svc/login.json");
    const again = await machine.svc(["login", linked.server.origin], {}, `${programToken}\n`);
    expect([again.code, again.errors]).toEqual([1, expect.stringContaining("would end up in a commit")]);
  });
});

test("a file that others could read is for the user alone while it holds a token", async () => {
  await using machine = await home();
  await machine.write(".cursor/mcp.json", "{}");
  await machine.write(".cursor/hooks.json", "{}");
  const modeOf = async (name: string) => (await stat(join(machine.path, ".cursor", name))).mode & 0o777;
  for (const name of ["mcp.json", "hooks.json"]) await chmod(join(machine.path, ".cursor", name), 0o644);
  const { errors } = await machine.svc(["connect", "cursor", "--yes"]);
  expect(errors).toContain(
    "mcp.json holds a token, so only you can read it now: its mode was 644 and is 600.",
  );
  expect([await modeOf("mcp.json"), await modeOf("hooks.json")]).toEqual([0o600, 0o644]);
  await chmod(join(machine.path, ".cursor/mcp.json"), 0o644);
  expect((await machine.svc(["connect", "cursor", "--yes"])).code).toBe(0);
  expect(await modeOf("mcp.json")).toBe(0o600);
  expect((await machine.svc(["disconnect", "cursor", "--yes"])).code).toBe(0);
  expect([await machine.read(".cursor/mcp.json"), await modeOf("mcp.json")]).toEqual(["{}", 0o644]);
});

test.each(["user", "project"])(
  "in the scope %s, no command prints a token, whichever the agent",
  async (scope) => {
    await using machine = await home();
    // All agents are found, by the folders of their settings.
    for (const folder of [
      ".claude",
      ".codex",
      ".gemini",
      ".cursor",
      ".copilot",
      ".config/opencode",
      ".config/Code/User",
    ])
      await mkdir(join(machine.path, folder), { recursive: true });
    const foreign = "ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789";
    const mine = JSON.stringify({ mcpServers: { x: { env: { X_TOKEN: foreign } } } }, null, 2);
    await machine.write(".cursor/mcp.json", mine);
    await machine.write("repository/.cursor/mcp.json", mine);
    const flags = ["--scope", scope, "--yes"];
    const own = [...flags, "--server", linked.server.origin, "--token-stdin"];
    const shown = [
      await machine.svc(["connect", ...flags, "--dry-run"]),
      await machine.svc(["connect", ...flags]),
      // Tokens of another form, from the environment of the server.
      await machine.svc(["connect", ...own], {}, `${agentToken}\n${telemetryToken}\n`),
      await machine.svc(["connect", ...own, "--json"], {}, `${agentToken}\n${telemetryToken}\n`),
    ];
    // Where settings refer to a variable, its value is in a file.
    const path = /: \. (\S+)/.exec(must(shown[1]).errors)?.[1];
    expect(path !== undefined).toBe(scope === "project");
    if (path) expect(await Bun.file(path).text()).toContain(`export SVC_TOKEN=${agentToken}\n`);
    shown.push(await machine.svc(["disconnect", ...flags]));
    expect(shown.map(({ code, errors }) => [code, errors])).toEqual(shown.map(() => [0, expect.anything()]));
    for (const { label } of Object.values(agents)) expect(must(shown[2]).errors).toContain(label);
    for (const { output, errors } of shown) {
      expect(output + errors).not.toMatch(token);
      for (const secret of [agentToken, telemetryToken, foreign])
        expect(output + errors).not.toContain(secret);
    }
    expect(must(shown[0]).output).toContain('"X_TOKEN": "ghp_AbCd…"');
    if (path) expect(await Bun.file(path).exists()).toBe(false);
  },
);
