/** Where `svc feed` reads: the database of this machine, or a server. */
import { createParser } from "eventsource-parser";
import { operator } from "../src/auth/caller.ts";
import { requireLane } from "../src/feed/feed.ts";
import { liveEvents } from "../src/feed/live.ts";
import type { Event, FeedFilter } from "../src/feed/schema.ts";
import { requireProject } from "../src/projects/projects.ts";
import { ceilMicros, fromMicros, type Micros, toMicros } from "../src/time.ts";
import { type ApiAccess, requireProject as requireProjectThere } from "./api.ts";
import { said } from "./client/client.ts";
import { CommandError } from "./command.ts";
import type { Opened } from "./open.ts";

/** Text of an event, as it goes over the wire. */
export type Wire = string;

export interface Bounds {
  before?: string;
  after?: string;
}

export interface FeedSource {
  /** An unknown project or lane is an error: the feed of none would be empty, and followed for ever. */
  requireKnown(filter: FeedFilter): Promise<void>;
  /** The newest event: history ends with it, following begins behind it. */
  head(): Promise<Micros>;
  /** Oldest first: the newest `limit` up to `head`, or all of them. */
  history(filter: FeedFilter, bounds: Bounds, head: Micros, limit: number | "all"): AsyncIterable<Wire>;
  /** What comes behind `head`, until the signal ends it. */
  live(filter: FeedFilter, head: Micros, signal: AbortSignal): AsyncIterable<Wire>;
}

const batchLength = 200;
const reconnectMs = 1_000;

const endOf = (before: string | undefined, head: Micros): Micros =>
  Math.min(head + 1, before === undefined ? head + 1 : ceilMicros(before));

export function feedHere({ config, data, follower }: Opened): FeedSource {
  return {
    async requireKnown({ project, lane }) {
      requireLane(config, lane);
      if (project !== undefined) await requireProject(data, project, operator);
    },
    head: () => data.head(),
    async *history(filter, { before, after }, head, limit) {
      const end = endOf(before, head);
      if (limit !== "all") {
        const page = await data.feed(null, { ...filter, before: end, ...(after !== undefined && { after: toMicros(after) }), limit });
        for (const { wire } of page.reverse()) yield wire;
        return;
      }
      for (let last = toMicros(after ?? "1970-01-01T00:00:00Z"); ; ) {
        const batch = await data.feedSince(null, { ...filter, after: last, limit: batchLength });
        for (const { ts, wire } of batch) if (ts < end) yield wire;
        last = batch.at(-1)?.ts ?? end;
        if (last >= end - 1) return;
      }
    },
    async *live(filter, head, signal) {
      const next = liveEvents(follower, { projects: null, filter, after: head });
      const stopped = new Promise<null>((resolve) => signal.addEventListener("abort", () => resolve(null)));
      while (!signal.aborted) {
        const batch = await Promise.race([stopped, next()]);
        if (!batch) return;
        yield* batch.map(({ wire }) => wire);
      }
    },
  };
}

export function feedThere(access: ApiAccess, site: string, token: string | undefined): FeedSource {
  const { api, fetch } = access;
  const page = (query: object) => said(api.GET("/feed", { params: { query } }));
  return {
    async requireKnown({ project, lane }) {
      if (lane !== undefined) await page({ lane, limit: 1 }); // the server knows its lanes
      if (project !== undefined) await requireProjectThere(access, project);
    },
    async head() {
      const { events } = await page({ limit: 1 });
      return events[0] ? toMicros(events[0].ts) : 0;
    },
    async *history(filter, { before, after }, head, limit) {
      const found: Wire[] = [];
      let next: string | null = fromMicros(endOf(before, head));
      while (next !== null) {
        const { events, next_before }: { events: Event[]; next_before: string | null } = (await page({
          ...filter,
          ...(after !== undefined && { after }),
          before: next,
          limit: limit === "all" ? batchLength : limit,
        })) as { events: Event[]; next_before: string | null };
        found.push(...events.map((event) => JSON.stringify(event)));
        next = limit === "all" ? next_before : null;
      }
      yield* found.reverse();
    },
    async *live(filter, head, signal) {
      const address = new URL(`${site.replace(/\/+$/, "")}/api/v1/feed/stream`);
      for (const [name, value] of Object.entries({ ...filter, after: fromMicros(head) })) address.searchParams.set(name, String(value));
      let lastId: string | undefined;
      while (!signal.aborted) {
        const headers = { ...(token && { authorization: `Bearer ${token}` }), ...(lastId && { "last-event-id": lastId }) };
        try {
          const response = await fetch(address.href, { headers, signal });
          if (!response.ok) throw new CommandError(`the service answered ${response.status} to the stream`);
          for await (const { id, data } of messages(response)) {
            lastId = id ?? lastId;
            yield data;
          }
        } catch (error) {
          // A server that refuses says so at once; one that restarts is waited for, and the stream resumed without a gap.
          if (signal.aborted) return;
          if (lastId === undefined && error instanceof CommandError) throw error;
        }
        await Bun.sleep(reconnectMs);
      }
    },
  };
}

async function* messages(response: Response): AsyncGenerator<{ id?: string | undefined; data: string }> {
  const ready: { id?: string | undefined; data: string }[] = [];
  const parser = createParser({ onEvent: (event) => void ready.push(event) });
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* ready.splice(0);
  }
}
