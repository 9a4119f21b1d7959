/**
 * Readers of a live tail, a process of its own: so many bare sockets, and a writer beside them, whose clock
 * is theirs.
 */
import type { Socket } from "bun";
import { quantile } from "../../support/process-times.ts";

export interface Tail {
  url: string;
  /** Of the stream. */
  path: string;
  readers: number;
  /** Events a second, for so long. */
  rate: number;
  forMs: number;
  /** Names of tokens that take turns: one alone may not hold so many streams. */
  tokens: string[];
}

process.on("message", async (tail: Tail) => process.send?.(await listen(tail)));

/** @returns milliseconds from sending an event to having it at a reader, that 99 of 100 do not exceed */
async function listen({ url, path, readers, rate, forMs, tokens }: Tail): Promise<number> {
  const { hostname, port } = new URL(url);
  const waits: number[] = [];
  const open: Socket[] = [];
  const tokenOf = (index: number) => tokens[index % tokens.length] as string;
  for (let index = 0; index < readers; index += 100) {
    const some = Array.from({ length: Math.min(100, readers - index) }, (_, offset) =>
      connect(tokenOf(index + offset)),
    );
    open.push(...(await Promise.all(some)));
  }
  const count = Math.round((forMs / 1000) * rate);
  const begun = performance.now();
  for (let event = 0; event < count; event++) {
    await Bun.sleep(Math.max(0, begun + (event * 1000) / rate - performance.now()));
    void append();
  }
  const all = readers * count;
  for (let left = 100; waits.length < all && left > 0; left--) await Bun.sleep(100);
  for (const socket of open) socket.terminate();
  if (waits.length !== all) throw new Error(`${url}: ${waits.length} of ${all} events came`);
  return quantile(waits, 0.99);

  async function append(): Promise<void> {
    const body = JSON.stringify({
      events: [
        { kind: "run.started", actor: "agent:bench", summary: `sent at ${performance.now().toFixed(3)} ms` },
      ],
    });
    const headers = { authorization: `Bearer ${tokenOf(0)}`, "content-type": "application/json" };
    const response = await fetch(`${url}/api/v1/events`, { method: "POST", headers, body });
    if (!response.ok)
      throw new Error(`the append was answered with ${response.status}: ${await response.text()}`);
  }

  /** Resolves once the stream has begun. */
  function connect(token: string): Promise<Socket> {
    const begun = Promise.withResolvers<Socket>();
    let found = "";
    void Bun.connect({
      ...{ hostname, port: Number(port) },
      socket: {
        open: (socket) =>
          void socket.write(
            `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\n\r\n`,
          ),
        data(socket, bytes) {
          const now = performance.now();
          found += bytes.toString("latin1");
          if (found.includes("retry: ")) begun.resolve(socket);
          for (let end = found.indexOf("\n\n"); end >= 0; end = found.indexOf("\n\n")) {
            const sent = /sent at ([\d.]+) ms/.exec(found.slice(0, end))?.[1];
            if (sent) waits.push(now - Number(sent));
            found = found.slice(end + 2);
          }
        },
        close: () => begun.reject(new Error(`${url} closed a stream: ${found.slice(0, 200)}`)),
      },
    });
    return begun.promise;
  }
}
