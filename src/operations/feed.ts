import { feedPage } from "../feed/feed.ts";
import { streamFeed } from "../feed/live.ts";
import { AppendRequest, AppendResult, Event, FeedPage, FeedQuery, StreamQuery } from "../feed/schema.ts";
import { appendEvents } from "../ingest/append-events.ts";
import { operation } from "./operation.ts";

export const getFeed = operation({
  id: "getFeed",
  tag: "feed",
  summary: "Read a page of events",
  description:
    "Events, newest first. To page backwards pass `cursor` = `next_cursor`. `before` = `next_before` does the same, but a date type with milliseconds cuts its microseconds and then loses events, so prefer the cursor. To poll forwards pass `after` = the `ts` of the newest event you hold, and drain the pages by `cursor` while `next_cursor` is not null.",
  scope: "feed:read",
  stable: true,
  http: { method: "GET", path: "/feed", revalidates: true },
  tool: { name: "svc_get_feed", title: "Read the feed" },
  input: FeedQuery,
  output: FeedPage,
  run: (ctx, query, caller) => feedPage(ctx.data, ctx.config, query, caller),
});

export const streamEvents = operation({
  id: "streamFeed",
  tag: "feed",
  summary: "Follow the feed live",
  description:
    "Server-Sent Events: `id` is the event's id, `data` one Event on one line. Starts with what is new, or after `after`; `Last-Event-ID` resumes without a gap. A comment comes every 15 seconds. Events imported into the past do not appear.",
  scope: "feed:read",
  http: {
    method: "GET",
    path: "/feed/stream",
    stream: true,
    headers: { last_event_id: "Last-Event-ID" },
    errors: [404],
  },
  input: StreamQuery,
  output: Event,
  run: streamFeed,
});

export const postEvents = operation({
  id: "appendEvents",
  tag: "feed",
  summary: "Append events",
  description:
    "1 to 1000 events, all or nothing. The service gives each its `id` and `ts`. An event whose `dedupe_key` its project has already adds nothing (without a project: one that the same token has sent), so a batch can be sent again after an error. Tokens and cost are those of the event alone: a run must not repeat what its steps have said.",
  scope: "feed:write",
  writes: true,
  http: { method: "POST", path: "/events", body: "AppendRequest", bodyBytesMax: 4 * 2 ** 20 },
  input: AppendRequest,
  output: AppendResult,
  run: appendEvents,
});
