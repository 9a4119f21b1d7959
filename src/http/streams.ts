/**
 * How many live streams there may be. Each holds a connection and reads the table, so neither one client nor all of them
 * together may open any number.
 */
import { Problem, unavailable } from "../problem.ts";

export interface StreamBounds {
  /** Of one token, or of one address without one. */
  client: number;
  total: number;
}

const bounds: StreamBounds = { client: 100, total: 2_000 };

/** Counts the stream of a client until it ends or its reader goes; refuses it, 429 where the client has too many, 503 where all have. */
export type Streams = (client: string, stream: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array>;

export function boundedStreams({ client: most, total }: StreamBounds = bounds): Streams {
  const open = new Map<string, number>();
  let all = 0;
  const take = (client: string): (() => void) => {
    const own = open.get(client) ?? 0;
    if (own >= most) throw new Problem(429, `${most} streams are open already; close one first.`, { "retry-after": "5" });
    if (all >= total) throw unavailable("As many streams are open as this server keeps; try again.");
    open.set(client, own + 1);
    all++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      all--;
      const left = (open.get(client) ?? 1) - 1;
      if (left > 0) open.set(client, left);
      else open.delete(client);
    };
  };
  return (client, stream) => {
    try {
      return until(stream, take(client));
    } catch (error) {
      void stream.cancel();
      throw error;
    }
  };
}

/** The same stream; `over` is called when it ends, fails or is left. */
function until(stream: ReadableStream<Uint8Array>, over: () => void): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          controller.close();
        } catch (error) {
          controller.error(error);
        }
        over();
      },
      cancel(reason) {
        over();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
