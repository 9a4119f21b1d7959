/** Where `svc feed` reads: the database of this machine, or a server. */
import { createParser } from "eventsource-parser";
import { adminCaller } from "../src/auth/caller.ts";
import { beforeOf, feedPage, requireLane } from "../src/feed/feed.ts";
import { liveEvents } from "../src/feed/live.ts";
import type { FeedFilter, FeedPage, FeedQuery } from "../src/feed/schema.ts";
import { fromMicros, type Micros, toMicros } from "../src/lib/time.ts";
import { requireProject } from "../src/projects/projects.ts";
import { type ApiAccess, requireProject as requireProjectThere } from "./api.ts";
import { said } from "./client/client.ts";
import { CommandError } from "./command.ts";
import type { Opened } from "./open.ts";

/** Text of an event, as it goes over the wire. */
export type Wire = string;

export type Bounds = Pick<FeedQuery, "cursor" | "before" | "after">;

export interface FeedSource {
  /** An unknown project or lane is an error: the feed of none would be empty, and followed for ever. */
  requireKnown(filter: FeedFilter): Promise<void>;
  /** The newest event: history ends with it, following begins behind it. */
  head(): Promise<Micros>;
  /** The newest events up to `head`, oldest first, and the cursor of those before them. */
  page(
    filter: FeedFilter,
    bounds: Bounds,
    head: Micros,
    limit: number,
  ): Promise<{ wires: Wire[]; cursor: string | null }>;
  /** All events up to `head`, oldest first. */
  all(filter: FeedFilter, bounds: Bounds, head: Micros): AsyncIterable<Wire>;
  /** What comes behind `head`, until the signal ends it. */
  live(filter: FeedFilter, head: Micros, signal: AbortSignal): AsyncIterable<Wire>;
}

const batchLength = 200;
const reconnectMs = 1_000;

/** The first instant behind `head`, or an earlier bound. */
const endOf = (bounds: Bounds, head: Micros): Micros => Math.min(head + 1, beforeOf(bounds) ?? head + 1);

const wiresOf = ({ events }: FeedPage): Wire[] => events.map((event) => JSON.stringify(event)).reverse();

export function feedHere({ config, data, follower }: Opened): FeedSource {
  return {
    async requireKnown({ project, lane }) {
      requireLane(config, lane);
      if (project !== undefined) await requireProject(data, project, adminCaller);
    },
    head: () => data.head(),
    async page(filter, bounds, head, limit) {
      const query = { ...filter, ...bounds, before: fromMicros(endOf(bounds, head)), limit };
      const page: FeedPage = JSON.parse((await feedPage(data, config, query, adminCaller)).text);
      return { wires: wiresOf(page), cursor: page.next_cursor };
    },
    async *all(filter, bounds, head) {
      const { after } = bounds;
      const end = endOf(bounds, head);
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
  const read = (query: object) => said(api.GET("/feed", { params: { query } })) as Promise<FeedPage>;
  const page: FeedSource["page"] = async (filter, bounds, head, limit) => {
    const found = await read({ ...filter, ...bounds, before: fromMicros(endOf(bounds, head)), limit });
    return { wires: wiresOf(found), cursor: found.next_cursor };
  };
  return {
    async requireKnown({ project, lane }) {
      if (lane !== undefined) await read({ lane, limit: 1 }); // the server knows its lanes
      if (project !== undefined) await requireProjectThere(access, project);
    },
    async head() {
      const { events } = await read({ limit: 1 });
      return events[0] ? toMicros(events[0].ts) : 0;
    },
    page,
    async *all(filter, bounds, head) {
      const pages: Wire[][] = [];
      for (let cursor = bounds.cursor ?? null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
        const found = await page(
          filter,
          { ...bounds, ...(cursor !== null && { cursor }) },
          head,
          batchLength,
        );
        pages.unshift(found.wires);
        cursor = found.cursor;
      }
      yield* pages.flat();
    },
    async *live(filter, head, signal) {
      const address = new URL(`${site.replace(/\/+$/, "")}/api/v1/feed/stream`);
      for (const [name, value] of Object.entries({ ...filter, after: fromMicros(head) }))
        address.searchParams.set(name, String(value));
      let lastId: string | undefined;
      while (!signal.aborted) {
        const headers = {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(lastId && { "last-event-id": lastId }),
        };
        try {
          const response = await fetch(address.href, { headers, signal });
          if (!response.ok) throw new CommandError(`the service answered ${response.status} to the stream`);
          for await (const { id, data } of messages(response)) {
            lastId = id ?? lastId;
            yield data;
          }
        } catch (error) {
          // A server that refuses says so at once; one that restarts is waited for, and the stream resumed
          // without a gap.
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
