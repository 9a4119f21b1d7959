/** Schemas of events, of appending them, and of pages of the feed. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { repositoryPathMax } from "../core/repository-path.ts";
import { changedFilesMax } from "../core/runs/reported-run.ts";
import {
  Actor,
  Choice,
  Cost,
  Count,
  DateTime,
  HttpsUrl,
  Id,
  Lane,
  Line,
  Nullable,
  OpenChoice,
  PersonId,
  RecordedLane,
  Repo,
  RunId,
  ShownTaskKey,
  Slug,
  TaskKey,
  TaskNumber,
  TeamName,
  Uri,
} from "../core/wire.ts";
import { kinds, reportableKinds } from "./kinds.ts";

const kindOptions = { description: "Kind of event.", examples: ["run.finished"] };
export const EventKind = Choice(kinds, kindOptions);
export type EventKind = Static<typeof EventKind>;

/** Where the cost of an event comes from. */
const costSources = ["reported", "computed"] as const;
const costSourceOptions = {
  description:
    "`reported`: the sender named the cost. `computed`: the service computed it from a price list.",
  examples: ["reported"],
};

const name = (description: string, example: string) =>
  Nullable(Line(128, { description, examples: [example] }));

const taskNumber = (description: string) => Type.Integer({ ...TaskNumber, description });

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
  issue: Nullable(taskNumber("Issue that it belongs to.")),
  pr: Nullable(taskNumber("Pull request that it belongs to.")),
  task: Nullable(TaskKey),
  lane: Nullable(Lane),
  model: name("Model that did the work.", "claude-sonnet-4-5"),
  subscription: name("Subscription or account the work was billed to.", "team"),
  tokens_in: Count("Uncached input tokens of this event alone.", 18_234),
  tokens_out: Count("Output tokens of this event alone.", 2_960),
  cache_read: Count("Tokens read from the provider's cache.", 96_000),
  cache_write: Count("Tokens written to the provider's cache.", 4_100),
  cost_equiv: Cost("Cost in USD, as the sender reported it or from a price list.", 0.42, { maximum: 1e12 }),
  cost_source: Nullable(Choice(costSources, costSourceOptions)),
  duration_ms: Nullable(Count("Duration in milliseconds.", 61_250)),
  url: Nullable(HttpsUrl({ description: "Link to more details, an https URL." })),
  run_id: Nullable(RunId("Id of its run; unique within the project.", "run-7")),
  team: Nullable({ ...TeamName, description: "Team whose work it is." }),
  /** The last one, see persons.ts. */
  person: Nullable({ ...PersonId, description: "Person whose work it is." }),
};

/** Without its minimum: usage that turns out lower is corrected by an event that takes the difference back. */
const signed = <T extends TSchema>({ minimum: _, ...schema }: T): T => schema as T;

/** Counts of an event that can correct an earlier one. */
const signedUsage = {
  tokens_in: signed(fields.tokens_in),
  tokens_out: signed(fields.tokens_out),
  cache_read: signed(fields.cache_read),
  cache_write: signed(fields.cache_write),
  cost_equiv: signed(fields.cost_equiv),
};

export const Event = Type.Object(
  {
    ...fields,
    ...signedUsage,
    kind: OpenChoice(kinds, {
      ...kindOptions,
      description: "Kind of event. New kinds may be added: accept any string.",
    }),
    lane: Nullable(RecordedLane),
    task: Type.Optional(ShownTaskKey),
    url: Nullable(Uri({ description: "Link to more details." })),
    run_id: Type.Optional(fields.run_id),
    cost_source: Type.Optional(
      Nullable(
        OpenChoice(costSources, {
          ...costSourceOptions,
          description: `${costSourceOptions.description} Absent without a cost, and in older events.`,
        }),
      ),
    ),
    team: Type.Optional(fields.team),
    person: Type.Optional(fields.person),
  },
  {
    $id: "Event",
    description: "Something that happened. It changes only when a text is redacted or a name erased.",
  },
);
export type Event = Static<typeof Event>;

export const eventFields = Object.keys(Event.properties) as (keyof Event)[];

const { id: _id, ts: _ts, kind, actor, summary, team, person, ...optional } = fields;

/**
 * An event to append; the service adds `id` and `ts`. Not called `NewEvent`: Go generators give that name to
 * the constructor of `Event`.
 */
export const EventInput = Type.Object(
  {
    kind: Choice(reportableKinds, kindOptions),
    actor,
    summary,
    ...Type.Partial(Type.Object(optional)).properties,
    ts: Type.Optional(
      DateTime({
        description: "When it happened, according to the sender. Stored, but never orders the feed.",
      }),
    ),
    parent_run_id: Type.Optional(Nullable(RunId("The run that started this one.", "run-6"))),
    branch: Type.Optional(Nullable(Line(255))),
    files: Type.Optional(
      Nullable(
        Type.Array(Line(repositoryPathMax), {
          maxItems: changedFilesMax,
          description: "Files that its run changed: paths inside the repository, with `/`.",
          examples: [["src/app.ts"]],
        }),
      ),
    ),
    email: Type.Optional(
      Nullable(Line(254, { description: "Email of whose work it is, to find the person. Never stored." })),
    ),
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

/** An imported past event: every kind is allowed, and the URLs that svc itself wrote on a site without TLS. */
export const ImportedEvent = Type.Object({
  ...EventInput.properties,
  ...Type.Partial(Type.Object({ ...signedUsage, team, person })).properties,
  kind,
  url: Type.Optional(
    Nullable(Uri({ pattern: "^https?://\\S+$", maxLength: 2048, description: "An http or https URL." })),
  ),
});
export type ImportedEvent = Static<typeof ImportedEvent>;

/**
 * An event as stored in its row: `ts` is in microseconds, and `issue` is the number of its task, also of one
 * with a key; see task-key.ts.
 */
export type EventRow = Omit<Event, "ts" | "task" | "run_id" | "cost_source" | "team" | "person"> & {
  ts: number;
  task: string | null;
  run_id: string | null;
  cost_source: string | null;
  team: string | null;
  person: string | null;
};

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
