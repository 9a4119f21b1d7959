/** `svc feed`: history first, oldest on top as a log reads, then what comes. */
import { defineCommand } from "citty";
import {
  type Event,
  type EventKind,
  type FeedFilter,
  type FeedFilterName,
  type FeedQuery,
  FeedQuery as FeedQuerySchema,
  failureKinds,
  feedFilterNames,
  feedFilters,
  kinds,
  pickFilters,
} from "../src/feed/schema.ts";
import { ceilMicros, fromMicros, type Micros, toMicros } from "../src/lib/time.ts";
import { checkInput, fromText } from "../src/lib/validate.ts";
import { type ApiArgs, openThere, remoteFlags, serverOf } from "./api.ts";
import { jsonFlag, run, say, UsageError } from "./command.ts";
import { duration } from "./duration.ts";
import { feedLine } from "./feed-line.ts";
import { type Bounds, type FeedSource, feedHere, feedThere, type Wire } from "./feed-source.ts";
import { open } from "./open.ts";

/** One flag for each filter of the feed. */
const filterFlags = Object.fromEntries(
  feedFilterNames.map((name) => [
    name,
    { type: "string", description: `Only this ${feedFilters[name].label.toLowerCase()}` },
  ]),
) as Record<FeedFilterName, { type: "string"; description: string }>;

export default defineCommand({
  args: {
    follow: { type: "boolean", alias: "f", description: "Go on with what comes" },
    ...filterFlags,
    limit: {
      type: "string",
      description: "How many of the newest, 1 to 200 (default 50; all with --since or --after)",
    },
    cursor: { type: "string", description: "Page before the one that printed this cursor" },
    before: { type: "string", description: "Only older than this instant" },
    after: { type: "string", description: "Only newer than this instant" },
    since: { type: "string", description: "Only of the last 90s, 15m, 1h, 7d" },
    "until-event": {
      type: "string",
      description: "Wait for an event of this kind: exit 0, or 1 on its failed twin",
      valueHint: "kind",
    },
    relative: { type: "boolean", description: "Show how long ago instead of when" },
    ...jsonFlag,
    ...remoteFlags,
  },
  run: run(async ({ args }) => {
    const until = args["until-event"];
    if (until !== undefined && args.kind)
      throw new UsageError("--until-event and --kind cannot be given together");
    if (until !== undefined && !kinds.includes(until as EventKind))
      throw new UsageError(`--until-event takes one of ${kinds.join(", ")}`);
    if (args.since && args.after) throw new UsageError("--since and --after cannot be given together");
    const { limit, cursor, before } = args;
    const after = args.since ? fromMicros(Date.now() * 1000 - duration("since", args.since)) : args.after;
    const filters = Object.fromEntries(feedFilterNames.map((name) => [name, args[name]]));
    const given = Object.entries({ ...filters, cursor, before, after, limit }).flatMap(
      ([name, text]): [string, unknown][] =>
        text === undefined
          ? []
          : [[name, fromText(FeedQuerySchema.properties[name as keyof FeedQuery], text)]],
    );
    const query = checkInput(FeedQuerySchema, new Map(given)) as FeedQuery;
    const print = printer(args.json === true, args.relative === true);

    const source = await openSource(args);
    const filter = pickFilters(query);
    await source.requireKnown(filter);
    const bounds = { ...(cursor && { cursor }), ...(before && { before }), ...(after && { after }) };
    const head = await source.head();
    const following = args.follow || until !== undefined;
    if (until === undefined && limit === undefined && after !== undefined)
      for await (const wire of source.all(filter, bounds, head)) await print(wire);
    else if (until === undefined) {
      const page = await source.page(filter, bounds, head, query.limit ?? 50);
      for (const wire of page.wires) await print(wire);
      // On standard error: the events alone are the output, also as JSON.
      if (page.cursor && !following) process.stderr.write(`Older: --cursor ${page.cursor}\n`);
    }
    process.exit(
      following ? await follow(source, { filter, bounds, head, print }, until as EventKind | undefined) : 0,
    );
  }),
});

async function openSource(args: ApiArgs): Promise<FeedSource> {
  const server = serverOf(args);
  if (server === undefined) return feedHere(await open({ SVC_DATA_DIR: args["data-dir"] }));
  return feedThere(openThere(server, args), server, process.env.SVC_TOKEN);
}

interface Following {
  filter: FeedFilter;
  bounds: Bounds;
  head: Micros;
  print(wire: Wire): Promise<void>;
}

/**
 * @returns the exit code: 0, or 1 where the failed twin of what was waited for came, or 130 where waiting was
 * cut short
 */
async function follow(
  source: FeedSource,
  { filter, bounds, head, print }: Following,
  until: EventKind | undefined,
): Promise<number> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const end = bounds.before === undefined ? Number.POSITIVE_INFINITY : ceilMicros(bounds.before);
  for await (const wire of source.live(filter, head, stop.signal)) {
    const { kind, ts } = JSON.parse(wire) as Event;
    if (toMicros(ts) >= end) continue;
    await print(wire);
    if (until !== undefined && kind === until) return 0;
    if (until !== undefined && kind === failureKinds[until]) return 1;
  }
  return until === undefined ? 0 : 130;
}

function printer(json: boolean, relative: boolean): (wire: Wire) => Promise<void> {
  const style = { time: relative ? ("relative" as const) : ("absolute" as const), nowMs: Date.now };
  return (wire) => {
    const width = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;
    return say(json ? wire : feedLine(JSON.parse(wire), { ...style, width }));
  };
}
