/**
 * A slow network to Postgres: `bun delayed-line.ts PORT MS` listens on a port of its own, and passes on
 * everything that many milliseconds later, in both directions. It is a process of its own, so that it costs
 * the servers nothing.
 */
import { connect, createServer, type Socket } from "node:net";

const [port, delayMs] = process.argv.slice(2).map(Number) as [number, number];

/** Passes pieces on in their order, each as long after it came as the next one. */
function pass(from: Socket, to: Socket): void {
  from.setNoDelay(true).on("error", () => {});
  from.on("data", (piece) => void setTimeout(() => to.write(piece), delayMs));
  from.on("close", () => void setTimeout(() => to.destroy(), delayMs));
}

const server = createServer((near) => {
  const far = connect(port, "127.0.0.1");
  pass(near, far);
  pass(far, near);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object")
    process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
