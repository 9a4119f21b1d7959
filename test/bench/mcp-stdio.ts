/**
 * MCP on standard input and output, beside server-everything where the machine has it: how soon the first
 * answer is there, and the others.
 */
import { inRounds, median, type Result, ratioOf } from "./measure.ts";

const peer = "mcp-server-everything";
const rounds = 15;
const calls = 400;

/** @param env of svc, with a log in it */
export async function measureStdio(svc: string, env: Record<string, string>): Promise<Result[]> {
  if (!Bun.which(peer)) return [];
  const ours = () => openSession([svc, "mcp"], env);
  const theirs = () => openSession([peer, "stdio"], { PATH: process.env.PATH ?? "" });
  const start = (open: typeof ours) => async () => {
    const begun = performance.now();
    const session = await open();
    const took = performance.now() - begun;
    await session.close();
    return took;
  };
  const starts = await inRounds(rounds, { svc: start(ours), peer: start(theirs) });
  const [one, other] = [await ours(), await theirs()];
  const called = (session: Session, name: string, args: object) => async () => {
    const took: number[] = [];
    for (let call = 0; call < calls; call++) {
      const begun = performance.now();
      await session.ask("tools/call", { name, arguments: args });
      took.push(performance.now() - begun);
    }
    return median(took);
  };
  const text = await inRounds(rounds, {
    svc: called(one, "svc_get_feed", { limit: 1 }),
    peer: called(other, "echo", { message: "a word" }),
  });
  await Promise.all([one.close(), other.close()]);
  const compared = (measure: string, found: Record<"svc" | "peer", number[]>, atMost: number): Result => {
    const ratio = ratioOf(found.svc, found.peer);
    const ms = (times: number[]) => `${median(times).toFixed(2)} ms`;
    return {
      ...{ measure, svc: ms(found.svc), ceiling: ms(found.peer), ratio },
      ...{ aim: `at most ${atMost.toFixed(2)} x`, reached: ratio <= atMost },
    };
  };
  return [
    compared("svc mcp, first response on stdio, against server-everything", starts, 0.7),
    compared(
      "svc_get_feed on stdio, one event, median call, against the echo tool of server-everything",
      text,
      1,
    ),
  ];
}

interface Session {
  ask(method: string, params: object): Promise<void>;
  close(): Promise<void>;
}

/** Of the handshake that both speak; open once it is answered. */
async function openSession(command: string[], env: Record<string, string>): Promise<Session> {
  const program = Bun.spawn(command, { env, stdio: ["pipe", "pipe", "ignore"] });
  const lines = linesOf(program.stdout);
  let id = 0;
  const tell = (message: object) => {
    program.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    program.stdin.flush();
  };
  const ask = async (method: string, params: object) => {
    tell({ id: ++id, method, params });
    for (;;) {
      const { value } = await lines.next();
      if (value === undefined) throw new Error(`${command[0]} ended`);
      const answer: { id?: number; result?: { isError?: boolean } } = JSON.parse(value);
      if (answer.id !== id) continue; // what it tells by itself
      if (!answer.result || answer.result.isError) throw new Error(`${command[0]} answered ${value}`);
      return;
    }
  };
  await ask("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "1.0.0" },
  });
  tell({ method: "notifications/initialized" });
  return {
    ask,
    async close() {
      program.kill("SIGKILL");
      await program.exited;
    },
  };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const part of stream) {
    const lines = (rest + decoder.decode(part, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
