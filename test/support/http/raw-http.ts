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
  /** Resolves when the socket can take more, or has closed, and leaves no listener. */
  const drainOrClose = (): Promise<void> =>
    new Promise((resolve) => {
      if (isClosed) return resolve();
      const done = () => {
        socket.off("drain", done).off("close", done);
        resolve();
      };
      socket.on("drain", done).on("close", done);
    });
  return {
    async send(...parts: (string | Uint8Array)[]): Promise<void> {
      for (const part of parts) if (!socket.write(part)) await drainOrClose();
    },
    /** Status codes received so far. */
    statuses: () => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status)),
    received: () => received,
    isClosed: () => isClosed,
    close: () => socket.destroy(),
  };
}
