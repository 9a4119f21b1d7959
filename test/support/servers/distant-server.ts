/** A server that is a network and TLS away: HTTPS in front of it, and a line with a delay in front of that. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { type Closable, closable } from "../resources.ts";

export interface DistantServer extends Closable {
  origin: string;
  /** The file of the certificate, for clients to trust. */
  certificate: string;
}

/** @param delayMs that bytes travel in each direction @param folder for the certificate */
export async function openDistantServer(
  origin: string,
  delayMs: number,
  folder: string,
): Promise<DistantServer> {
  const { certificate, key } = await makeCertificate(folder);
  const { port } = new URL(origin);
  const tls = createTlsServer(
    { cert: await Bun.file(certificate).text(), key: await Bun.file(key).text() },
    (near) => {
      const far = connect(Number(port), "127.0.0.1");
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        one.on("error", () => {}).on("close", () => other.destroy());
        one.pipe(other);
      }
    },
  );
  const tlsPort = await listen(tls);
  const line = openLine(tlsPort, delayMs);
  const linePort = await listen(line);
  const close = async () => {
    line.close();
    tls.close();
  };
  return { origin: `https://127.0.0.1:${linePort}`, certificate, ...closable(close) };
}

/** Passes bytes on after the delay. The first bytes also wait for the handshake of TCP, which takes a trip. */
function openLine(port: number, delayMs: number): Server {
  return createServer((near) => {
    const far = connect(port, "127.0.0.1");
    const handshakeMs = 2 * delayMs;
    const openedAt = performance.now();
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      const later = (work: () => void) => {
        const waited = performance.now() - openedAt;
        setTimeout(work, delayMs + Math.max(0, handshakeMs - waited));
      };
      from.setNoDelay(true).on("error", () => {});
      from.on("data", (bytes) => later(() => to.write(bytes)));
      from.on("close", () => later(() => to.destroy()));
    }
  });
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function makeCertificate(folder: string): Promise<{ certificate: string; key: string }> {
  const [certificate, key] = [join(folder, "server.crt"), join(folder, "server.key")];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const names = ["-subj", "/CN=svc", "-addext", "subjectAltName=IP:127.0.0.1"];
  const command = ["openssl", "req", "-x509", ...curve, "-keyout", key, "-out", certificate, ...names];
  const child = Bun.spawn(command, { stdio: ["ignore", "ignore", "pipe"] });
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
  return { certificate, key };
}
