/** Sources of `svc feed`: the local database, or a server. */
import { createParser } from "eventsource-parser";
import { adminCaller } from "../../../src/core/auth/caller.ts";
import { fromMicros, type Micros, toMicros } from "../../../src/core/lib/time.ts";
import { valuesOf } from "../../../src/core/wire.ts";
import { feedPage, requireLane, upperBound } from "../../../src/feed/feed.ts";
import type { FeedFilter } from "../../../src/feed/filters.ts";
import { liveBatches } from "../../../src/feed/live.ts";
import { requireProject } from "../../../src/feed/projects/projects.ts";
import type { FeedQuery } from "../../../src/feed/requests.ts";
import type { FeedPage } from "../../../src/feed/schema.ts";
import { type ApiAccess, requireProject as requireRemoteProject } from "../../api.ts";
import { unwrap } from "../../client/client.ts";
import { CommandError } from "../../command-errors.ts";
import type { OpenContext } from "../../open.ts";

/** An event as JSON text. */
export type EventJson = string;

export type Bounds = Pick<FeedQuery, "cursor" | "before" | "after">;

export interface FeedSource {
  /** Throws if the project or lane is unknown: its feed would be empty, and followed forever. */
  requireProjectAndLane(filter: FeedFilter): Promise<void>;
  /** The time of the newest event: past events end with it, new events come after it. */
  head(): Promise<Micros>;
  /** One page of events up to `head`, oldest first, and the cursor of the next older page. */
  page(
    filter: FeedFilter,
    bounds: Bounds,
    head: Micros,
    limit: number,
  ): Promise<{ events: EventJson[]; cursor: string | null }>;
  /** All events up to `head`, oldest first. */
  all(filter: FeedFilter, bounds: Bounds, head: Micros): AsyncIterable<EventJson>;
  /** Events after `head`, until the signal aborts. */
  live(filter: FeedFilter, head: Micros, signal: AbortSignal): AsyncIterable<EventJson>;
}

const batchLength = 200;
const reconnectMs = 1_000;

/** The exclusive upper bound in microseconds: just after `head`, or `before` if that is earlier. */
const endOf = (bounds: Bounds, head: Micros): Micros => Math.min(head + 1, upperBound(bounds) ?? head + 1);

const eventsOf = ({ events }: FeedPage): EventJson[] =>
  events.map((event) => JSON.stringify(event)).reverse();

/** The feed of a database on this machine. */
export function localFeed({ config, data, feedNotifier }: OpenContext): FeedSource {
  return {
    async requireProjectAndLane({ project, lane }) {
      for (const one of valuesOf(lane)) requireLane(config, one);
      for (const slug of valuesOf(project)) await requireProject(data, slug, adminCaller);
    },
    head: () => data.head(),
    async page(filter, bounds, head, limit) {
      const query = { ...filter, ...bounds, before: fromMicros(endOf(bounds, head)), limit };
      const page: FeedPage = JSON.parse((await feedPage(data, config, query, adminCaller)).text);
      return { events: eventsOf(page), cursor: page.next_cursor };
    },
    async *all(filter, bounds, head) {
      const { after } = bounds;
      const end = endOf(bounds, head);
      for (let last = toMicros(after ?? "1970-01-01T00:00:00Z"); ; ) {
        const range = { after: last, order: "oldest first", limit: batchLength } as const;
        const batch = await data.feed(null, { ...filter, ...range });
        for (const { ts, wire } of batch) if (ts < end) yield wire;
        last = batch.at(-1)?.ts ?? end;
        if (last >= end - 1) return;
      }
    },
    async *live(filter, head, signal) {
      const next = liveBatches(feedNotifier, { projects: null, filter, after: head });
      const stopped = new Promise<null>((resolve) => signal.addEventListener("abort", () => resolve(null)));
      while (!signal.aborted) {
        const batch = await Promise.race([stopped, next()]);
        if (!batch) return;
        yield* batch.map(({ wire }) => wire);
      }
    },
  };
}

/** The feed of a server. */
export function remoteFeed(access: ApiAccess): FeedSource {
  const { api, fetch, siteUrl, token } = access;
  const read = (query: object) => unwrap(api.GET("/feed", { params: { query } })) as Promise<FeedPage>;
  const page: FeedSource["page"] = async (filter, bounds, head, limit) => {
    const result = await read({ ...filter, ...bounds, before: fromMicros(endOf(bounds, head)), limit });
    return { events: eventsOf(result), cursor: result.next_cursor };
  };
  return {
    async requireProjectAndLane({ project, lane }) {
      if (lane !== undefined) await read({ lane, limit: 1 }); // the server validates its own lanes
      for (const slug of valuesOf(project)) await requireRemoteProject(access, slug);
    },
    async head() {
      const { events } = await read({ limit: 1 });
      return events[0] ? toMicros(events[0].ts) : 0;
    },
    page,
    async *all(filter, bounds, head) {
      const pages: EventJson[][] = [];
      for (let cursor = bounds.cursor ?? null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
        const older = await page(
          filter,
          { ...bounds, ...(cursor !== null && { cursor }) },
          head,
          batchLength,
        );
        pages.unshift(older.events);
        cursor = older.cursor;
      }
      yield* pages.flat();
    },
    async *live(filter, head, signal) {
      const streamUrl = new URL(`${siteUrl}/api/v1/feed/stream`);
      for (const [name, value] of Object.entries({ ...filter, after: fromMicros(head) }))
        streamUrl.searchParams.set(name, String(value));
      let lastId: string | undefined;
      let isConnected = false;
      while (!signal.aborted) {
        const headers = {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(lastId && { "last-event-id": lastId }),
        };
        try {
          const response = await fetch(streamUrl.href, { headers, signal });
          if (!response.ok)
            throw new CommandError(`The server refused the live stream with status ${response.status}.`);
          isConnected = true;
          for await (const { id, data } of messages(response)) {
            lastId = id ?? lastId;
            yield data;
          }
        } catch (error) {
          // A refusal of the first connection is final. After that, reconnect: the server may be restarting,
          // and `last-event-id` resumes without a gap.
          if (signal.aborted) return;
          if (!isConnected && error instanceof CommandError) throw error;
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
