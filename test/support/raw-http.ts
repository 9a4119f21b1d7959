/** HTTP by hand: what no client library would send. */
import { connect } from "node:net";

/** A connection to the server, spoken by hand. */
export function dial(origin: string) {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  let heard = "";
  let isClosed = false;
  socket.on("data", (bytes) => (heard += bytes.toString("latin1")));
  socket.on("close", () => (isClosed = true)).on("error", () => {});
  return {
    async say(...parts: (string | Uint8Array)[]): Promise<void> {
      for (const part of parts)
        if (!socket.write(part))
          await new Promise<void>((resolve) => socket.once("drain", resolve).once("close", () => resolve()));
    },
    /** The status lines so far. */
    statuses: () => [...heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status)),
    heard: () => heard,
    isClosed: () => isClosed,
    hangUp: () => socket.destroy(),
  };
}
