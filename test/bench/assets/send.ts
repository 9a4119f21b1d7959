/**
 * Sends one large body, a process of its own: a bare socket and one block over and over, so that it costs
 * less than what it measures.
 */
import { setPriority } from "node:os";
import type { Socket } from "bun";

export interface Large {
  url: string;
  method: "POST" | "PUT";
  headers: Record<string, string>;
  /** Around `size` bytes of the block. */
  before: string;
  size: number;
  after: string;
}

// A client elsewhere would not take any of this machine's time.
setPriority(10);

const block = Buffer.alloc(2 ** 20, "What is sent is the same in every run, and in every block. ");

process.on("message", async (large: Large) => process.send?.(await send(large)));

/** @returns seconds until the whole answer was there */
async function send({ url, method, headers, before, size, after }: Large): Promise<number> {
  const { hostname, port, host, pathname } = new URL(url);
  const length = before.length + size + after.length;
  const fields = Object.entries({ host, "content-length": `${length}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const pieces = function* () {
    yield Buffer.from(`${method} ${pathname} HTTP/1.1\r\n${fields.join("")}\r\n${before}`);
    for (let sent = 0; sent < size; sent += block.length) yield block.subarray(0, size - sent);
    yield Buffer.from(after);
  };
  const answered = Promise.withResolvers<string>();
  const left = pieces();
  let piece = Buffer.alloc(0);
  const flush = (socket: Socket) => {
    for (;;) {
      if (piece.length === 0) {
        const next = left.next();
        if (next.done) return;
        piece = next.value;
      }
      piece = piece.subarray(socket.write(piece));
      if (piece.length > 0) return; // `drain` asks for the rest
    }
  };
  const start = performance.now();
  const socket = await Bun.connect({
    ...{ hostname, port: Number(port) },
    socket: {
      open: flush,
      drain: flush,
      data: (_, bytes) => answered.resolve(bytes.toString("latin1")),
      close: () => answered.reject(new Error(`${url} closed the connection`)),
    },
  });
  const answer = await answered.promise;
  const seconds = (performance.now() - start) / 1000;
  socket.terminate();
  if (!answer.startsWith("HTTP/1.1 20")) throw new Error(`${url} answered: ${answer}`);
  return seconds;
}
