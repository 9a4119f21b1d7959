/**
 * MCP: the first answer of `svc mcp`, and `svc_get_feed` over HTTP, against the least that the same library
 * can do.
 */
import { makeDatabase } from "../measuring/events.ts";
import { compareCpu, http, wrk } from "../measuring/load.ts";
import { inRounds, median, type Place, type Result, ratioOf } from "../measuring/measure.ts";
import { compilePlain } from "../measuring/plain.ts";
import { bearer, read, servePlain, serveSvc } from "../measuring/svc.ts";
import { measureStdio } from "./mcp-stdio.ts";

const eventCount = 10_000;
const startRounds = 11;
const startRatioMax = 1.5;

export async function measureMcp(place: Place, svc: string): Promise<Result[]> {
  await makeDatabase(place.path("mcp/svc.db"), eventCount);
  const env = { SVC_DATA_DIR: place.path("mcp") };
  return [
    ...(await measureStart(place, svc, env)),
    ...(await measureStdio(place, svc, env)),
    ...(await measureCalls(place, svc)),
  ];
}

async function measureStart(place: Place, svc: string, env: Record<string, string>): Promise<Result[]> {
  const plain = await compilePlain(place, "mcp-stdio");
  const found = await inRounds(startRounds, {
    svc: firstAnswer([svc, "mcp"], env),
    plain: firstAnswer([plain], {}),
  });
  const ratio = ratioOf(found.svc, found.plain);
  const ms = (times: number[]) => `${median(times).toFixed(1)} ms`;
  return [
    {
      ...{ measure: "svc mcp, first response on stdio", svc: ms(found.svc), ceiling: ms(found.plain), ratio },
      ...{ amount: median(found.svc), aim: `at most ${startRatioMax} times the library alone` },
      rounds: found.svc,
      reached: ratio <= startRatioMax,
    },
  ];
}

const initialize = {
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "1.0.0" },
  },
};

/** From the start of the process to the end of its first line. */
const firstAnswer = (command: string[], env: Record<string, string>) => async () => {
  const start = performance.now();
  const program = Bun.spawn(command, { env, stdio: ["pipe", "pipe", "inherit"] });
  program.stdin.write(`${JSON.stringify(initialize)}\n`);
  await program.stdin.flush();
  const { value } = await program.stdout.getReader().read();
  const took = performance.now() - start;
  program.kill("SIGKILL");
  await program.exited;
  if (!new TextDecoder().decode(value).includes('"serverInfo"'))
    throw new Error(`${command[0]} did not answer`);
  return took;
};

async function measureCalls(place: Place, svc: string): Promise<Result[]> {
  const ours = await serveSvc(place, svc, "mcp");
  const plain = await servePlain(place, "mcp-echo");
  const page = await read(`${ours}/api/v1/feed?limit=50`);
  const call = (url: string, name: string, args: object) => {
    const { headers, body } = toolMessage(name, args);
    return wrk(place, { url, requests: [http("POST", "/mcp", { ...bearer, ...headers }, body)] });
  };
  return compareCpu(
    {
      one: await call(ours, "svc_get_feed", { limit: 1 }),
      fifty: await call(ours, "svc_get_feed", { limit: 50 }),
      word: await call(plain, "echo", { text: "a word" }),
      page: await call(plain, "echo", { text: page }),
    },
    [
      ["svc_get_feed over MCP, 1 event, against an echo of a word", "one", "word"],
      ["svc_get_feed over MCP, 50 events, against an echo of a page", "fifty", "page"],
      ["svc_get_feed over MCP, 50 events, against an echo of a word", "fifty", "word"],
    ],
    { unit: "calls" },
  );
}

/** A call of a tool in the newest revision, which needs no session. */
export function toolMessage(name: string, args: object): { headers: Record<string, string>; body: string } {
  const revision = "2026-07-28";
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
  };
  return {
    headers: {
      ...{ "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
      ...{ "MCP-Protocol-Version": revision, "Mcp-Method": "tools/call", "Mcp-Name": name },
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args, _meta },
    }),
  };
}
