/**
 * How many live streams there may be. Each holds a connection and reads the table, so neither one client nor
 * all of them together may open any number.
 */
import { Problem, unavailable } from "../problem.ts";
import type { Frames } from "../wire.ts";

export interface StreamBounds {
  /** Of one token, or of one address without one. */
  client: number;
  total: number;
  /** How long what was sent may lie unread: a reader that stalls comes back behind the last event it has. */
  unreadMs: number;
}

const bounds: StreamBounds = { client: 100, total: 10_000, unreadMs: 55_000 };

/**
 * Counts the stream of a client until it ends or its reader goes; refuses it, 429 where the client has too
 * many, 503 where all have.
 */
export type Streams = (client: string, frames: Frames) => ReadableStream<Uint8Array>;

interface Open {
  /** When something was sent that nobody has read yet; null where nothing was. */
  unreadSince: number | null;
  giveUp(): void;
}

export function boundedStreams({ client: most, total, unreadMs }: StreamBounds = bounds): Streams {
  const ofClient = new Map<string, number>();
  const all = new Set<Open>();
  let looking: Timer | undefined;
  const requirePlace = (client: string) => {
    if ((ofClient.get(client) ?? 0) >= most)
      throw new Problem(429, `You already have ${most} open streams. Close one to open another.`, {
        "retry-after": "5",
      });
    if (all.size >= total)
      throw unavailable("The server has reached its limit of open streams. Try again later.");
  };
  const enter = (client: string, one: Open) => {
    ofClient.set(client, (ofClient.get(client) ?? 0) + 1);
    all.add(one);
    looking ??= setInterval(look, unreadMs / 20);
  };
  const leave = (client: string, one: Open) => {
    all.delete(one);
    const left = (ofClient.get(client) ?? 1) - 1;
    if (left > 0) ofClient.set(client, left);
    else ofClient.delete(client);
    if (all.size > 0) return;
    clearInterval(looking);
    looking = undefined;
  };
  /** One timer for all: one for each frame of each stream would cost as much as the frames. */
  const look = () => {
    const longAgo = performance.now() - unreadMs;
    for (const one of all) if (one.unreadSince !== null && one.unreadSince < longAgo) one.giveUp();
  };
  return (client, frames) => {
    try {
      requirePlace(client);
    } catch (error) {
      frames.close();
      throw error;
    }
    return readable(
      frames,
      (one) => enter(client, one),
      (one) => leave(client, one),
    );
  };
}

/** The frames as a stream, until they end or fail, or it is left, or lies unread for too long. */
function readable(
  frames: Frames,
  enter: (one: Open) => void,
  leave: (one: Open) => void,
): ReadableStream<Uint8Array> {
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    leave(own);
    frames.close();
  };
  const own: Open = { unreadSince: null, giveUp: end };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        enter(own);
        own.giveUp = () => {
          end();
          controller.error(new Error("the client stopped reading"));
        };
      },
      async pull(controller) {
        own.unreadSince = null;
        try {
          const frame = await frames.next();
          if (isOver) return;
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
