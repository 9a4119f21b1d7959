/**
 * MCP: the first answer of `svc mcp`, and `svc_get_feed` over HTTP, against the least that the same library
 * can do.
 */
import { join } from "node:path";
import { makeDatabase } from "./events.ts";
import { measureStdio } from "./mcp-stdio.ts";
import { firing, inRounds, median, type Place, type Result, ratioOf } from "./measure.ts";
import { againstPeer, servePrebuilt } from "./peers.ts";
import { compilePlain } from "./plain.ts";

const eventCount = 10_000;
const startRounds = 21;
const startRatioMax = 1.5;
const callRounds = 15;
const callRatioMin = 0.6;
const forMs = 400;
const connections = 8;

export async function measureMcp(place: Place, svc: string): Promise<Result[]> {
  await makeDatabase(place.path("mcp.db"), eventCount);
  const env = { SVC_DATABASE_URL: `sqlite:${place.path("mcp.db")}`, SVC_DATA_DIR: place.path(".") };
  return [
    ...(await measureStart(place, svc, env)),
    ...(await measureStdio(svc, env)),
    ...(await measureCalls(place, svc, env)),
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
      ...{ aim: `at most ${startRatioMax.toFixed(2)} x`, reached: ratio <= startRatioMax },
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

/** What is called, and what the echo is given to say: a word, or as much as a page of the feed holds. */
const calls = [
  { limit: 1, echo: "a word", aim: true },
  { limit: 50, echo: "a page", aim: true },
  { limit: 50, echo: "a word", aim: false },
] as const;

async function measureCalls(place: Place, svc: string, env: Record<string, string>): Promise<Result[]> {
  const ours = await place.serve([svc, "serve"], {
    ...env,
    SVC_PORT: "0",
    SVC_RATE_LIMIT: "off",
    SVC_PUBLIC_READ: "1",
  });
  const plain = await place.serve([process.execPath, join(import.meta.dir, "plain/mcp-echo.ts")]);
  const page = await (await fetch(new URL("/api/v1/feed?limit=50", ours))).text();
  const sendLoad = (url: string, name: string, args: object) =>
    firing(place, { url, connections, forMs, requests: [toolCall(name, args)] });
  const prebuilt = await servePrebuilt(place, page);
  const runs = {
    "1": sendLoad(ours, "svc_get_feed", { limit: 1 }),
    "50": sendLoad(ours, "svc_get_feed", { limit: 50 }),
    "a word": sendLoad(plain, "echo", { text: "a word" }),
    "a page": sendLoad(plain, "echo", { text: page }),
    prebuilt: sendLoad(prebuilt, "none", {}),
  };
  const found = await inRounds(callRounds, runs);
  const said = (name: keyof typeof found) => runs[name].says(found[name], "calls");
  const peer = againstPeer(
    "svc_get_feed over MCP, events: 1",
    "server-everything, an echo over HTTP",
    found["1"],
    found.prebuilt,
    2.5,
  );
  const against = calls.map(({ limit, echo, aim }) => {
    const ratio = ratioOf(found[`${limit}`], found[echo]);
    return {
      ...{
        measure: `svc_get_feed over MCP, ${limit} ${limit === 1 ? "event" : "events"}, against an echo of ${echo}`,
        svc: said(`${limit}`),
        ceiling: said(echo),
      },
      ...{
        ratio,
        aim: aim ? `at least ${callRatioMin.toFixed(2)} x` : "none",
        reached: !aim || ratio >= callRatioMin,
      },
    };
  });
  return [...against, peer];
}

function toolCall(name: string, args: object): string {
  const { headers, body } = toolMessage(name, args);
  const fields = { Host: "localhost", ...headers, "Content-Length": Buffer.byteLength(body) };
  const lines = Object.entries(fields).map(([field, value]) => `${field}: ${value}`);
  return `POST /mcp HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
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
