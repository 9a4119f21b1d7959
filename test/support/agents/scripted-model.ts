/**
 * A model that answers every prompt with one word, by the protocols of five agents, and a TLS server in front
 * of svc: `bun scripted-model.ts FOLDER ORIGIN`. The bodies of its requests are lines of `model.ndjson`.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";

const answer = "Done.";
const usage = { input_tokens: 100, output_tokens: 5 };

/** @param named whether each event has a line with its type */
const stream = (events: object[], named = true): Response => {
  const lines = events.map((event) => {
    const type = named ? `event: ${(event as { type: string }).type}\n` : "";
    return `${type}data: ${JSON.stringify(event)}\n\n`;
  });
  const body = lines.join("") + (named ? "" : "data: [DONE]\n\n");
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
};

/** Claude Code. */
function messages(id: string, model: string): Response {
  const message = { id, type: "message", role: "assistant", model, content: [], usage, stop_reason: null };
  return stream([
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: answer } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage },
    { type: "message_stop" },
  ]);
}

/** Codex. */
function responses(id: string): Response {
  const content = [{ type: "output_text", text: answer, annotations: [] }];
  const item = { id: `${id}_item`, type: "message", role: "assistant", status: "completed", content };
  const response = { id, object: "response", output: [item], usage: { ...usage, total_tokens: 105 } };
  return stream([
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { ...response, status: "completed" } },
  ]);
}

/** Copilot CLI and OpenCode. */
function completions(id: string, model: string, isStream: boolean): Response {
  const of = { id, created: 1, model };
  const message = { role: "assistant", content: answer };
  const last = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
  if (!isStream) return Response.json({ ...of, choices: [{ index: 0, message, finish_reason: "stop" }] });
  return stream(
    [
      { ...of, choices: [{ index: 0, delta: message }] },
      { ...of, ...last },
    ],
    false,
  );
}

/** Gemini CLI. */
function content(isStream: boolean): Response {
  const text = { role: "model", parts: [{ text: answer }] };
  const chunk = { candidates: [{ content: text, finishReason: "STOP", index: 0 }] };
  return isStream ? stream([chunk], false) : Response.json(chunk);
}

const [, , folder = "", origin = ""] = process.argv;
let count = 0;
const model = Bun.serve({
  hostname: "0.0.0.0",
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    const text = await request.text();
    appendFileSync(join(folder, "model.ndjson"), `${JSON.stringify({ pathname, text })}\n`);
    const id = `answer_${++count}`;
    const { model = "m", stream: isStream = false } = text ? JSON.parse(text) : {};
    if (pathname.endsWith("/messages")) return messages(id, model);
    if (pathname.endsWith("/responses")) return responses(id);
    if (pathname.endsWith("/chat/completions")) return completions(id, model, isStream);
    if (/generateContent$/i.test(pathname)) return content(/stream/.test(pathname));
    return Response.json({ error: "not found" }, { status: 404 });
  },
});

const tls = Bun.serve({
  hostname: "0.0.0.0",
  port: 8443,
  tls: { key: Bun.file(join(folder, "key.pem")), cert: Bun.file(join(folder, "cert.pem")) },
  async fetch(request) {
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    headers.delete("accept-encoding");
    const { method, body } = request;
    return fetch(`${origin}${pathname}${search}`, { method, headers, body, redirect: "manual" });
  },
});
process.stdout.write(`${model.port} ${tls.port}\n`);
