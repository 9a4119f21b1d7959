/**
 * Following the feed: two processes with four writers each; a reader that polls `after` in pages of seven,
 * and one on the live stream that loses its connection now and then. Nobody misses an event, nobody sees one
 * twice.
 */
import { describe, expect, test } from "bun:test";
import type { FeedPage } from "../../src/feed/schema.ts";
import {
  dialects,
  migratedDatabase,
  must,
  programToken,
  type Server,
  startServer,
} from "../support/harness.ts";
import { readFrames } from "../support/http/server-sent-events.ts";
import { reached, times } from "./promises.ts";

const total = times("tail");
const writersEach = 4;
const pageLength = 7;
const headers = { authorization: `Bearer ${programToken}`, "content-type": "application/json" };

/** Appends its share of events, in batches of one to nine. */
async function write(server: Server, name: string, share: number): Promise<void> {
  for (let sent = 0; sent < share; ) {
    const size = Math.min(share - sent, 1 + (sent % 9));
    const events = Array.from({ length: size }, (_, index) => ({
      ...{ kind: "step.usage", actor: `agent:${name}`, summary: `${sent + index}` },
    }));
    const response = await fetch(`${server.origin}/api/v1/events`, {
      method: "POST",
      headers,
      body: JSON.stringify({ events }),
    });
    expect([response.status, await response.text()]).toEqual([200, `{"accepted":${size},"duplicates":0}`]);
    sent += size;
  }
}

/**
 * Polls for what is newer than the newest it holds, each time at another process, and drains each poll by
 * `next_before`.
 */
async function poll(servers: Server[]): Promise<number[]> {
  const found: number[] = [];
  for (let newest = "1970-01-01T00:00:00Z", turn = 0; found.length < total; turn++) {
    const origin = must(servers[turn % servers.length]).origin;
    let newestOfTurn: string | undefined;
    for (let before: string | null | undefined; before !== null; ) {
      const query = new URLSearchParams({
        after: newest,
        limit: String(pageLength),
        ...(before && { before }),
      });
      const page = (await (await fetch(`${origin}/api/v1/feed?${query}`, { headers })).json()) as FeedPage;
      for (const [index, one] of page.events.entries()) {
        if (index > 0) expect(one.ts < must(page.events[index - 1]).ts).toBe(true);
        found.push(one.id);
      }
      newestOfTurn ??= page.events[0]?.ts;
      before = page.next_before;
    }
    newest = newestOfTurn ?? newest;
  }
  return found;
}

/**
 * Follows the stream; drops it after some events, and comes back with the id of the last one. `ready` once it
 * listens.
 */
async function listen(server: Server, ready: () => void): Promise<number[]> {
  const found: number[] = [];
  let [lastTs, drops] = ["", 0];
  while (found.length < total) {
    const gone = new AbortController();
    const resume = found.length > 0 ? { "last-event-id": String(found.at(-1)) } : {};
    const response = await fetch(`${server.origin}/api/v1/feed/stream`, {
      headers: { ...headers, ...resume },
      signal: gone.signal,
    });
    ready();
    const until = found.length + 1 + ((drops++ * 37) % 150);
    for await (const { id, event } of readFrames(response).events) {
      expect(event.id).toBe(id);
      expect(id > (found.at(-1) ?? 0) && event.ts > lastTs).toBe(true);
      lastTs = event.ts;
      if (found.push(id) >= Math.min(until, total)) break;
    }
    gone.abort();
  }
  expect(drops).toBeGreaterThan(5);
  return found;
}

describe.each(dialects)("following the feed of two processes on %s", (dialect) => {
  test(`${total} events: none missed and none twice, by polling and on the stream`, async () => {
    await using database = await migratedDatabase(dialect);
    await using first = await startServer(database);
    await using second = await startServer(database);
    const servers = [first, second];
    const listening = Promise.withResolvers<void>();
    const live = listen(second, listening.resolve);
    await Promise.race([listening.promise, live]);
    const polled = poll(servers);
    const share = total / servers.length / writersEach;
    const writers = servers.flatMap((server, index) =>
      Array.from({ length: writersEach }, (_, number) => write(server, `w${index}-${number}`, share)),
    );
    const [fromStream, fromPolls] = await Promise.all([live, polled, ...writers]);
    const ids = Array.from({ length: total }, (_, index) => index + 1);
    expect(fromStream).toEqual(ids);
    expect(fromPolls.toSorted((a, b) => a - b)).toEqual(ids);
    reached("tail", total);
  });
});
