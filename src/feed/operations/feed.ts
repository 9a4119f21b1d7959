/** Operations on the feed and on runs. */

import { operationOf } from "../../core/operation.ts";
import type { FeedContext } from "../context.ts";
import { feedPage } from "../feed.ts";
import { appendEvents } from "../ingest/append-events.ts";
import { reportRun as appendRunEvent } from "../ingest/report-run.ts";
import { ReportedRun, RunReport } from "../ingest/run-schema.ts";
import { AppendRequest, AppendResult } from "../ingest/schema.ts";
import { streamFeed } from "../live.ts";
import { FeedQuery, StreamQuery } from "../requests.ts";
import { listRuns as loadRuns } from "../runs/runs.ts";
import { RunPage, RunsQuery } from "../runs/schema.ts";
import { runsText } from "../runs/text.ts";
import { Event, FeedPage } from "../schema.ts";
import { feedText } from "../text.ts";

const operation = operationOf<FeedContext>("feed");

export const getFeed = operation({
  id: "getFeed",
  summary: "List events",
  description:
    "Newest first. For the next, older page, pass `next_cursor` as `cursor`. To poll for new events, pass " +
    "the `ts` of your newest event as `after` and follow `cursor` until `next_cursor` is null.",
  scope: "feed:read",
  stable: true,
  http: { method: "GET", path: "/feed", revalidates: true },
  tool: { name: "svc_get_feed", title: "Read the feed", forPrograms: true, unlistedFields: ["task"] },
  input: FeedQuery,
  output: FeedPage,
  run: (ctx, query, caller) => feedPage(ctx.data, ctx.config, query, caller),
});

export const streamEvents = operation({
  id: "streamFeed",
  summary: "Stream events",
  description:
    "Server-Sent Events: `id` is the event's id, `data` one Event on a single line. Starts with new " +
    "events, or after `after`; `Last-Event-ID` resumes without a gap. A comment every 15 seconds " +
    "keeps the connection alive. Events imported into the past are not streamed.",
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
  summary: "Append events",
  description:
    "1 to 1000 events, all or nothing. The service assigns each event its `id` and `ts`. An event " +
    "whose `dedupe_key` already exists in its project (or, without a project, was already sent " +
    "with the same token) adds nothing, so you can safely resend a batch after an error. Report " +
    "only the tokens and cost of the event itself: a run must not repeat those of its steps.",
  scope: "feed:write",
  http: { method: "POST", path: "/events", body: "AppendRequest", bodyBytesMax: 4 * 2 ** 20 },
  input: AppendRequest,
  output: AppendResult,
  run: (ctx, input, caller) => appendEvents(ctx, input, caller),
});

export const reportRun = operation({
  id: "reportRun",
  summary: "Report a run",
  description:
    "Start it, report its steps, finish or fail it. If hooks report your session, this adds to its run: " +
    "use the returned `run_id`. Each call reports only its own tokens and cost; a repeated one adds nothing.",
  scope: "feed:write",
  writes: true,
  tool: { name: "svc_report_run", title: "Report a run", idempotent: true, unlistedFields: ["task"] },
  input: RunReport,
  output: ReportedRun,
  run: appendRunEvent,
});

export const listRuns = operation({
  id: "listRuns",
  tag: "runs",
  summary: "List runs",
  description: "What agents did. `sort` orders the newest 500.",
  scope: "feed:read",
  http: { method: "GET", path: "/runs" },
  tool: { name: "svc_runs", title: "List runs", text: runsText, unlistedFields: ["task"] },
  input: RunsQuery,
  output: RunPage,
  run: loadRuns,
});

export const readFeed = operation({
  id: "readFeed",
  tag: "memory",
  summary: "Read the feed as text",
  description: "The same page as svc_get_feed, as text with one event per line. For command-line sessions.",
  scope: "memory:read",
  tool: {
    name: "svc_feed",
    title: "Read the feed as text",
    text: feedText,
    unlistedFields: ["task", "team", "person"],
  },
  input: FeedQuery,
  output: FeedPage,
  run: (ctx, query, caller) => feedPage(ctx.data, ctx.config, query, caller),
});
