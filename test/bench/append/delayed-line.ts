/**
 * A slow network, as a process of its own, so that it costs the servers nothing. The first message is the port that
 * it stands for, whose answer is the port of the line. Each later one is the delay from then on: everything is
 * passed on that many milliseconds later, in both directions.
 */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { Place } from "../measuring/measure.ts";

export interface DelayedLine {
  /** On this machine. */
  port: number;
  setDelay(ms: number): Promise<unknown>;
}

export async function openDelayedLine(place: Place, port: number, delayMs = 0): Promise<DelayedLine> {
  const send = place.run<number>([process.execPath, import.meta.path]);
  const line = { port: await send(port), setDelay: send };
  await line.setDelay(delayMs);
  return line;
}

let delay = 0;

/** Passes pieces on in their order. */
function pass(from: Socket, to: Socket): void {
  from.setNoDelay(true).on("error", () => {});
  from.on("data", (piece) => void (delay === 0 ? to.write(piece) : setTimeout(() => to.write(piece), delay)));
  from.on("close", () => void setTimeout(() => to.destroy(), delay));
}

function listenFor(port: number): void {
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    pass(near, far);
    pass(far, near);
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
}

if (import.meta.main)
  process.once("message", (port: number) => {
    listenFor(port);
    process.on("message", (ms: number) => {
      delay = ms;
      process.send?.(0);
    });
  });
