/**
 * How many live streams there may be. Each holds a connection and reads the table, so neither one client nor all of them
 * together may open any number.
 */
import { Problem, unavailable } from "../problem.ts";

export interface StreamBounds {
  /** Of one token, or of one address without one. */
  client: number;
  total: number;
  /** How long what was sent may lie unread: a reader that stalls comes back behind the last event it has. */
  unreadMs: number;
}

const bounds: StreamBounds = { client: 100, total: 10_000, unreadMs: 60_000 };

/** Counts the stream of a client until it ends or its reader goes; refuses it, 429 where the client has too many, 503 where all have. */
export type Streams = (client: string, stream: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array>;

export function boundedStreams({ client: most, total, unreadMs }: StreamBounds = bounds): Streams {
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
      return read(stream, unreadMs, take(client));
    } catch (error) {
      void stream.cancel();
      throw error;
    }
  };
}

/** The same stream; `over` is called when it ends, fails, is left, or lies unread for too long. */
function read(stream: ReadableStream<Uint8Array>, unreadMs: number, over: () => void): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let unread: Timer | undefined;
  const end = () => {
    clearTimeout(unread);
    over();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(unread);
        try {
          const { done, value } = await reader.read();
          if (done) {
            end();
            return controller.close();
          }
          controller.enqueue(value);
          unread = setTimeout(() => {
            end();
            controller.error(new Error("nobody reads"));
            void reader.cancel();
          }, unreadMs);
        } catch (error) {
          end();
          controller.error(error);
        }
      },
      cancel(reason) {
        end();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
