/** TCP proxies: one that can stall, and a load balancer over several processes. */

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

/**
 * A proxy in front of a database. When stalled, it accepts bytes and drops them without closing the
 * connection.
 */
export interface Proxy extends AsyncDisposable {
  /** Returns the URL with the proxy's host and port. */
  url(of: string): string;
  /** Drops all traffic, on existing and new connections. */
  stall(): void;
  /** Stalls once a client sends this text, which is dropped. */
  stallAt(text: string): Promise<void>;
  /** New connections work again; existing ones stay stalled. */
  resume(): void;
}

export async function startProxy(target: URL): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let made = 0;
  /** Connections with a smaller number are stalled. */
  let speaking = 0;
  let trap: { text: string; spring(): void } | undefined;
  const stall = () => {
    speaking = Number.POSITIVE_INFINITY;
    trap = undefined;
  };
  const server = createServer((near) => {
    const number = made++;
    const far = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("error", () => {});
      from.on("data", (bytes) => {
        if (trap && bytes.includes(trap.text)) trap.spring();
        if (number >= speaking) to.write(bytes);
      });
      from.on("close", () => void (number >= speaking && to.destroy()));
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
    stall,
    stallAt(text) {
      const sprung = Promise.withResolvers<void>();
      trap = {
        text,
        spring() {
          stall();
          sprung.resolve();
        },
      };
      return sprung.promise;
    },
    resume: () => void (speaking = made),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Round robin over the processes that are ready. If one refuses the connection, the next is tried. */
export async function startBalancer({
  port,
  upstreams,
}: {
  port: number;
  upstreams: string[];
}): Promise<AsyncDisposable> {
  const sockets = new Set<Socket>();
  let ready = upstreams;
  let turn = 0;
  const server = createServer({ pauseOnConnect: true }, (near) => {
    sockets.add(near);
    near.on("error", () => {});
    const join = (left: number): void => {
      const [host, port] = (ready[turn++ % ready.length] as string).split(":");
      const far = connect(Number(port), host);
      let joined = false;
      far.on("error", () => (joined || left === 1 ? near.destroy() : join(left - 1)));
      far.on("connect", () => {
        joined = true;
        sockets.add(far);
        near.pipe(far).pipe(near);
        near.on("close", () => far.destroy());
        far.on("close", () => near.destroy());
        near.resume();
      });
    };
    join(upstreams.length);
  });
  const isReady = (upstream: string): Promise<boolean> =>
    fetch(`http://${upstream}/readyz`, { keepalive: false }).then(
      ({ ok }) => ok,
      () => false,
    );
  const timer = setInterval(async () => {
    const answers = await Promise.all(upstreams.map(isReady));
    const found = upstreams.filter((_, index) => answers[index]);
    ready = found.length > 0 ? found : upstreams;
  }, 100);
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Returns a port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
