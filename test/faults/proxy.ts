/** A line that can be bad: everything for one place goes through it. */
import { connect, createServer, type Socket } from "node:net";

export type LineFault =
  /** Drops everything silently. */
  | "hang"
  /** Every line is torn down, as soon as it is there. */
  | "reset"
  /** Each piece comes so much later. */
  | { delayMs: number }
  /** So many bytes a second in each direction. */
  | { bytesPerSecond: number }
  /** Passes this many bytes of each response, then resets the connection. */
  | { cutAfter: number };

export interface Proxy extends AsyncDisposable {
  port: number;
  /** From now on, on lines that are open as on new ones. Null: all is well. */
  fault(fault: LineFault | null): void;
}

export async function startProxy(to: { hostname: string; port: number }): Promise<Proxy> {
  let now: LineFault | null = null;
  const lines = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(to.port, to.hostname);
    for (const socket of [client, target]) {
      lines.add(socket);
      socket.setNoDelay(true).on("error", () => {});
    }
    const tear = () => {
      for (const socket of [client, target]) {
        lines.delete(socket);
        socket.destroy();
      }
    };
    client.on("close", tear);
    target.on("close", tear);
    let back = 0;
    const pump = async (from: Socket, into: Socket, counts: boolean) => {
      for await (const piece of from) {
        while (now === "hang") await Bun.sleep(10);
        if (now === "reset") return tear();
        if (now && typeof now === "object") {
          if ("delayMs" in now) await Bun.sleep(now.delayMs);
          else if ("bytesPerSecond" in now) await Bun.sleep((piece.length / now.bytesPerSecond) * 1000);
          else if (counts && (back += piece.length) > now.cutAfter) {
            into.write(piece.subarray(0, Math.max(0, piece.length - (back - now.cutAfter))), tear);
            return;
          }
        }
        if (!into.write(piece))
          await new Promise<void>((resolve) => into.once("drain", resolve).once("close", () => resolve()));
      }
      into.end();
    };
    pump(client, target, false).catch(tear);
    pump(target, client, true).catch(tear);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy does not listen");
  return {
    port: address.port,
    fault(fault) {
      now = fault;
      if (fault === "reset") for (const socket of lines) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      now = "reset";
      for (const socket of lines) socket.destroy();
      server.close();
    },
  };
}
