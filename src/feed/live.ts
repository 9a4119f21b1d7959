/**
 * The live feed: new events are read from the table after each wake-up, as fast as the reader takes them
 * (backpressure).
 */
import { isStillAuthorized } from "../core/auth/authentication.ts";
import type { Caller } from "../core/auth/caller.ts";
import { PersonDoor, seesPersons } from "../core/auth/persons.ts";
import { boundedByCount, Cache, perObject } from "../core/lib/cache.ts";
import { type Micros, toMicros } from "../core/lib/time.ts";
import { loadPersonNames, type PersonNames } from "../core/people/pseudonyms.ts";
import { notFound } from "../core/problem.ts";
import { Json } from "../core/rendered-json.ts";
import type { Projects } from "../core/rows.ts";
import { Frames } from "../core/wire.ts";
import type { FeedContext } from "./context.ts";
import { filterOf } from "./feed.ts";
import { recheckMs } from "./feed-notifier.ts";
import type { FeedFilter } from "./filters.ts";
import { type FeedNotifier, streamBatchMax } from "./port.ts";
import type { StreamQuery } from "./requests.ts";
import type { RenderedEvent } from "./rows.ts";

/** A stream without events sends a keep-alive comment at least this often. */
const heartbeatMs = 15_000;
/**
 * How long a client waits before it reconnects, in milliseconds (the `retry` field of Server-Sent Events).
 */
const retryMs = 1_000;

export interface LiveQuery {
  projects: Projects;
  filter: FeedFilter;
  /** Only events newer than this, exclusive. */
  after: Micros;
}

/**
 * Returns a function that waits for the next batch of new events, oldest first. The batch is empty after
 * `recheckMs` without events, and null when the process stops.
 */
export function liveBatches(
  notifier: FeedNotifier,
  { projects, filter, after }: LiveQuery,
): () => Promise<RenderedEvent[] | null> {
  const read = notifier.sharedReader(projects, filter);
  let lastVersion: number | null = null;
  return async () => {
    if (lastVersion !== null) await notifier.waitForChange(lastVersion);
    if (notifier.closed) return null;
    const { version } = notifier;
    const batch = await read(after, streamBatchMax);
    after = batch.at(-1)?.ts ?? after;
    lastVersion = batch.length < streamBatchMax ? version : null;
    return batch;
  };
}

/**
 * Streams the feed as Server-Sent Events. Each event is one frame: `id` is its id, `data` its JSON as in the
 * feed.
 * @throws 400 for an unknown lane, 404 for an unknown `Last-Event-ID`
 */
export async function streamFeed(ctx: FeedContext, query: StreamQuery, caller: Caller): Promise<Frames> {
  const filter = filterOf(ctx.config, query);
  const next = liveBatches(ctx.feedNotifier, {
    projects: caller.projects,
    filter,
    after: await startTime(ctx, query),
  });
  const readers = ctx.metrics.streamReaders.of();
  readers.add(1);
  let isFirst = true;
  let sentAt = performance.now();
  // Backpressure: the reader pulls one batch at a time, so a stalled reader holds one batch, not a queue.
  const frames = async (): Promise<Uint8Array | null> => {
    if (isFirst) {
      isFirst = false;
      return retryFrame;
    }
    for (;;) {
      const batch = await next();
      if (!batch) return null;
      const shared = batch.length ? sharedBatch(batch) : null;
      if (!(await (shared ? shared.canRead(caller, ctx) : isStillAuthorized(caller, ctx)))) return null;
      const now = performance.now();
      // the next recheck comes before the heartbeat is due
      if (!shared && now - sentAt + recheckMs < heartbeatMs) continue;
      sentAt = now;
      if (!shared) return keepAliveFrame;
      return seesPersons(caller, ctx.config) ? shared.frames : shared.hiddenFrames(caller, ctx);
    }
  };
  return new Frames(frames, () => readers.add(-1));
}

const encoder = new TextEncoder();
const retryFrame = encoder.encode(`retry: ${retryMs}\n\n`);
const keepAliveFrame = encoder.encode(": still here\n\n");

/** More different tokens and sessions than this are checked again. */
const checksMax = 1_000;

/** Readers of the same batch share its encoded frames, and one token check per token or session. */
interface SharedBatch {
  frames: Uint8Array;
  /** Without the persons that the reader does not see. */
  hiddenFrames(caller: Caller, ctx: FeedContext): Promise<Uint8Array>;
  canRead(caller: Caller, ctx: FeedContext): Promise<boolean>;
}

const sharedBatch = perObject((batch: RenderedEvent[]): SharedBatch => {
  const checks = new Cache<string, Promise<boolean>>({ max: checksMax, bytesOf: boundedByCount });
  let names: Promise<PersonNames | null> | undefined;
  return {
    frames: framesOf(batch),
    async hiddenFrames(caller, ctx) {
      const { hidePersons } = ctx.config;
      names ??= hidePersons ? loadPersonNames(ctx) : Promise.resolve(null);
      const door = new PersonDoor(caller, await names);
      return framesOf(batch.map(({ id, wire }) => ({ id, wire: door.hide(new Json(wire)).text })));
    },
    canRead: (caller, ctx) =>
      checks.getOrMake(`${caller.hash} ${caller.session}`, () => isStillAuthorized(caller, ctx)),
  };
});

const framesOf = (events: readonly Pick<RenderedEvent, "id" | "wire">[]): Uint8Array =>
  encoder.encode(events.map(({ id, wire }) => `id: ${id}\ndata: ${wire}\n\n`).join(""));

async function startTime({ data, now }: FeedContext, { last_event_id, after }: StreamQuery): Promise<Micros> {
  if (last_event_id !== undefined) {
    const ts = await data.eventTime(last_event_id);
    if (ts === null) throw notFound(`Last-Event-ID: event ${last_event_id} does not exist.`);
    return ts;
  }
  // Start after the newest event. In an empty feed start now, so that imported past events are not streamed.
  return after === undefined ? (await data.head()) || now() - 1 : toMicros(after);
}
