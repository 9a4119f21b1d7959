/**
 * The live feed: events as they come, read from the table after each wake-up, by as much as the reader takes.
 */
import { type Caller, isStillWelcome } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import { type Micros, toMicros } from "../lib/time.ts";
import { notFound } from "../problem.ts";
import type { Projects, RenderedEvent } from "../rows.ts";
import { Frames } from "../wire.ts";
import { filterOf } from "./feed.ts";
import { type Follower, recheckMs } from "./follower.ts";
import type { FeedFilter, StreamQuery } from "./schema.ts";

const batchMax = 100;
/** A silent stream says at least this often that it is still there. */
const heartbeatMs = 15_000;
/** What a client waits before it comes back, in milliseconds. */
const retryMs = 1_000;

export interface Live {
  projects: Projects;
  filter: FeedFilter;
  /** Events strictly newer than this come. */
  after: Micros;
}

/**
 * Gives the next batch of new events, oldest first: an empty one where none come for a while, null where the
 * process stops.
 */
export function liveEvents(
  follower: Follower,
  { projects, filter, after }: Live,
): () => Promise<RenderedEvent[] | null> {
  const news = follower.newsOf(projects, filter);
  let seen: number | null = null;
  return async () => {
    if (seen !== null) await follower.grown(seen);
    if (follower.closed) return null;
    const { version } = follower;
    const batch = await news(after, batchMax);
    after = batch.at(-1)?.ts ?? after;
    seen = batch.length < batchMax ? version : null;
    return batch;
  };
}

/** The feed as Server-Sent Events. One event is one frame: `id` its id, `data` its text as in the feed. */
export async function streamFeed(ctx: Context, query: StreamQuery, caller: Caller): Promise<Frames> {
  const filter = filterOf(ctx.config, query);
  const next = liveEvents(ctx.follower, {
    projects: caller.projects,
    filter,
    after: await startOf(ctx, query),
  });
  const readers = ctx.metrics.streamReaders.of();
  readers.add(1);
  let isFirst = true;
  let sentAt = performance.now();
  // Pulled by the reader, one batch at a time: one that stalls holds a batch, not a queue.
  const frames = async (): Promise<Uint8Array | null> => {
    if (isFirst) {
      isFirst = false;
      return beginning;
    }
    for (;;) {
      const batch = await next();
      if (!batch) return null;
      const shared = batch.length ? sharedOf(batch) : null;
      if (!(await (shared ? shared.mayRead(caller, ctx) : isStillWelcome(caller, ctx)))) return null;
      const now = performance.now();
      if (!shared && now - sentAt + recheckMs < heartbeatMs) continue; // the next look is in time for it
      sentAt = now;
      return shared ? shared.frames : stillHere;
    }
  };
  return new Frames(frames, () => readers.add(-1));
}

const encoder = new TextEncoder();
const beginning = encoder.encode(`retry: ${retryMs}\n\n`);
const stillHere = encoder.encode(": still here\n\n");

/** Readers of the same share a batch, and so its frames, and what was known of their tokens when it came. */
interface Shared {
  frames: Uint8Array;
  mayRead(caller: Caller, ctx: Context): Promise<boolean>;
}

const known = new WeakMap<RenderedEvent[], Shared>();

function sharedOf(batch: RenderedEvent[]): Shared {
  let shared = known.get(batch);
  if (!shared) {
    const asked = new Map<string, Promise<boolean>>();
    shared = {
      frames: encoder.encode(batch.map(frame).join("")),
      mayRead(caller, ctx) {
        const key = `${caller.hash} ${caller.session}`;
        let answer = asked.get(key);
        if (!answer) asked.set(key, (answer = isStillWelcome(caller, ctx)));
        return answer;
      },
    };
    known.set(batch, shared);
  }
  return shared;
}

const frame = ({ id, wire }: RenderedEvent): string => `id: ${id}\ndata: ${wire}\n\n`;

async function startOf({ data, now }: Context, { last_event_id, after }: StreamQuery): Promise<Micros> {
  if (last_event_id !== undefined) {
    const ts = await data.eventTime(last_event_id);
    if (ts === null) throw notFound(`Last-Event-ID: there is no event ${last_event_id} to resume after.`);
    return ts;
  }
  // Behind the newest event; of an empty feed behind now, so that what is imported into the past stays there.
  return after === undefined ? (await data.head()) || now() - 1 : toMicros(after);
}
