/**
 * The proxy of `svc acp`: it stands between an editor and an agent that speak the Agent Client Protocol, JSON
 * lines on standard input and output. Every byte passes on as it came, but for the prompt that is given the
 * brief of its session.
 */
import { constants } from "node:os";
import { forwardSignals, notStarted } from "../wrapped-run/child-command.ts";
import { addContext } from "./add-context.ts";
import { LineSplitter } from "./line-splitter.ts";
import { AcpReader } from "./messages.ts";
import type { AcpSessions } from "./sessions.ts";

/** Longer messages pass on unread: a prompt with several images is shorter. */
const lineBytesMax = 64 * 2 ** 20;
/** How long to wait for output of a process that the agent left behind. */
const leftBehindMs = 1_000;

/** Runs the agent to its end. @returns its exit code, and why it could not be started */
export async function runProxy(
  command: string[],
  sessions: AcpSessions,
): Promise<{ exitCode: number; problem: string | null }> {
  let agent: Bun.Subprocess<"pipe", "pipe", "inherit"> | undefined;
  let isStopped = false;
  const stop = (signal: NodeJS.Signals) => {
    isStopped = true;
    agent?.kill(signal);
  };
  const release = forwardSignals(stop, () => {
    isStopped = true;
  });
  try {
    agent = Bun.spawn(command, { stdio: ["pipe", "pipe", "inherit"] });
  } catch (error) {
    release();
    return notStarted(command[0] ?? "", error as NodeJS.ErrnoException);
  }
  const reader = new AcpReader(sessions);
  const toAgent = passPrompts(Bun.stdin.stream(), agent.stdin, reader, sessions).catch(() => {});
  toAgent.then(() => agent.stdin.end()).catch(() => {}); // the agent has ended
  process.stdout.on("error", () => {}); // the editor has gone; the agent ends when its input does
  const answers = new Answers(reader);
  const passed = answers.pass(agent.stdout);
  const code = await agent.exited;
  await Promise.race([passed, answers.idle()]);
  release();
  const signal = constants.signals[agent.signalCode as NodeJS.Signals];
  const exitCode = signal ? 128 + signal : code;
  await sessions.close(exitCode === 0 || isStopped ? null : `exit code ${exitCode}`);
  return { exitCode, problem: null };
}

async function passPrompts(
  input: AsyncIterable<Uint8Array>,
  agent: Bun.FileSink,
  reader: AcpReader,
  sessions: AcpSessions,
): Promise<void> {
  const splitter = new LineSplitter(lineBytesMax);
  for await (const chunk of input) {
    for (const { bytes, isLine } of splitter.add(chunk))
      agent.write(isLine ? await withBrief(bytes, reader, sessions) : bytes);
    await agent.flush();
  }
  agent.write(splitter.end());
  await agent.flush();
}

/** The line; the first prompt of a session with its brief. */
async function withBrief(line: Uint8Array, reader: AcpReader, sessions: AcpSessions): Promise<Uint8Array> {
  try {
    const session = reader.readClient(line);
    const context = session === undefined ? null : await sessions.contextFor(session);
    const changed = context && addContext(line, context);
    if (session !== undefined && changed) sessions.markGiven(session);
    return changed ?? line;
  } catch {
    return line;
  }
}

/** Passes on what the agent writes as it comes, and reads the lines beside it. */
class Answers {
  #activeAt = performance.now();
  #isWriting = false;

  constructor(readonly reader: AcpReader) {}

  async pass(output: AsyncIterable<Uint8Array>): Promise<void> {
    const splitter = new LineSplitter(lineBytesMax);
    let isOpen = true;
    for await (const chunk of output) {
      this.#isWriting = true;
      const written: Promise<boolean> | false = isOpen && write(chunk);
      for (const { bytes, isLine } of splitter.add(chunk)) if (isLine) readQuietly(this.reader, bytes);
      isOpen = await written;
      this.#isWriting = false;
      this.#activeAt = performance.now();
    }
  }

  /** Resolves when nothing came for a while: a process that the agent left behind keeps its output open. */
  async idle(): Promise<void> {
    while (this.#isWriting || performance.now() - this.#activeAt < leftBehindMs) await Bun.sleep(20);
  }
}

/** Resolves when the bytes are written: an editor that reads slowly slows down the agent. */
const write = (bytes: Uint8Array): Promise<boolean> =>
  new Promise((resolve) => process.stdout.write(bytes, (error) => resolve(!error)));

function readQuietly(reader: AcpReader, line: Uint8Array): void {
  try {
    reader.readAgent(line);
  } catch {} // a message that svc does not understand is the editor's
}
