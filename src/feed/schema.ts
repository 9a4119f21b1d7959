/** Schemas of events, of appending them, and of reading the feed. */
import { type Static, type TOptional, type TSchema, Type } from "@sinclair/typebox";
import { Cursor } from "../lib/cursor.ts";
import { fromMicros } from "../lib/time.ts";
import {
  Actor,
  asUri,
  Choice,
  Cost,
  Count,
  DateTime,
  HttpsUrl,
  Id,
  Lane,
  Limit,
  Line,
  Nullable,
  OneOrMore,
  OpenChoice,
  RecordedLane,
  Repo,
  RunId,
  Slug,
  TaskNumber,
  Uri,
  valuesOf,
} from "../wire.ts";

/** Kinds that only the service writes, when it performs the action; requests cannot append them. */
export const serviceKinds = [
  "decision.captured",
  "decision.retired",
  "preference.set",
  "project.linked",
  "memory.consolidated",
  "onboard.refreshed",
  "asset.uploaded",
  "asset.reviewed",
  "asset.published",
] as const;

export const reportableKinds = [
  "issue.opened",
  "issue.labeled",
  "issue.closed",
  "run.started",
  "run.finished",
  "run.failed",
  "step.usage",
  "pr.opened",
  "pr.review",
  "pr.merged",
  "pr.closed",
  "workflow.run",
  "preview.ready",
  "preview.failed",
] as const;

export const kinds = [...reportableKinds, ...serviceKinds] as const;

const kindOptions = { description: "Kind of event.", examples: ["run.finished"] };
export const EventKind = Choice(kinds, kindOptions);
export type EventKind = Static<typeof EventKind>;

/** The failure event for each success event: a wait for one must also end at the other. */
export const failureKinds: Partial<Record<EventKind, EventKind>> = {
  "run.finished": "run.failed",
  "preview.ready": "preview.failed",
};

const name = (description: string, example: string) =>
  Nullable(Line(128, { description, examples: [example] }));

/** Every field of an event, once and in wire order. */
const fields = {
  id: Id({ description: "Event id.", examples: [4711] }),
  ts: DateTime({
    description: "When the event was appended, to the microsecond. Unique.",
    examples: ["2026-01-02T03:04:05.123456Z"],
  }),
  kind: EventKind,
  actor: Actor,
  summary: Line(1024, {
    description: "What happened, in one line.",
    examples: ["Run 7 finished: 12 files changed"],
  }),
  project: Nullable(Slug),
  repo: Nullable(Repo),
  issue: Nullable(TaskNumber),
  pr: Nullable(TaskNumber),
  lane: Nullable(Lane),
  model: name("Model that did the work.", "claude-sonnet-4-5"),
  subscription: name("Subscription or account the work was billed to.", "team"),
  tokens_in: Count("Input tokens of this event alone.", 18_234),
  tokens_out: Count("Output tokens of this event alone.", 2_960),
  cache_read: Count("Tokens read from the provider's cache.", 96_000),
  cache_write: Count("Tokens written to the provider's cache.", 4_100),
  cost_equiv: Cost("Cost in USD at the gateway's list price.", 0.42, { maximum: 1e12 }),
  duration_ms: Nullable(Count("Duration in milliseconds.", 61_250)),
  url: Nullable(HttpsUrl({ description: "Link to more details, an https URL." })),
  run_id: Nullable(RunId("Id of its run; unique within the project.", "run-7")),
};

export const Event = Type.Object(
  {
    ...fields,
    kind: OpenChoice(kinds, {
      ...kindOptions,
      description: "Kind of event. New kinds may be added: accept any string.",
    }),
    lane: Nullable(RecordedLane),
    url: Nullable(Uri({ description: "Link to more details." })),
    run_id: Type.Optional(fields.run_id),
  },
  { $id: "Event", description: "Something that happened. Events are never changed or removed." },
);
export type Event = Static<typeof Event>;

export const eventFields = Object.keys(Event.properties) as (keyof Event)[];

const { id: _id, ts: _ts, kind, actor, summary, ...optional } = fields;

/**
 * Prefixes of the keys that the service derives from webhook deliveries and imported lines. Those keys are
 * unique in the whole feed.
 */
export const reservedKeyPrefixes = ["github:", "webhook:", "line:"] as const;
/** The prefix of keys from webhooks of senders other than GitHub. */
export const [, webhookKeyPrefix] = reservedKeyPrefixes;
export const isReservedKey = (key: string): boolean =>
  reservedKeyPrefixes.some((prefix) => key.startsWith(prefix));

/**
 * Returns the scope in which a caller's key is unique: the project or, for an event without one, the token.
 */
export const dedupeScope = (project: string | null, token: string): string =>
  project === null ? `token:${token}` : `project:${project}`;

/**
 * An event to append; the service adds `id` and `ts`. Not called `NewEvent`: Go generators give that name to
 * the constructor of `Event`.
 */
export const EventInput = Type.Object(
  {
    kind: Choice(reportableKinds, kindOptions),
    ...{ actor, summary },
    ...Type.Partial(Type.Object(optional)).properties,
    ts: Type.Optional(
      DateTime({
        description: "When it happened, according to the sender. Stored, but never orders the feed.",
      }),
    ),
    parent_run_id: Type.Optional(Nullable(RunId("The run that started this one.", "run-6"))),
    dedupe_key: Type.Optional(
      Nullable(
        Line(255, {
          description:
            "Idempotency key: unique within the project or, for an event without a project, within " +
            "the token. Appending it again adds nothing. The prefixes `github:`, `webhook:` and " +
            "`line:` are reserved.",
          examples: ["run-7-finished"],
        }),
      ),
    ),
  },
  { $id: "EventInput", description: "An event to append." },
);
export type EventInput = Static<typeof EventInput>;

/** An imported past event: every kind is allowed. */
export const ImportedEvent = Type.Object({ ...EventInput.properties, kind });
export type ImportedEvent = Static<typeof ImportedEvent>;

/** An event as stored in its row: `ts` is in microseconds. */
export type EventRow = Omit<Event, "ts" | "run_id"> & { ts: number; run_id: string | null };

/**
 * Renders an event as JSON, once, when it is appended. The text is stored with the row and sent unchanged. It
 * has no `run_id` when the sender gave none, like the events from before that field.
 */
export function renderEvent(row: EventRow): string {
  const event: Record<string, unknown> = {};
  for (const field of eventFields) event[field] = row[field];
  if (row.run_id === null) delete event.run_id;
  event.ts = fromMicros(row.ts);
  if (row.url !== null) event.url = asUri(row.url);
  return JSON.stringify(event);
}

export interface FeedFilterRow<T extends TSchema = TSchema> {
  schema: T;
  /** Label in forms. */
  label: string;
  /** Choices, if known: a fixed list, or a list of the deployment. */
  options?: readonly string[] | "projects" | "lanes";
  /**
   * `facet`: few distinct values; events are also listed by the combination of all facets, see
   * db/feed/facets.ts. `selective`: few events have the same value; its index is `(value, ts, project)`.
   */
  cardinality: "facet" | "selective";
}
/** A facet filter takes several values: an event matches if it has one of them. */
const filter = <T extends TSchema, const C extends FeedFilterRow["cardinality"]>(
  cardinality: C,
  label: string,
  schema: T,
  options?: FeedFilterRow["options"],
) => ({ cardinality, label, schema, ...(options && { options }) });

/**
 * The filters of the feed, by the field of Event they compare. HTTP, MCP, the command line, the web pages and
 * the SQL are derived from this table.
 */
export const feedFilters = {
  project: filter("facet", "Project", Slug, "projects"),
  kind: filter("facet", "Kind", EventKind, kinds),
  actor: filter("facet", "Actor", Actor),
  lane: filter("facet", "Lane", Lane, "lanes"),
  run_id: filter("selective", "Run", RunId("Run id.")),
  issue: filter("selective", "Issue", { ...TaskNumber, description: "Issue number." }),
  pr: filter("selective", "Pull request", { ...TaskNumber, description: "Pull request number." }),
} as const satisfies Partial<Record<keyof Event, FeedFilterRow>>;

export type FeedFilterName = keyof typeof feedFilters;
type NamesOf<C extends FeedFilterRow["cardinality"]> = {
  [N in FeedFilterName]: (typeof feedFilters)[N]["cardinality"] extends C ? N : never;
}[FeedFilterName];

export const feedFilterNames = Object.keys(feedFilters) as FeedFilterName[];
const filtersWith = <C extends FeedFilterRow["cardinality"]>(cardinality: C) =>
  feedFilterNames.filter((name) => feedFilters[name].cardinality === cardinality) as NamesOf<C>[];
export const facetFilters = filtersWith("facet");
export const selectiveFilters = filtersWith("selective");

type ValueOf<N extends FeedFilterName> = Static<(typeof feedFilters)[N]["schema"]>;
export type FeedFilter = {
  -readonly [N in FeedFilterName]?: N extends NamesOf<"facet"> ? ValueOf<N> | ValueOf<N>[] : ValueOf<N>;
};

/** Returns only the filters of a query, so that equal filters are equal as JSON. */
export const pickFilters = (query: FeedFilter): FeedFilter =>
  Object.fromEntries(
    feedFilterNames.flatMap((name) => {
      const values = [...new Set(valuesOf<string | number>(query[name]))].toSorted();
      return values.length === 0 ? [] : [[name, values.length === 1 ? values[0] : values]];
    }),
  );

const filters = Object.fromEntries(
  feedFilterNames.map((name) => {
    const { schema, cardinality } = feedFilters[name];
    return [name, Type.Optional(cardinality === "facet" ? OneOrMore(schema) : schema)];
  }),
) as {
  [N in FeedFilterName]: TOptional<
    N extends NamesOf<"facet">
      ? ReturnType<typeof OneOrMore<(typeof feedFilters)[N]["schema"]>>
      : (typeof feedFilters)[N]["schema"]
  >;
};

export const FeedQuery = Type.Object({
  ...filters,
  limit: Limit(50),
  cursor: Type.Optional(Cursor()),
  before: Type.Optional(DateTime({ description: "Only events strictly older than this time." })),
  after: Type.Optional(DateTime({ description: "Only events strictly newer than this time." })),
});
export type FeedQuery = Static<typeof FeedQuery>;

export const FeedPage = Type.Object(
  {
    events: Type.Array(Event),
    count: Type.Integer({ minimum: 0, description: "Number of events on this page.", examples: [1] }),
    next_cursor: Nullable(
      Type.String({ description: "Pass as `cursor` for the next, older page; null on the last page." }),
    ),
    next_before: Nullable(
      DateTime({
        description:
          "The same position as a time, for `before`. Keep its microseconds, or use `next_cursor`.",
      }),
    ),
  },
  { $id: "FeedPage", description: "A page of the feed, newest first." },
);
export type FeedPage = Static<typeof FeedPage>;

export const StreamQuery = Type.Object({
  ...filters,
  after: FeedQuery.properties.after,
  last_event_id: Type.Optional(Id({ description: "Resume after the event with this id.", examples: [4711] })),
});
export type StreamQuery = Static<typeof StreamQuery>;
