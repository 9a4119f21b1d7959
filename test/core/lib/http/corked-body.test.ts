/** A long body that waited for something arrives as any other one does. */
import { afterAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { corkedBody } from "../../../../src/core/lib/http/corked-body.ts";

const texts: Record<string, string> = {
  "short, sent as it is": "a".repeat(15_359),
  "the shortest that is corked": "a".repeat(15_360),
  "with characters of several bytes": "é✓😀".repeat(5_000),
  "the longest that is corked": "0123456789abcdef".repeat(2 ** 16),
  "longer, sent as it is": "a".repeat(2 ** 20 + 1),
};

const server = Bun.serve({
  port: 0,
  async fetch(request) {
    await new Promise(setImmediate);
    const name = new URL(request.url).searchParams.get("text") ?? "";
    return new Response(corkedBody(texts[name] ?? ""), { headers: { "content-type": "text/plain" } });
  },
});
afterAll(() => server.stop(true));
const urlOf = (name: string) => new URL(`/?${new URLSearchParams({ text: name })}`, server.url);

describe.each(Object.keys(texts))("a body %s", (name) => {
  const text = texts[name] as string;

  test("arrives whole, with its length", async () => {
    const response = await fetch(urlOf(name));
    expect(await response.text()).toBe(text);
    expect(response.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
    expect(response.headers.get("transfer-encoding")).toBeNull();
  });

  test("reaches a slow client of HTTP/1.0 whole", async () => {
    const { pathname, search, port } = urlOf(name);
    const closed = Promise.withResolvers<void>();
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), "127.0.0.1", () => {
      socket.write(`GET ${pathname}${search} HTTP/1.0\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    });
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      socket.pause();
      setImmediate(() => socket.resume());
    });
    socket.on("close", () => closed.resolve());
    await closed.promise;
    const answer = Buffer.concat(chunks).toString();
    expect(answer.slice(answer.indexOf("\r\n\r\n") + 4)).toBe(text);
  });
});
