/**
 * Limits the number of live streams, per client and in total: each holds a connection and polls the table.
 */
import { Problem, unavailable } from "../../core/problem.ts";
import type { Frames } from "../../core/wire.ts";

export interface StreamBounds {
  /** Maximum per token, or per network of anonymous clients. */
  client: number;
  /** Maximum of all clients. */
  total: number;
  /**
   * A stream whose client reads nothing for this long is closed; the client can resume after its last event.
   */
  unreadMs: number;
}

const bounds: StreamBounds = { client: 100, total: 10_000, unreadMs: 55_000 };

/**
 * Opens the stream of a client and counts it until it closes.
 * @throws {Problem} 429 if the client has too many streams, 503 if the server has
 */
export type Streams = (client: string, frames: Frames) => ReadableStream<Uint8Array>;

interface OpenStream {
  /** When the oldest unread frame was sent; null if everything was read. */
  unreadSince: number | null;
  abort(): void;
}

/** Makes a `Streams` with its own counts. */
export function boundedStreams({ client: clientMax, total, unreadMs }: StreamBounds = bounds): Streams {
  const countByClient = new Map<string, number>();
  const all = new Set<OpenStream>();
  let timer: Timer | undefined;
  const requireCapacity = (client: string) => {
    if ((countByClient.get(client) ?? 0) >= clientMax)
      throw new Problem(429, `You already have ${clientMax} open streams. Close one to open another.`, {
        "retry-after": "5",
      });
    if (all.size >= total)
      throw unavailable("The server has reached its limit of open streams. Try again later.");
  };
  const enter = (client: string, stream: OpenStream) => {
    countByClient.set(client, (countByClient.get(client) ?? 0) + 1);
    all.add(stream);
    timer ??= setInterval(abortStalled, unreadMs / 20);
  };
  const leave = (client: string, stream: OpenStream) => {
    all.delete(stream);
    const remaining = (countByClient.get(client) ?? 1) - 1;
    if (remaining > 0) countByClient.set(client, remaining);
    else countByClient.delete(client);
    if (all.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  /** One timer for all streams: a timer per frame would cost as much as the frame itself. */
  const abortStalled = () => {
    const cutoff = performance.now() - unreadMs;
    for (const stream of all) if (stream.unreadSince !== null && stream.unreadSince < cutoff) stream.abort();
  };
  return (client, frames) => {
    try {
      requireCapacity(client);
    } catch (error) {
      frames.close();
      throw error;
    }
    return toReadableStream(
      frames,
      (stream) => enter(client, stream),
      (stream) => leave(client, stream),
    );
  };
}

/** A stream of the frames. It ends with them, on an error, on cancel, or when the client stops reading. */
function toReadableStream(
  frames: Frames,
  enter: (stream: OpenStream) => void,
  leave: (stream: OpenStream) => void,
): ReadableStream<Uint8Array> {
  let isClosed = false;
  const end = () => {
    if (isClosed) return;
    isClosed = true;
    leave(own);
    frames.close();
  };
  const own: OpenStream = { unreadSince: null, abort: end };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        enter(own);
        own.abort = () => {
          end();
          controller.error(new Error("the client stopped reading"));
        };
      },
      async pull(controller) {
        own.unreadSince = null;
        try {
          const frame = await frames.next();
          if (isClosed) return;
          if (!frame) {
            end();
            return controller.close();
          }
          controller.enqueue(frame);
          own.unreadSince = performance.now();
        } catch (error) {
          end();
          controller.error(error);
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}
