/** Commands that an agent runs in the shell of its session. */
import { expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openHookMachine } from "../../support/agents/hook-machine.ts";
import { useLinkedServer } from "../../support/agents/linked-server.ts";
import { command } from "../../support/commands/command.ts";
import { programCommand, programToken } from "../../support/harness.ts";

const linked = useLinkedServer();

/** The variables that the agents set for the commands of a session. */
const sessions = {
  "claude-code": (id: string) => ({ CLAUDE_CODE_SESSION_ID: id }),
  codex: (id: string) => ({ CODEX_SESSION_ID: id, CODEX_THREAD_ID: id }),
} as const;

async function svc(args: string[], env: Record<string, string>, cwd: string, input = ""): Promise<string> {
  const options = { cwd, env, stdin: new Blob([input]), stdout: "pipe", stderr: "pipe" } as const;
  const child = Bun.spawn([...programCommand(), ...args], options);
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect([await child.exited, errors]).toEqual([0, expect.any(String)]);
  return output;
}

test.each(["claude-code", "codex"] as const)(
  "a command in a session of %s acts with the agent's token, and makes things for the run of the session",
  async (agent) => {
    await using machine = await openHookMachine();
    const work = join(machine.root, "work");
    await mkdir(work, { recursive: true });
    await svc(["login", linked.server.origin], machine.env, work, `${programToken}\n`);
    const created = await command(["token", "create", `agent-${agent}`, "--role", "agent"], {
      SVC_DATABASE_URL: linked.database.url,
    });
    const token = created.output.trim();
    machine.connect(linked.server.origin, token, null, agent);
    const env = { ...machine.env, ...sessions[agent](`session-of-${agent}`) };

    const who = JSON.parse(await svc(["whoami", "--json"], env, work));
    expect([who.source, who.token_source, who.token.name]).toEqual(["connect", "connect", `agent-${agent}`]);
    await Bun.write(join(work, "map.html"), `<h1>${agent}</h1>`);
    const asset = JSON.parse(
      await svc(["asset", "push", "map.html", "--project", "atlas", "--json"], env, work),
    );
    expect([asset.run_id, asset.created_by]).toEqual([`session-of-${agent}`, `token:agent-${agent}`]);

    const outside = JSON.parse(await svc(["whoami", "--json"], machine.env, work));
    expect([outside.source, outside.token_source]).toEqual(["login", "login"]);
    await Bun.write(join(work, "map.html"), `<h1>${agent}, again</h1>`);
    const named = JSON.parse(
      await svc(
        ["asset", "push", "map.html", "--project", "atlas", "--run-id", "run-7", "--json"],
        env,
        work,
      ),
    );
    expect(named.run_id).toBe("run-7");
  },
);
