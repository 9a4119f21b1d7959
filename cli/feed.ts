/** `svc feed`: history first, oldest on top as a log reads, then what comes. */
import { defineCommand } from "citty";
import { checkInput } from "../src/check.ts";
import type { FeedFilter, Rendered } from "../src/data.ts";
import { filterOf } from "../src/feed/feed.ts";
import { liveEvents } from "../src/feed/live.ts";
import { type Event, type EventKind, type FeedQuery, FeedQuery as FeedQuerySchema, failedTwin, kinds } from "../src/feed/schema.ts";
import { ceilMicros, fromMicros, type Micros, toMicros } from "../src/time.ts";
import { dataDirFlag, jsonFlag, run, say, UsageError } from "./command.ts";
import { duration } from "./duration.ts";
import { feedLine } from "./feed-line.ts";
import { type Opened, open } from "./open.ts";

const batchLength = 500;

export default defineCommand({
  args: {
    follow: { type: "boolean", alias: "f", description: "Go on with what comes" },
    project: { type: "string", description: "Only this project" },
    kind: { type: "string", description: "Only this kind of event" },
    actor: { type: "string", description: "Only this actor, <kind>:<name>" },
    lane: { type: "string", description: "Only this lane" },
    limit: { type: "string", description: "How many of the newest, 1 to 200 (default 50; all with --since or --after)" },
    before: { type: "string", description: "Only older than this instant" },
    after: { type: "string", description: "Only newer than this instant" },
    since: { type: "string", description: "Only of the last 90s, 15m, 1h, 7d" },
    "until-event": { type: "string", description: "Wait for an event of this kind: exit 0, or 1 on its failed twin", valueHint: "kind" },
    relative: { type: "boolean", description: "Show how long ago instead of when" },
    ...jsonFlag,
    ...dataDirFlag,
  },
  run: run(async ({ args }) => {
    const until = args["until-event"];
    if (until !== undefined && args.kind) throw new UsageError("--until-event and --kind cannot be given together");
    if (until !== undefined && !kinds.includes(until as EventKind)) throw new UsageError(`--until-event takes one of ${kinds.join(", ")}`);
    if (args.since && args.after) throw new UsageError("--since and --after cannot be given together");
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    const { limit, before, project, kind, actor, lane } = args;
    const after = args.since ? fromMicros(ctx.now() - duration("since", args.since)) : args.after;
    const given = Object.entries({
      project,
      kind,
      actor,
      lane,
      before,
      after,
      limit: limit && /^\d+$/.test(limit) ? Number(limit) : limit,
    });
    const query = checkInput(FeedQuerySchema, new Map(given.filter(([, value]) => value !== undefined))) as FeedQuery;
    const reading: Reading = {
      ctx,
      query,
      filter: filterOf(ctx.config, query),
      head: await ctx.data.head(),
      print: printer(args.json === true, args.relative === true),
    };

    if (until === undefined) await (limit === undefined && after !== undefined ? printAll(reading) : printPage(reading));
    const code = args.follow || until !== undefined ? await follow(reading, until as EventKind | undefined) : 0;
    await ctx.close();
    process.exit(code);
  }),
});

interface Reading {
  ctx: Opened;
  query: FeedQuery;
  filter: FeedFilter;
  /** The newest event when reading began: history ends with it, following begins behind it. */
  head: Micros;
  print(event: Rendered): Promise<void>;
}

/** The newest page, oldest first. */
async function printPage({ ctx, query: { before, after, limit = 50 }, filter, head, print }: Reading): Promise<void> {
  const end = Math.min(head + 1, before === undefined ? head + 1 : ceilMicros(before));
  const page = await ctx.data.feed(null, { ...filter, before: end, ...(after !== undefined && { after: toMicros(after) }), limit });
  for (const event of page.reverse()) await print(event);
}

/** Everything in the bounds, oldest first, however much it is. */
async function printAll({ ctx, query: { before, after = "" }, filter, head, print }: Reading): Promise<void> {
  const end = Math.min(head + 1, before === undefined ? head + 1 : ceilMicros(before));
  for (let last = toMicros(after); ; ) {
    const batch = await ctx.data.feedSince(null, { ...filter, after: last, limit: batchLength });
    for (const event of batch) if (event.ts < end) await print(event);
    last = batch.at(-1)?.ts ?? end;
    if (last >= end - 1) return;
  }
}

/** @returns the exit code: 0, or 1 where the failed twin of what was waited for came, or 130 where waiting was cut short */
async function follow({ ctx, query: { before }, filter, head, print }: Reading, until: EventKind | undefined): Promise<number> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const end = before === undefined ? Number.POSITIVE_INFINITY : ceilMicros(before);
  for await (const batch of liveEvents(ctx.data, ctx.follower, { projects: null, filter, after: head, signal: stop.signal })) {
    for (const event of batch.filter(({ ts }) => ts < end)) {
      await print(event);
      const { kind } = JSON.parse(event.wire) as Event;
      if (until !== undefined && kind === until) return 0;
      if (until !== undefined && kind === failedTwin[until]) return 1;
    }
  }
  return until === undefined ? 0 : 130;
}

function printer(json: boolean, relative: boolean): (event: Rendered) => Promise<void> {
  const style = { time: relative ? ("relative" as const) : ("absolute" as const), nowMs: Date.now };
  return async ({ wire }) => {
    const width = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;
    await say(json ? wire : feedLine(JSON.parse(wire), { ...style, width }));
  };
}
