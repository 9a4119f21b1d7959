/** A receiver of webhooks on a raw socket, to answer what no HTTP server would. */
import { createServer, type Socket } from "node:net";

export interface RawReceiver {
  port: number;
  /** The bytes of each connection's request, in order. */
  requests: string[];
  /** Connections that are open now. */
  open(): number;
  [Symbol.asyncDispose](): Promise<void>;
}

/** @param answer writes the answer once the request has begun to arrive */
export async function rawReceiver(
  answer: (socket: Socket) => void,
  host = "127.0.0.1",
  onPort = 0,
): Promise<RawReceiver> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    const index = requests.push("") - 1;
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    socket.on("data", (bytes) => (requests[index] += bytes.toString()));
    socket.once("data", () => answer(socket));
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject).listen(onPort, host, resolve);
  await promise;
  return {
    port: (server.address() as { port: number }).port,
    requests,
    open: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

export const answerOk = (socket: Socket): void => {
  socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
};

/** Writes this again and again, as fast as the other side reads it, until the connection closes. */
export function writeForever(socket: Socket, text: string): void {
  let isClosed = false;
  socket.on("close", () => (isClosed = true));
  const write = () => {
    while (!isClosed && socket.write(text));
    if (!isClosed) socket.once("drain", write);
  };
  write();
}
