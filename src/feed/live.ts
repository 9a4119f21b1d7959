/** The live feed: events as they come, read from the table after each wake-up, by as much as the reader takes. */
import type { Caller } from "../auth/caller.ts";
import { isStillWelcome } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import { badRequest } from "../problem.ts";
import type { FeedFilter, Projects, Rendered } from "../rows.ts";
import { type Micros, toMicros } from "../time.ts";
import { filterOf } from "./feed.ts";
import type { Follower } from "./follower.ts";
import type { StreamQuery } from "./schema.ts";

const batchMax = 100;
/** A revoked token ends its streams within this time. */
const recheckMs = 3_750;
/** A silent stream says at least this often that it is still there. */
const heartbeatMs = 15_000;
/** What a client waits before it comes back, in milliseconds. */
const retryMs = 1_000;

export interface LiveOptions {
  projects: Projects;
  filter: FeedFilter;
  /** Events strictly newer than this come. */
  after: Micros;
  signal: AbortSignal;
}

/** Batches of new events, oldest first; an empty one where none come for a while, so that its reader can look around. */
export async function* liveEvents(follower: Follower, { projects, filter, after, signal }: LiveOptions): AsyncGenerator<Rendered[]> {
  while (!follower.closed && !signal.aborted) {
    const { version } = follower;
    const batch = await follower.since(projects, { ...filter, after, limit: batchMax });
    yield batch;
    after = batch.at(-1)?.ts ?? after;
    if (batch.length < batchMax) await follower.grown(version, recheckMs, signal);
  }
}

/** The feed as Server-Sent Events. One event is one frame: `id` its id, `data` its text as in the feed. */
export async function streamFeed(ctx: Context, query: StreamQuery, caller: Caller): Promise<ReadableStream<Uint8Array>> {
  const filter = filterOf(ctx.config, query);
  const after = await startOf(ctx, query);
  const gone = new AbortController();
  const live = liveEvents(ctx.follower, { projects: caller.projects, filter, after, signal: gone.signal });
  const readers = ctx.metrics.streamReaders.of();
  gone.signal.addEventListener("abort", () => readers.add(-1));
  let lastSent = performance.now();
  // Pulled by the reader, one batch at a time: one that stalls holds a batch, not a queue.
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        readers.add(1);
        controller.enqueue(encoder.encode(`retry: ${retryMs}\n\n`));
      },
      async pull(controller) {
        for (;;) {
          const batch = await next();
          if (!batch) return controller.close();
          const silentMs = performance.now() - lastSent;
          if (batch.length === 0 && silentMs + recheckMs < heartbeatMs) continue; // the next look is in time for it
          lastSent = performance.now();
          return controller.enqueue(batch.length ? framesOf(batch) : stillHere);
        }
      },
      cancel() {
        gone.abort();
      },
    },
    { highWaterMark: 1 },
  );

  /** Null where the stream ends: the process stops, or the caller may read no more. */
  async function next(): Promise<Rendered[] | null> {
    try {
      const { value, done } = await live.next();
      if (!done && (await isStillWelcome(caller, ctx.data, ctx.now()))) return value;
    } catch (error) {
      gone.abort();
      throw error;
    }
    gone.abort();
    return null;
  }
}

const encoder = new TextEncoder();
const stillHere = encoder.encode(": still here\n\n");

/** Readers of the same share a batch, and so its frames. */
const framed = new WeakMap<Rendered[], Uint8Array>();

function framesOf(batch: Rendered[]): Uint8Array {
  let frames = framed.get(batch);
  if (!frames) framed.set(batch, (frames = encoder.encode(batch.map(frame).join(""))));
  return frames;
}

const frame = ({ id, wire }: Rendered): string => `id: ${id}\ndata: ${wire}\n\n`;

async function startOf({ data, now }: Context, { last_event_id, after }: StreamQuery): Promise<Micros> {
  if (last_event_id !== undefined) {
    const ts = await data.eventTime(last_event_id);
    if (ts === null) throw badRequest(`Last-Event-ID: there is no event ${last_event_id} to resume after.`);
    return ts;
  }
  // Behind the newest event; of an empty feed behind now, so that what is imported into the past stays there.
  return after === undefined ? (await data.head()) || now() - 1 : toMicros(after);
}
