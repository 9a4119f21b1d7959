/**
 * Runs a command in place of this process as far as that goes: it has the same standard input, output and
 * error, gets the signals, and its exit code is the result.
 */
import { fstatSync, writeSync } from "node:fs";
import { constants } from "node:os";

export interface CommandEnd {
  /** As a shell reports it: 128 and the number of the signal for a command that a signal ended. */
  exitCode: number;
  /** Ctrl+C was pressed, and it did not end well. */
  isCanceled: boolean;
  /** The end of what it wrote to standard error; empty if that is not read, see `readsErrors`. */
  errors: string;
  /** The environment that it had. */
  env: Record<string, string | undefined>;
  /** Why it could not be started. */
  problem: string | null;
}

const errorBytesMax = 16 * 1024;
/** How long to wait for a process that the command left behind with its standard error. */
const leftBehindMs = 1_000;
/** Ctrl+C ends the command and reaches this process at the same time; its listener may run after the end. */
const signalMs = 50;

/** Runs the command to its end. @param variables added to its environment */
export async function runChild(command: string[], variables: Record<string, string>): Promise<CommandEnd> {
  const reads = readsErrors();
  const env = { ...process.env, ...variables };
  let child: Bun.Subprocess<"inherit", "inherit", "inherit" | "pipe"> | undefined;
  // Before the command starts: a signal between its start and the listeners would end this process alone. It
  // is handled in a later turn, when `child` is set.
  let isInterrupted = false;
  const release = forwardSignals(
    (signal) => child?.kill(signal),
    () => {
      isInterrupted = true;
    },
  );
  try {
    child = Bun.spawn(command, { env, stdio: ["inherit", "inherit", reads ? "pipe" : "inherit"] });
  } catch (error) {
    release();
    return notStarted(command[0] ?? "", error as NodeJS.ErrnoException);
  }
  const tail = child.stderr instanceof ReadableStream ? passThrough(child.stderr) : null;
  const code = await child.exited;
  await Promise.race([tail?.end, Bun.sleep(tail ? leftBehindMs : 0)]);
  if (code !== 0 && process.stdin.isTTY) await Bun.sleep(signalMs);
  release();
  const signal = constants.signals[child.signalCode as NodeJS.Signals];
  const exitCode = signal ? 128 + signal : code;
  const isCanceled = exitCode !== 0 && (isInterrupted || signal === constants.signals.SIGINT);
  return { exitCode, isCanceled, errors: tail?.text() ?? "", env, problem: null };
}

/**
 * Whether standard error is read on its way. Not on a terminal, which the command must see as one; and not
 * where it is the same file as standard output, since lines could then change their order.
 */
function readsErrors(): boolean {
  if (process.stderr.isTTY) return false;
  try {
    const [output, errors] = [fstatSync(1), fstatSync(2)];
    return output.ino !== errors.ino || output.dev !== errors.dev;
  } catch {
    return false;
  }
}

const forwarded = ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;
/** A terminal sends these to the command itself. */
const fromTerminal: readonly string[] = ["SIGINT", "SIGQUIT"];

/** @returns a function that ends it */
export function forwardSignals(send: (signal: NodeJS.Signals) => void, onInterrupt: () => void): () => void {
  const listeners = forwarded.map((signal) => {
    const listener = () => {
      if (signal === "SIGINT") onInterrupt();
      if (!(process.stdin.isTTY && fromTerminal.includes(signal))) send(signal);
    };
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  return () => {
    for (const remove of listeners) remove();
  };
}

function passThrough(stream: ReadableStream<Uint8Array>): { end: Promise<void>; text(): string } {
  let tail = Buffer.alloc(0);
  const read = async () => {
    for await (const chunk of stream) {
      writeAll(chunk);
      tail = Buffer.concat([tail, chunk]).subarray(-errorBytesMax);
    }
  };
  return { end: read(), text: () => tail.toString() };
}

function writeAll(bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(2, bytes, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return; // its reader has gone
      Bun.sleepSync(1);
    }
  }
}

/** The exit codes of a shell. */
export function notStarted(program: string, { code, message }: NodeJS.ErrnoException): CommandEnd {
  const isMissing = code === "ENOENT" || /not found/i.test(message);
  const problem = isMissing
    ? `${program}: command not found`
    : `${program}: cannot be run (${code ?? message})`;
  return { exitCode: isMissing ? 127 : 126, isCanceled: false, errors: "", env: {}, problem };
}
