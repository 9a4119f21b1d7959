/**
 * A scripted agent of the Agent Client Protocol, for the tests of `svc acp`: it records each byte that it
 * reads, and answers a prompt by what the prompt says.
 */
import { appendFileSync } from "node:fs";

const [record = "/dev/null"] = process.argv.slice(2);

interface Message {
  id?: unknown;
  method?: string;
  params?: { cwd?: string; sessionId?: string; prompt?: { text?: string }[] };
}

const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (sessionId: string, fields: object) =>
  send({ method: "session/update", params: { sessionId, update: fields } });

const agent = {
  protocolVersion: 1,
  agentInfo: { name: process.env.ACP_NAME ?? "scripted", version: "1.0.0" },
  agentCapabilities: { promptCapabilities: { embeddedContext: process.env.ACP_EMBEDDED === "1" } },
};

function answerPrompt(id: unknown, sessionId: string, text: string): void {
  if (text.includes("crash")) process.exit(3);
  if (text.includes("fail")) return void send({ id, error: { code: -32603, message: "SECRET reason" } });
  if (text.includes("work")) {
    update(sessionId, { sessionUpdate: "tool_call", toolCallId: "t1", kind: "edit", title: "SECRET title" });
    update(sessionId, { sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed" });
    update(sessionId, {
      sessionUpdate: "usage_update",
      used: 10,
      size: 100,
      cost: { amount: 0.25, currency: "USD" },
    });
  }
  // Bytes that no parser writes in this way: the proxy must not rewrite them.
  process.stdout.write(
    `{ "jsonrpc":"2.0", "method":"_x/unknown", "params":{"big":12345678901234567890,"u":"\\u00e9é"} }\n`,
  );
  if (text.includes("ask"))
    send({ id: "ask-1", method: "session/request_permission", params: { sessionId, options: [] } });
  else send({ id, result: { stopReason: "end_turn" } });
}

let rest: Uint8Array[] = [];
let waiting: unknown;
for await (const chunk of Bun.stdin.stream()) {
  appendFileSync(record, chunk);
  rest.push(chunk.slice());
  if (!chunk.includes(10)) continue;
  const lines = Buffer.concat(rest).toString().split("\n");
  rest = [Buffer.from(lines.pop() ?? "")];
  for (const line of lines) {
    let message: Message;
    try {
      message = JSON.parse(line);
    } catch {
      continue;
    }
    const { id, method, params } = message;
    const sessionId = params?.sessionId ?? process.env.ACP_SESSION ?? "acp-1";
    const text = params?.prompt?.[0]?.text ?? "";
    if (method === "initialize") send({ id, result: agent });
    else if (method === "session/new") send({ id, result: { sessionId } });
    else if (method === "session/prompt") {
      if (text.includes("ask")) waiting = id;
      answerPrompt(id, sessionId, text);
    } else if (id === "ask-1") send({ id: waiting, result: { stopReason: "end_turn" } });
  }
}
