/**
 * MCP on standard input and output, beside server-everything, which runs on Node.js as its users run it: how
 * soon the first response is there, and what calls cost one at a time and 16 at once. Its `echo` reads
 * nothing and checks one argument.
 */
import { compareCpu, type Sample, type Side } from "../measuring/load.ts";
import { inRounds, median, type Place, type Result, ratioOf } from "../measuring/measure.ts";
import { cpuSeconds } from "../measuring/process-cost.ts";
import { type Measure, resultOf } from "../measuring/targets.ts";

/** Not a dependency: its package names a license that it does not contain. */
const peer = "@modelcontextprotocol/server-everything";
const peerVersion = "2026.8.31";

const rounds = 5;
const inFlight = 16;
const runMs = 500;
/** As long as a page of 50 events. */
const page = "a word ".repeat(3_500);

/** @param env of svc, with a log in it. @returns nothing without Node.js or the package registry */
export async function measureStdio(
  place: Place,
  svc: string,
  env: Record<string, string>,
): Promise<Result[]> {
  const node = Bun.which("node");
  const installed = await installPeer(place);
  if (!node || !installed) return [];
  const open = {
    svc: () => Session.open([svc, "mcp"], env),
    peer: () => Session.open([node, installed, "stdio"], {}),
  };
  const start = (side: () => Promise<Session>) => async () => {
    const startedAt = performance.now();
    const session = await side();
    const took = performance.now() - startedAt;
    await session.close();
    return took;
  };
  const starts = await inRounds(rounds, { svc: start(open.svc), peer: start(open.peer) });
  const [ours, theirs] = [await open.svc(), await open.peer()];
  const calls = {
    info: ours.caller("svc_get_info", {}),
    one: ours.caller("svc_get_feed", { limit: 1 }),
    fifty: ours.caller("svc_get_feed", { limit: 50 }),
    word: theirs.caller("echo", { message: "a word" }),
    page: theirs.caller("echo", { message: page }),
  };
  const times = await inRounds(rounds, {
    info: calls.info.medianTime,
    one: calls.one.medianTime,
    word: calls.word.medianTime,
  });
  const results = await compareCpu(
    mapValues(calls, ({ concurrent }) => concurrent),
    [
      ["svc_get_info on stdio, 16 in flight, against the echo of server-everything", "info", "word"],
      ["svc_get_feed on stdio, 1 event, 16 in flight, against an echo of a word", "one", "word"],
      ["svc_get_feed on stdio, 50 events, 16 in flight, against an echo of a page", "fifty", "page"],
    ],
    { unit: "calls", rounds: 3 },
  );
  await Promise.all([ours.close(), theirs.close()]);
  return [
    timed("svc mcp, first response on stdio, against server-everything", starts.svc, starts.peer),
    timed(
      "svc_get_info on stdio, median call, against the echo of server-everything",
      times.info,
      times.word,
    ),
    timed("svc_get_feed on stdio, 1 event, median call, against an echo of a word", times.one, times.word),
    ...results,
  ];
}

/** @returns its program, or null if it cannot be installed */
async function installPeer(place: Place): Promise<string | null> {
  const cwd = place.path("server-everything");
  await Bun.write(`${cwd}/package.json`, "{}");
  const install = Bun.spawn([process.execPath, "add", "--exact", `${peer}@${peerVersion}`], {
    ...{ cwd, stdio: ["ignore", "ignore", "ignore"] },
  });
  return (await install.exited) === 0 ? `${cwd}/node_modules/${peer}/dist/index.js` : null;
}

function timed(measure: Measure, ours: number[], theirs: number[]): Result {
  const ms = (times: number[]) => `${median(times).toFixed(3)} ms`;
  return { ...resultOf(measure, ms(ours), ms(theirs), ratioOf(ours, theirs), median(ours)), rounds: ours };
}

const mapValues = <N extends string, V, W>(values: Record<N, V>, change: (value: V) => W) =>
  Object.fromEntries(
    Object.entries<V>(values).map(([name, value]) => [name, change(value)]),
  ) as unknown as Record<N, W>;

const newline = 10;

/** A program after the handshake that both speak. */
class Session {
  #id = 0;
  /** Called for each line. */
  #onLine: (line: Uint8Array) => void = () => {};

  constructor(readonly program: Bun.Subprocess<"pipe", "pipe", "ignore">) {
    void this.#read();
  }

  static async open(command: string[], env: Record<string, string>): Promise<Session> {
    const session = new Session(Bun.spawn(command, { env, stdio: ["pipe", "pipe", "ignore"] }));
    await session.#ask("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "bench", version: "1.0.0" },
    });
    session.#send({ method: "notifications/initialized" });
    return session;
  }

  /** Measures calls of a tool. */
  caller(name: string, args: object): { medianTime(): Promise<number>; concurrent: Side } {
    const params = { name, arguments: args };
    return {
      medianTime: async () => {
        const times: number[] = [];
        for (const end = performance.now() + runMs; performance.now() < end; ) {
          const startedAt = performance.now();
          const line = await this.#ask("tools/call", params);
          times.push(performance.now() - startedAt);
          if (times.length === 1) requireResult(line);
        }
        return median(times);
      },
      concurrent: () => this.#callConcurrently(params),
    };
  }

  async #callConcurrently(params: object): Promise<Sample> {
    const done = Promise.withResolvers<void>();
    const [startedAt, startCpu, peerCpu] = [
      performance.now(),
      process.cpuUsage(),
      cpuSeconds(this.program.pid),
    ];
    let [answers, pending] = [0, inFlight];
    const call = () => this.#send({ id: ++this.#id, method: "tools/call", params });
    this.#onLine = () => {
      answers++;
      if (performance.now() - startedAt < runMs) call();
      else if (--pending === 0) done.resolve();
    };
    for (let index = 0; index < inFlight; index++) call();
    await done.promise;
    const seconds = (performance.now() - startedAt) / 1000;
    const { user, system } = process.cpuUsage(startCpu);
    const cpu = (cpuSeconds(this.program.pid) - peerCpu) / answers;
    return { answers, rate: answers / seconds, cpu, busy: (user + system) / 1e6 / seconds };
  }

  async close(): Promise<void> {
    this.program.kill("SIGKILL");
    await this.program.exited;
  }

  #send(message: object): void {
    this.program.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    this.program.stdin.flush();
  }

  /** @returns the response, ignoring notifications before it */
  #ask(method: string, params: object): Promise<string> {
    const id = ++this.#id;
    const response = Promise.withResolvers<string>();
    this.#onLine = (line) => {
      const text = Buffer.from(line).toString();
      if (text.includes(`"id":${id}`)) response.resolve(text);
    };
    this.#send({ id, method, params });
    return response.promise;
  }

  async #read(): Promise<void> {
    let rest: Uint8Array = new Uint8Array();
    for await (const chunk of this.program.stdout) {
      const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      let start = 0;
      for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
        this.#onLine(bytes.subarray(start, end));
        start = end + 1;
      }
      rest = bytes.slice(start);
    }
  }
}

function requireResult(line: string): void {
  const { result } = JSON.parse(line) as { result?: { isError?: boolean } };
  if (!result || result.isError) throw new Error(`a call failed: ${line}`);
}
