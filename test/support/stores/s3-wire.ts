/** The line to a test server, which can be slow, end in the middle of an answer, or break. */
import { connect, createServer, type Socket } from "node:net";

export interface Wire {
  port: number;
  /** Connections that are open just now. */
  open(): number;
  /** Breaks the connection that reaches the server from `port`. */
  reset(port: number): void;
  /**
   * Only this many bytes of the next response pass: then the connection ends, or nothing comes any
   * more.
   */
  passOnly(port: number, bytes: number, ending: "end" | "silence"): void;
  slow(port: number, bytesPerSecond: number): void;
  /** No line is slow any more, or waits to cut an answer that was shorter than its limit. */
  hurry(): void;
  close(): Promise<void>;
}

interface Line {
  client: Socket;
  server: Socket;
  left: number;
  ending: "end" | "silence";
  bytesPerSecond: number;
}

const tickMs = 20;

export async function layWire(serverPort: number): Promise<Wire> {
  const lines = new Map<number, Line>();
  const listener = createServer((client) => {
    const server = connect(serverPort, "127.0.0.1");
    const line: Line = {
      client,
      server,
      left: Number.POSITIVE_INFINITY,
      ending: "end",
      bytesPerSecond: Number.POSITIVE_INFINITY,
    };
    let own: number | undefined;
    server.on("connect", () => lines.set((own = server.localPort as number), line));
    const end = () => {
      if (own !== undefined) lines.delete(own);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on("close", end).on("error", end);
    client.on("data", (chunk: Buffer) => pass(line, client, server, chunk));
    server.on("data", (chunk: Buffer) => {
      const bytes = Math.min(chunk.length, line.left);
      line.left -= bytes;
      if (bytes === chunk.length) pass(line, server, client, chunk);
      else if (line.ending === "end") client.end(chunk.subarray(0, bytes), end);
      else client.write(chunk.subarray(0, bytes));
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  /** A client may be gone before its answer is there: then there is no connection to change. */
  const change = (port: number, changed: Partial<Line>): void => {
    const line = lines.get(port);
    if (line) Object.assign(line, changed);
  };
  return {
    port: (listener.address() as { port: number }).port,
    open: () => lines.size,
    reset: (port) => void lines.get(port)?.client.resetAndDestroy(),
    passOnly: (port, bytes, ending) => change(port, { left: bytes, ending }),
    slow: (port, bytesPerSecond) => change(port, { bytesPerSecond }),
    hurry() {
      for (const line of lines.values()) {
        line.bytesPerSecond = Number.POSITIVE_INFINITY;
        if (line.left > 0) line.left = Number.POSITIVE_INFINITY;
      }
    },
    async close() {
      for (const { client, server } of lines.values()) {
        client.destroy();
        server.destroy();
      }
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

/** Passes bytes on at the speed of the line, and no faster than they are taken. */
async function pass(line: Line, from: Socket, to: Socket, chunk: Buffer): Promise<void> {
  from.pause();
  for (let at = 0; at < chunk.length && !to.destroyed; ) {
    const bytes = Math.min(chunk.length - at, Math.ceil((line.bytesPerSecond * tickMs) / 1000));
    const taken = to.write(chunk.subarray(at, at + bytes));
    at += bytes;
    if (line.bytesPerSecond !== Number.POSITIVE_INFINITY) await Bun.sleep(tickMs);
    if (!taken && !to.destroyed) await drained(to);
  }
  from.resume();
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off("drain", done).off("close", done);
      resolve();
    };
    socket.on("drain", done).on("close", done);
  });
}
