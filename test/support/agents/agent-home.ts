/** A home with settings of agents, and a repository, for the tests of `svc connect`. */
import { mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Environment } from "../../../src/core/config.ts";
import { type CommandResult, commandIn } from "../commands/command.ts";
import { programCommand, programEnvironment } from "../harness.ts";

export interface AgentHome extends AsyncDisposable {
  path: string;
  /** A git repository whose origin is `acme/atlas`. */
  repository: string;
  /** Runs a command in the repository. */
  svc(args: string[], env?: Environment, input?: string): Promise<CommandResult>;
  /** The text of a file in the home; null if there is none. */
  read(path: string): Promise<string | null>;
  json(path: string): Promise<Record<string, unknown>>;
  write(path: string, text: string): Promise<void>;
}

/** @param env variables of every command, such as the database */
export async function agentHome(env: Environment): Promise<AgentHome> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "svc-agent-home-")));
  const repository = join(path, "repository");
  await mkdir(repository);
  const git = (...args: string[]) => Bun.spawnSync(["git", "-C", repository, ...args]);
  git("init", "--quiet");
  git("remote", "add", "origin", "git@github.com:Acme/Atlas.git");
  const environment = programEnvironment({
    ...{ HOME: path, XDG_CONFIG_HOME: join(path, ".config"), XDG_STATE_HOME: join(path, ".state") },
    ...env,
  });
  const read = async (file: string) => {
    // Bun.file().text() drops a byte order mark.
    return readFile(join(path, file), "utf8").catch(() => null);
  };
  return {
    ...{ path, repository, read },
    json: async (file) => JSON.parse((await read(file)) ?? "null"),
    async write(file, text) {
      await mkdir(dirname(join(path, file)), { recursive: true });
      await Bun.write(join(path, file), text);
    },
    async svc(args, more = {}, input = "") {
      if (input === "")
        return commandIn({ ...environment, ...(more as Record<string, string>) }, args, repository);
      const child = Bun.spawn([...programCommand(), ...args], {
        cwd: repository,
        env: { ...environment, ...(more as Record<string, string>) },
        stdin: new Blob([input]),
        stdout: "pipe",
        stderr: "pipe",
      });
      const [output = "", errors = ""] = await Promise.all(
        [child.stdout, child.stderr].map((stream) => new Response(stream).text()),
      );
      return { code: await child.exited, output, errors };
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
