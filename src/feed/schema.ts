/** Events: what is on the wire, and what an appender may say. */
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
  OpenChoice,
  RecordedLane,
  Repo,
  Slug,
  TaskNumber,
  Uri,
} from "../wire.ts";

/** Kinds that the service itself writes, as part of what it does; no request may append them. */
export const ownKinds = [
  "decision.captured",
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

export const kinds = [...reportableKinds, ...ownKinds] as const;

const kindFacts = { description: "Kind of event.", examples: ["run.finished"] };
export const EventKind = Choice(kinds, kindFacts);
export type EventKind = Static<typeof EventKind>;

/** What ends well and what ends badly: waiting for the one must also notice the other. */
export const failedTwin: Partial<Record<EventKind, EventKind>> = {
  "run.finished": "run.failed",
  "preview.ready": "preview.failed",
};

const name = (description: string, example: string) =>
  Nullable(Line(128, { description, examples: [example] }));

/** Every field of an event, once and in wire order. */
const fields = {
  id: Id({ description: "Number of the event.", examples: [4711] }),
  ts: DateTime({
    description: "When it was appended, in microseconds; no two events share one.",
    examples: ["2026-01-02T03:04:05.123456Z"],
  }),
  kind: EventKind,
  actor: Actor,
  summary: Line(1024, {
    description: "What happened, in a line.",
    examples: ["Run 7 finished: 12 files changed"],
  }),
  project: Nullable(Slug),
  repo: Nullable(Repo),
  issue: Nullable(TaskNumber),
  pr: Nullable(TaskNumber),
  lane: Nullable(Lane),
  model: name("Model that did the work.", "claude-sonnet-4-5"),
  subscription: name("Subscription or account the work was charged to.", "team"),
  tokens_in: Count("Input tokens of this event alone.", 18_234),
  tokens_out: Count("Output tokens of this event alone.", 2_960),
  cache_read: Count("Tokens read from the provider's cache.", 96_000),
  cache_write: Count("Tokens written to the provider's cache.", 4_100),
  cost_equiv: Cost("Cost in USD at the gateway's list price.", 0.42, { maximum: 1e12 }),
  duration_ms: Nullable(Count("How long it took, in milliseconds.", 61_250)),
  url: Nullable(HttpsUrl({ description: "Where to look, an https URL." })),
};

export const Event = Type.Object(
  {
    ...fields,
    kind: OpenChoice(kinds, {
      ...kindFacts,
      description: "Kind of event. New kinds may be added: accept any text.",
    }),
    lane: Nullable(RecordedLane),
    url: Nullable(Uri({ description: "Where to look." })),
  },
  { $id: "Event", description: "Something that happened. Events are never changed and never removed." },
);
export type Event = Static<typeof Event>;

export const eventFields = Object.keys(Event.properties) as (keyof Event)[];

const { id: _id, ts: _ts, kind, actor, summary, ...optional } = fields;

/**
 * Keys that begin with these are derived by the service, of webhook deliveries and of imported lines, and are
 * unique in the whole feed.
 */
export const reservedKeyPrefixes = ["github:", "line:"] as const;
export const isReservedKey = (key: string): boolean =>
  reservedKeyPrefixes.some((prefix) => key.startsWith(prefix));

/** What a key that a caller chose is unique within: the project, or the token where an event has none. */
export const keyScope = (project: string | null, token: string): string =>
  project === null ? `token:${token}` : `project:${project}`;

/**
 * An event to append; the service adds `id` and `ts`. Not `NewEvent`: Go generators name the constructor of
 * `Event` so.
 */
export const EventInput = Type.Object(
  {
    kind: Choice(reportableKinds, kindFacts),
    ...{ actor, summary },
    ...Type.Partial(Type.Object(optional)).properties,
    ts: Type.Optional(
      DateTime({ description: "When the sender says it happened. Kept, but never orders the feed." }),
    ),
    dedupe_key: Type.Optional(
      Nullable(
        Line(255, {
          description:
            "Idempotency key: unique within the project, or within the token where an event has no project. Appending it again adds nothing. The prefixes `github:` and `line:` are reserved.",
          examples: ["run-7-finished"],
        }),
      ),
    ),
  },
  { $id: "EventInput", description: "An event to append." },
);
export type EventInput = Static<typeof EventInput>;

/** An event of the past: an import may hold every kind. */
export const ImportedEvent = Type.Object({ ...EventInput.properties, kind });
export type ImportedEvent = Static<typeof ImportedEvent>;

/** An event as its row holds it: `ts` in microseconds. */
export type EventRow = Omit<Event, "ts"> & { ts: number };

/** The one rendering of an event: made when it is appended, kept with its row, sent as it is ever after. */
export function renderEvent(row: EventRow): string {
  const event: Record<string, unknown> = {};
  for (const field of eventFields) event[field] = row[field];
  event.ts = fromMicros(row.ts);
  if (row.url !== null) event.url = asUri(row.url);
  return JSON.stringify(event);
}

export interface FeedFilterRow<T extends TSchema = TSchema> {
  schema: T;
  /** As a form names it. */
  label: string;
  /** What there is to choose from, where that is known: a fixed list, or one of the deployment. */
  options?: readonly string[] | "projects" | "lanes";
  /**
   * `facet`: few distinct values; events are also listed by the combination of all facets, see
   * db/feed/facets.ts. `selective`: few events have the same value; its index is `(value, ts, project)`.
   */
  cardinality: "facet" | "selective";
}
const filter = <T extends TSchema, const C extends FeedFilterRow["cardinality"]>(
  cardinality: C,
  label: string,
  schema: T,
  options?: FeedFilterRow["options"],
) => ({ cardinality, label, schema, ...(options && { options }) });

/**
 * The filters of the feed, by the field of Event that they compare: every surface, the command line and the
 * SQL read this table.
 */
export const feedFilters = {
  project: filter("facet", "Project", Slug, "projects"),
  kind: filter("facet", "Kind", EventKind, kinds),
  actor: filter("facet", "Actor", Actor),
  lane: filter("facet", "Lane", Lane, "lanes"),
  issue: filter("selective", "Issue", { ...TaskNumber, description: "Number of an issue." }),
  pr: filter("selective", "Pull request", { ...TaskNumber, description: "Number of a pull request." }),
} as const satisfies Partial<Record<keyof Event, FeedFilterRow>>;

export type FeedFilterName = keyof typeof feedFilters;
type NamesOf<C extends FeedFilterRow["cardinality"]> = {
  [N in FeedFilterName]: (typeof feedFilters)[N]["cardinality"] extends C ? N : never;
}[FeedFilterName];

export const feedFilterNames = Object.keys(feedFilters) as FeedFilterName[];
const namesOf = <C extends FeedFilterRow["cardinality"]>(cardinality: C) =>
  feedFilterNames.filter((name) => feedFilters[name].cardinality === cardinality) as NamesOf<C>[];
export const facetFilters = namesOf("facet");
export const selectiveFilters = namesOf("selective");

export type FeedFilter = { -readonly [N in FeedFilterName]?: Static<(typeof feedFilters)[N]["schema"]> };

/** The filters of a query, and nothing else of it. */
export const pickFilters = (query: FeedFilter): FeedFilter =>
  Object.fromEntries(
    feedFilterNames.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])),
  );

const filters = Object.fromEntries(
  feedFilterNames.map((name) => [name, Type.Optional(feedFilters[name].schema)]),
) as {
  [N in FeedFilterName]: TOptional<(typeof feedFilters)[N]["schema"]>;
};

export const FeedQuery = Type.Object({
  ...filters,
  limit: Limit(50),
  cursor: Type.Optional(Cursor()),
  before: Type.Optional(DateTime({ description: "Only events strictly older than this instant." })),
  after: Type.Optional(DateTime({ description: "Only events strictly newer than this instant." })),
});
export type FeedQuery = Static<typeof FeedQuery>;

export const FeedPage = Type.Object(
  {
    events: Type.Array(Event),
    count: Type.Integer({ minimum: 0, description: "Length of this page.", examples: [1] }),
    next_cursor: Nullable(
      Type.String({ description: "Pass it as `cursor` for the next older page; null on the last." }),
    ),
    next_before: Nullable(
      DateTime({
        description:
          "The same position as an instant, for `before`. Keep its microseconds, or use `next_cursor`.",
      }),
    ),
  },
  { $id: "FeedPage", description: "A page of the feed, newest first." },
);
export type FeedPage = Static<typeof FeedPage>;

export const StreamQuery = Type.Object({
  ...filters,
  after: FeedQuery.properties.after,
  last_event_id: Type.Optional(Id({ description: "Resume after the event of this id.", examples: [4711] })),
});
export type StreamQuery = Static<typeof StreamQuery>;

export const AppendRequest = Type.Object({ events: Type.Array(EventInput, { minItems: 1, maxItems: 1000 }) });
export type AppendRequest = Static<typeof AppendRequest>;

export const AppendResult = Type.Object(
  {
    accepted: Type.Integer({ minimum: 0, description: "Events added.", examples: [1] }),
    duplicates: Type.Integer({
      minimum: 0,
      description: "Events whose key their project, or this token, has already; they add nothing.",
    }),
  },
  { $id: "AppendResult" },
);
export type AppendResult = Static<typeof AppendResult>;
