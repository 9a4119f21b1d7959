/** The program as a child process. */
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { allScopes } from "../../src/core/auth/scopes.ts";
import type { Environment } from "../../src/core/config.ts";
import { scale } from "../faults/promises.ts";
import { until } from "./conditions.ts";
import type { TestDatabase } from "./database/database.ts";
import { type Closable, closable } from "./resources.ts";
import { programSettings } from "./runtime-settings.ts";

/** Of the environment tokens that every started program knows. */
export const programToken = "test-token-with-every-scope";

export interface Program extends Closable {
  process: Bun.Subprocess<"ignore", "pipe", "pipe">;
  /** All that came so far. */
  output(): string;
  errors(): string;
  /** Resolves with the exit code after all output was read. */
  ended: Promise<number>;
}

export interface Server extends Program {
  origin: string;
  /** Sends SIGTERM. @returns the exit code */
  terminate(): Promise<number>;
  /** Sends SIGKILL, as close to a power cut as a process gets. */
  kill(): Promise<void>;
}

export const sourceRoot = dirname(dirname(import.meta.dir));

/** The command of the program: the executable that the suite built, or the source if there is none. */
export function programCommand(): [string, ...string[]] {
  const binary = process.env.SVC_TEST_BINARY;
  return binary ? [binary] : [process.execPath, join(sourceRoot, "cli/main.ts")];
}

/** The same, as a shell reads it. */
export const shellCommand = (): string =>
  programCommand()
    .map((word) => `'${word}'`)
    .join(" ");

/** The command of the child process that parses uploads: the executable starts and parses three times as fast. */
export function probeCommand(): [string, ...string[]] {
  const binary = process.env.SVC_TEST_BINARY;
  return binary ? [binary, "probe"] : [process.execPath, join(sourceRoot, "cli/probe.ts")];
}

const runtimeSettings = scale === "suite" ? programSettings : {};

/** The user of every test program, as a shell names it: without it, a command has to ask `id`. */
export const programUser = process.env.USER || Bun.spawnSync(["id", "-un"]).stdout.toString().trim();

/** Where the program of a database keeps files, unless a test says it: not in the checkout. */
const dataFolder = (databaseUrl: string): string =>
  join(tmpdir(), "svc-test-data", Bun.hash(databaseUrl).toString(36));

/** The environment of a test program: only what it needs, and `env`. */
export function programEnvironment(env: Environment = {}): Record<string, string> {
  const { PATH, HOME, TMPDIR } = process.env;
  // No login of the user who runs the tests: it would send commands to a server.
  const XDG_CONFIG_HOME = join(tmpdir(), "svc-test-no-config");
  // No reports that wait to be sent either.
  const XDG_STATE_HOME = join(tmpdir(), "svc-test-no-state");
  const user = { USER: programUser, HOME };
  const { SVC_DATABASE_URL } = env;
  const own = {
    ...{ PATH, ...user, TMPDIR, XDG_CONFIG_HOME, XDG_STATE_HOME, NO_COLOR: "1", ...runtimeSettings },
    ...(SVC_DATABASE_URL && { SVC_DATA_DIR: dataFolder(SVC_DATABASE_URL) }),
  };
  const entries = Object.entries({ ...own, ...env });
  return Object.fromEntries(entries.filter((one): one is [string, string] => one[1] !== undefined));
}

/** Starts the program as a child process. @param through a command that runs it, such as `nice` */
export function runProgram(args: string[], env: Environment = {}, through: string[] = []): Program {
  const child = Bun.spawn([...through, ...programCommand(), ...args], {
    env: programEnvironment(env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, errors] = [collectText(child.stdout), collectText(child.stderr)];
  const close = async () => {
    child.kill("SIGKILL");
    await child.exited;
  };
  const ended = Promise.all([child.exited, output.end, errors.end]).then(([code]) => code);
  return { process: child, output: output.text, errors: errors.text, ended, ...closable(close) };
}

/** Runs the program until it exits. */
export async function program(
  args: string[],
  env: Environment = {},
): Promise<{ code: number; output: string; errors: string }> {
  const running = runProgram(args, env);
  const code = await running.ended;
  return { code, output: running.output(), errors: running.errors() };
}

/** Starts `svc serve` on a free port and waits until it prints its URL. */
export async function startServer(
  database: Pick<TestDatabase, "url">,
  env: Environment = {},
  flags = ["--port", "0"],
  through: string[] = [],
): Promise<Server> {
  const all = {
    SVC_DATABASE_URL: database.url,
    SVC_RATE_LIMIT: "off",
    SVC_API_TOKENS: `${programToken}:${allScopes.join(",")}`,
    ...env,
  };
  const running = runProgram(["serve", ...flags], all, through);
  const child = running.process;
  await until(
    () => /http:\/\/.*\n/.test(running.output()) || child.exitCode !== null || child.signalCode !== null,
    "the start line",
  );
  const origin = /http:\/\/[^\s/]+/.exec(running.output())?.[0];
  if (!origin) throw new Error(`svc serve ended: ${running.errors()}`);
  return {
    ...running,
    origin,
    async terminate() {
      child.kill("SIGTERM");
      return child.exited;
    },
    kill: running.close,
  };
}

/** Collects a stream's text. */
function collectText(stream: ReadableStream<Uint8Array>): { text(): string; end: Promise<void> } {
  let output = "";
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) output += decoder.decode(chunk, { stream: true });
  };
  return { text: () => output, end: read() };
}
