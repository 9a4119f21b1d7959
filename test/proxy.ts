/** A proxy of TCP between a program and its database, that can fall silent: bytes are taken and go nowhere, and nobody is told. */

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

export interface Proxy extends AsyncDisposable {
  /** The same address, by way of the proxy. */
  url(of: string): string;
  /** From now on nothing passes, on connections that are there and on new ones. */
  silence(): void;
}

export async function startProxy(target: URL): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let silent = false;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("error", () => {});
      from.on("data", (bytes) => void (silent || to.write(bytes)));
      from.on("close", () => void (silent || to.destroy()));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url(of) {
      const url = new URL(of);
      url.host = `127.0.0.1:${port}`;
      return url.href;
    },
    silence: () => void (silent = true),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
