/**
 * The commands of the program without a process for each, which takes 50 ms of the processors: for tests of
 * what a command says and does. Those of streams, signals, terminals and child processes use `program`.
 */
import { join } from "node:path";
import type { Environment } from "../../../src/core/config.ts";
import { scale } from "../../faults/promises.ts";
import { programCommand, programEnvironment } from "../program.ts";

export interface CommandCall {
  words: string[];
  env: Record<string, string>;
  /** Where it runs; by default where the tests do. */
  folder?: string;
}

export interface CommandResult {
  code: number;
  output: string;
  errors: string;
}

/** Calls of this process by their number. */
const waiting = new Map<number, PromiseWithResolvers<CommandResult>>();
let count = 0;
let server: Bun.Subprocess | undefined;

/** The process that runs the commands of all test files of this process. */
function startServer(): Bun.Subprocess {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "server.ts")], {
    env: { ...process.env, ...programEnvironment() },
    stdio: ["ignore", "ignore", "inherit"],
    ipc({ id, ...result }: CommandResult & { id: number }) {
      waiting.get(id)?.resolve(result);
      waiting.delete(id);
    },
    onExit() {
      server = undefined;
      for (const { reject } of waiting.values()) reject(new Error("the process of the commands ended"));
      waiting.clear();
    },
  });
  child.unref();
  return child;
}

/**
 * Runs a command with no input, in the suite without a start of `svc`.
 * @param env beside that of every program of a test
 */
export const command = (words: string[], env: Environment = {}, folder?: string): Promise<CommandResult> =>
  commandIn(programEnvironment(env), words, folder);

/** The same, with this environment and nothing else. */
export function commandIn(
  env: Record<string, string>,
  words: string[],
  folder?: string,
): Promise<CommandResult> {
  if (scale !== "suite") return runProgram(env, words, folder); // proofs run what is shipped
  server ??= startServer();
  const answer = Promise.withResolvers<CommandResult>();
  const id = count++;
  waiting.set(id, answer);
  server.send({ id, words, env, ...(folder && { folder }) });
  return answer.promise;
}

async function runProgram(
  env: Record<string, string>,
  words: string[],
  cwd?: string,
): Promise<CommandResult> {
  const child = Bun.spawn([...programCommand(), ...words], {
    ...{ env, ...(cwd && { cwd }) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output = "", errors = ""] = await Promise.all(
    [child.stdout, child.stderr].map((stream) => new Response(stream).text()),
  );
  return { code: await child.exited, output, errors };
}
