/** `svc feed`: history first, oldest on top as a log reads, then what comes. */
import { defineCommand } from "citty";
import { checkInput } from "../src/check.ts";
import type { Projects, Rendered } from "../src/data.ts";
import { feedPage, filterOf } from "../src/feed/feed.ts";
import { liveEvents } from "../src/feed/live.ts";
import { type Event, type EventKind, type FeedQuery, FeedQuery as FeedQuerySchema, failedTwin, kinds } from "../src/feed/schema.ts";
import { ceilMicros, fromMicros, type Micros } from "../src/time.ts";
import { dataDirFlag, jsonFlag, run, UsageError } from "./command.ts";
import { duration } from "./duration.ts";
import { feedLine } from "./feed-line.ts";
import { type Opened, open } from "./open.ts";

const pageLength = 200;
const everyProject: { projects: Projects } = { projects: null };

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
    const print = printer(args.json === true, args.relative === true);

    const head = await ctx.data.head();
    if (until === undefined) for (const event of await history(ctx, query, head, limit === undefined && after !== undefined)) print(event);
    let code = 0;
    if (args.follow || until !== undefined) code = await follow(ctx, query, head, print, until as EventKind | undefined);
    await ctx.close();
    process.exit(code);
  }),
});

/** Oldest first: the newest page, or everything in the bounds. */
async function history(ctx: Opened, query: FeedQuery, head: Micros, all: boolean): Promise<string[]> {
  const lines: string[] = [];
  let before = query.before ?? fromMicros(head + 1);
  for (;;) {
    const { text } = await feedPage(
      ctx.data,
      ctx.config,
      { ...query, before, limit: all ? pageLength : (query.limit ?? 50) },
      everyProject,
    );
    const { events, next_before } = JSON.parse(text) as { events: Event[]; next_before: string | null };
    lines.push(...events.map((event) => JSON.stringify(event)));
    if (!all || next_before === null) return lines.reverse();
    before = next_before;
  }
}

/** @returns the exit code: 0, or 1 where the failed twin of what was waited for came, or 130 where waiting was cut short */
async function follow(
  ctx: Opened,
  query: FeedQuery,
  head: Micros,
  print: (wire: string) => void,
  until: EventKind | undefined,
): Promise<number> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const last = query.before === undefined ? Number.POSITIVE_INFINITY : ceilMicros(query.before);
  for await (const batch of liveEvents(ctx.data, ctx.follower, {
    projects: null,
    filter: filterOf(ctx.config, query),
    after: head,
    signal: stop.signal,
  })) {
    for (const event of batch.filter(({ ts }) => ts < last)) {
      print(event.wire);
      const { kind } = JSON.parse(event.wire) as Event;
      if (until !== undefined && kind === until) return 0;
      if (until !== undefined && kind === failedTwin[until]) return 1;
    }
  }
  return until === undefined ? 0 : 130;
}

function printer(json: boolean, relative: boolean): (wire: Rendered["wire"]) => void {
  const style = { time: relative ? ("relative" as const) : ("absolute" as const), nowMs: Date.now };
  return (wire) => {
    const width = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;
    process.stdout.write(`${json ? wire : feedLine(JSON.parse(wire), { ...style, width })}\n`);
  };
}
