/** A stream of the feed. */
import { type Frame, type Frames, readFrames } from "./server-sent-events.ts";

export const path = "/api/v1/feed/stream";

export interface Open extends Frames, AsyncDisposable {
  /** Reads the next `count` events. */
  take(count: number): Promise<Frame[]>;
  /** Resolves when the server ends it. */
  ended(): Promise<void>;
}

/** Opens a stream on a real server, and resolves when it is subscribed. */
export async function open(
  origin: string,
  token: string,
  query = "",
  headers: Record<string, string> = {},
): Promise<Open> {
  const controller = new AbortController();
  const request = { headers: { authorization: `Bearer ${token}`, ...headers }, signal: controller.signal };
  const frames = readFrames(await fetch(origin + path + query, request));
  const { events } = frames;
  return {
    ...frames,
    async take(count) {
      const taken: Frame[] = [];
      while (taken.length < count) {
        const next = await events.next();
        if (next.done) throw new Error(`the stream ended behind ${taken.length} of ${count} events`);
        taken.push(next.value);
      }
      return taken;
    },
    async ended() {
      while (!(await events.next()).done);
    },
    async [Symbol.asyncDispose]() {
      controller.abort();
    },
  };
}
