/**
 * Runs the commands of one test process, one after the other, in a process of their own: what is new for
 * each are its environment, folder and output.
 */
import { createRequire } from "node:module";
import type { CommandCall, CommandResult } from "./command.ts";

// Of this process they are fixed when it starts.
const os = createRequire(import.meta.url)("node:os");
os.homedir = () => process.env.HOME ?? "/";
// The output of a command is written with it.
const fs = createRequire(import.meta.url)("node:fs");
const { writeSync } = fs;
const [spawn, spawnSync, which] = [Bun.spawn, Bun.spawnSync, Bun.which];
const inEnvironment = (options: object = {}) => ({ env: process.env, ...options });
Object.assign(Bun, {
  spawn: (command: string[], options?: object) => spawn(command, inEnvironment(options)),
  spawnSync: (command: string[], options?: object) => spawnSync(command, inEnvironment(options)),
  which: (name: string) => which(name, { PATH: process.env.PATH ?? "" }),
});
const binary = process.env.SVC_TEST_BINARY;
if (binary) {
  // What a command starts is the executable under test, as if that ran the command.
  process.execPath = binary;
  const asExecutable = (source: string) => source.replaceAll("Bun.isStandaloneExecutable", "true");
  const filter = /\/cli\/(open|agents\/(connect\/hook-command|spool\/start-sender))\.ts$/;
  const load = async ({ path }: { path: string }) =>
    ({ contents: asExecutable(await Bun.file(path).text()), loader: "ts" }) as const;
  Bun.plugin({ name: "executable", setup: (build) => void build.onLoad({ filter }, load) });
}
const { runWords } = await import("../../../cli/run-command.ts");

/** Thrown where a program would end. */
class Ended extends Error {
  override name = "Ended";
}

let write: (to: "output" | "errors", text: string) => void = () => {};
let end: (code: number) => void = () => {};
const startFolder = process.cwd();

for (const [stream, to] of [
  [process.stdout, "output"],
  [process.stderr, "errors"],
] as const)
  stream.write = ((text: string | Uint8Array, ...rest: unknown[]) => {
    write(to, typeof text === "string" ? text : new TextDecoder().decode(text));
    const onWritten = rest.at(-1);
    if (typeof onWritten === "function") queueMicrotask(() => onWritten());
    return true;
  }) as typeof stream.write;

fs.writeSync = (descriptor: number, bytes: Uint8Array, ...rest: number[]) => {
  if (descriptor !== 1) return writeSync(descriptor, bytes, ...rest);
  write("output", new TextDecoder().decode(bytes));
  return bytes.byteLength;
};

process.exit = (code) => {
  end(Number(code ?? process.exitCode ?? 0));
  throw new Ended();
};

/** A command that has ended may still throw, where nobody waits for it. */
const settle = (error: unknown) => {
  if (error instanceof Ended) return;
  write("errors", `uncaught: ${(error as Error)?.stack ?? error}\n`);
  end(1);
};
process.on("uncaughtException", settle);
process.on("unhandledRejection", settle);

async function run({ words, env, folder }: CommandCall): Promise<CommandResult> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(folder ?? startFolder);
  process.exitCode = 0;
  const listeners = new Map(process.eventNames().map((name) => [name, process.listeners(name as "exit")]));
  const result: CommandResult = { code: 0, output: "", errors: "" };
  const ended = Promise.withResolvers<number>();
  write = (to, text) => void (result[to] += text);
  end = (code) => {
    ended.resolve(code);
    [write, end] = [() => {}, () => {}];
  };
  const settled = runWords(words).then(() => end(Number(process.exitCode ?? 0)), settle);
  result.code = await ended.promise;
  await Promise.race([settled, Bun.sleep(100)]);
  for (const name of process.eventNames())
    for (const one of process.listeners(name as "exit"))
      if (!listeners.get(name)?.includes(one)) process.removeListener(name, one);
  return result;
}

let last: Promise<unknown> = Promise.resolve();
process.on("message", ({ id, ...call }: CommandCall & { id: number }) => {
  last = last.then(async () => process.send?.({ id, ...(await run(call)) }));
});
