/** HTTP over a raw socket, to send what no client library would. */
import { connect } from "node:net";

/** Opens a raw TCP connection to the server. */
export function openRawConnection(origin: string) {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  let received = "";
  let isClosed = false;
  socket.on("data", (bytes) => (received += bytes.toString("latin1")));
  socket.on("close", () => (isClosed = true)).on("error", () => {});
  return {
    async send(...parts: (string | Uint8Array)[]): Promise<void> {
      for (const part of parts)
        if (!socket.write(part))
          await new Promise<void>((resolve) => socket.once("drain", resolve).once("close", () => resolve()));
    },
    /** Status codes received so far. */
    statuses: () => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status)),
    received: () => received,
    isClosed: () => isClosed,
    close: () => socket.destroy(),
  };
}
