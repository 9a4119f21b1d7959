/** The load generator, a process of its own: bare sockets, so that it costs less than what it measures. */
import type { Socket } from "bun";
import type { Shots } from "./measure.ts";

interface Reading {
  /** Bytes of the answer that are still to come; null: its header is. */
  left: number | null;
  header: string;
}

process.on("message", async (shots: Shots) => process.send?.(await sendLoad(shots)));

/** @returns answers a second */
async function sendLoad({ url, requests, connections, forMs, encoding }: Shots): Promise<number> {
  const { hostname, port } = new URL(url);
  const finished = Promise.withResolvers<void>();
  const start = performance.now();
  let sent = 0;
  let answered = 0;
  let open = connections;
  const next = (socket: Socket<Reading>) => {
    const over = forMs === undefined ? sent === requests.length : performance.now() - start > forMs;
    if (over) return --open === 0 && finished.resolve();
    send(socket, Buffer.from(requests[sent++ % requests.length] as string, encoding));
  };
  const sockets = await Promise.all(
    Array.from({ length: connections }, () =>
      Bun.connect<Reading>({
        ...{ hostname, port: Number(port), data: { left: null, header: "" } },
        socket: {
          data(socket, bytes) {
            if (!read(socket.data, bytes, finished.reject)) return;
            answered++;
            next(socket);
          },
          drain: flush,
          close: () => finished.reject(new Error(`${url} closed a connection`)),
        },
      }),
    ),
  );
  for (const socket of sockets) next(socket);
  await finished.promise;
  const seconds = (performance.now() - start) / 1000;
  for (const socket of sockets) socket.terminate();
  return answered / seconds;
}

const unsent = new WeakMap<Socket<Reading>, Buffer>();

/** A socket takes as much as its buffer holds; `drain` asks for the rest. */
function send(socket: Socket<Reading>, request: Buffer): void {
  unsent.set(socket, request);
  flush(socket);
}

function flush(socket: Socket<Reading>): void {
  const rest = unsent.get(socket);
  if (rest?.length) unsent.set(socket, rest.subarray(socket.write(rest)));
}

/** Takes in a piece of an answer. @returns whether it is whole now */
function read(reading: Reading, bytes: Buffer, fail: (error: Error) => void): boolean {
  if (reading.left === null) {
    reading.header += bytes.toString("latin1");
    const end = reading.header.indexOf("\r\n\r\n");
    if (end < 0) return false;
    const length = /\r\ncontent-length: (\d+)/i.exec(reading.header)?.[1];
    if (!/^HTTP\/1.1 (2|304)/.test(reading.header) || (!length && !reading.header.startsWith("HTTP/1.1 304")))
      fail(new Error(`answered: ${reading.header}`));
    reading.left = Number(length ?? 0) - (reading.header.length - end - 4);
    reading.header = "";
  } else reading.left -= bytes.length;
  if (reading.left > 0) return false;
  reading.left = null;
  return true;
}
