/** `svc feed`: prints past events, oldest first, then follows new ones. */
import { defineCommand } from "citty";
import { parseActors } from "../../../src/core/auth/actor-name.ts";
import { ceilMicros, fromMicros, type Micros, toMicros } from "../../../src/core/lib/time.ts";
import {
  type FeedFilter,
  type FeedFilterName,
  feedFilterNames,
  feedFilters,
  pickFilters,
} from "../../../src/feed/filters.ts";
import { failureOf, kinds } from "../../../src/feed/kinds.ts";
import { FeedQuery } from "../../../src/feed/requests.ts";
import { isPipeline } from "../../../src/feed/runs/pipelines.ts";
import type { Event, EventKind } from "../../../src/feed/schema.ts";
import { type ApiArgs, apiFlags, openRemote } from "../../api.ts";
import { checkFlags, type FlagOf, flagOf, printLine } from "../../command.ts";
import { UsageError } from "../../command-errors.ts";
import { serverTarget } from "../../login/target.ts";
import { open } from "../../open.ts";
import { parseDuration } from "../../output/duration.ts";
import { note } from "../../output/report.ts";
import { terminalWidth } from "../../output/terminal.ts";
import { feedLine } from "./feed-line.ts";
import { type Bounds, type EventJson, type FeedSource, localFeed, remoteFeed } from "./feed-source.ts";

/** One flag for each filter of the feed. */
const filterFlags = Object.fromEntries(
  feedFilterNames.map((name) => [
    flagOf(name),
    {
      type: "string",
      description: `Filter by ${feedFilters[name].label.toLowerCase()}${
        feedFilters[name].cardinality === "selective" ? "" : "; separate several with commas"
      }`,
    },
  ]),
) as Record<FlagOf<FeedFilterName>, { type: "string"; description: string }>;

export default defineCommand({
  args: {
    follow: { type: "boolean", alias: "f", description: "Follow new events" },
    ...filterFlags,
    limit: {
      type: "string",
      description: "Number of events, 1 to 200 (default: 50; with --since or --after: all)",
    },
    cursor: { type: "string", description: "Cursor of the next older page, as printed by the page before" },
    before: { type: "string", description: "Only events before this time (RFC 3339)" },
    after: { type: "string", description: "Only events after this time (RFC 3339)" },
    since: { type: "string", description: "Only events of this long ago or less: 90s, 15m, 1h, 7d" },
    "until-event": {
      type: "string",
      description: "Wait for a new event of this kind and exit 0, or 1 if its failed counterpart arrives",
      valueHint: "kind",
    },
    relative: { type: "boolean", description: "Show relative times" },
    ...apiFlags,
  },
  async run({ args }) {
    const until = args["until-event"];
    if (until !== undefined && args.kind)
      throw new UsageError("--until-event and --kind cannot be used together.");
    if (until !== undefined && !kinds.includes(until as EventKind))
      throw new UsageError(`--until-event must be one of ${kinds.join(", ")}.`);
    if (args.since && args.after) throw new UsageError("--since and --after cannot be used together.");
    const { limit, cursor, before } = args;
    const after = args.since
      ? fromMicros(Date.now() * 1000 - parseDuration("since", args.since))
      : args.after;
    const actor = args.actor === undefined ? undefined : parseActors(args.actor).join();
    const query = checkFlags(FeedQuery, { ...args, actor, after });
    const print = eventPrinter(args.json === true, args.relative === true);

    const source = await openSource(args);
    const filter = pickFilters(query);
    await source.requireProjectAndLane(filter);
    const bounds = { ...(cursor && { cursor }), ...(before && { before }), ...(after && { after }) };
    const head = await source.head();
    const isFollowing = args.follow || until !== undefined;
    if (until === undefined && limit === undefined && after !== undefined)
      for await (const event of source.all(filter, bounds, head)) await print(event);
    else if (until === undefined) {
      const page = await source.page(filter, bounds, head, query.limit ?? 50);
      for (const event of page.events) await print(event);
      // On standard error, so that standard output has only events.
      if (page.cursor && !isFollowing) note(args, `Older: --cursor ${page.cursor}`);
    }
    process.exit(
      isFollowing ? await follow(source, { filter, bounds, head, print }, until as EventKind | undefined) : 0,
    );
  },
});

async function openSource(args: ApiArgs): Promise<FeedSource> {
  const target = serverTarget(args);
  if (target) return remoteFeed(openRemote(target));
  return localFeed(await open({ SVC_DATA_DIR: args["data-dir"] }, { advice: "server" }));
}

interface FollowOptions {
  filter: FeedFilter;
  bounds: Bounds;
  head: Micros;
  print(event: EventJson): Promise<void>;
}

/**
 * Prints new events until a signal, or until the event waited for arrives. To wait for a run is to wait for
 * an agent: a pipeline ends the wait only if the filter names a run or an actor.
 *
 * @returns the exit code: 0, 1 if the failed counterpart of the event arrived, or 130 if a signal ended the
 * wait
 */
async function follow(
  source: FeedSource,
  { filter, bounds, head, print }: FollowOptions,
  until: EventKind | undefined,
): Promise<number> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const end = bounds.before === undefined ? Number.POSITIVE_INFINITY : ceilMicros(bounds.before);
  const namesRun = filter.run_id !== undefined || filter.actor !== undefined;
  for await (const event of source.live(filter, head, stop.signal)) {
    const { kind, ts, run_id } = JSON.parse(event) as Event;
    if (toMicros(ts) >= end) continue;
    await print(event);
    if (kind.startsWith("run.") && isPipeline(run_id) && !namesRun) continue;
    if (until !== undefined && kind === until) return 0;
    if (until !== undefined && kind === failureOf(until)) return 1;
  }
  return until === undefined ? 0 : 130;
}

function eventPrinter(json: boolean, relative: boolean): (event: EventJson) => Promise<void> {
  const style = { time: relative ? ("relative" as const) : ("absolute" as const), nowMs: Date.now };
  return (event) => {
    const width = terminalWidth();
    return printLine(json ? event : feedLine(JSON.parse(event), { ...style, width }));
  };
}
