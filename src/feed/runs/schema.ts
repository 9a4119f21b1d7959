/** Schemas of runs: an agent's work on a task, kept from its events. */
import { type Static, Type } from "@sinclair/typebox";
import { Cursor } from "../../core/lib/cursor.ts";
import {
  Actor,
  Choice,
  Count,
  DateTime,
  Lane,
  Limit,
  Line,
  Nullable,
  PersonId,
  RecordedLane,
  RunId,
  ShownTaskKey,
  Slug,
  TaskKey,
  TaskNumber,
  TeamName,
} from "../../core/wire.ts";

/** Stored, except for `lost`: a running run whose last event is older than `SVC_RUN_TIMEOUT`. */
export const runStatuses = ["running", "waiting", "idle", "finished", "failed", "lost"] as const;
export const RunStatus = Choice(runStatuses, {
  description:
    "Whether the newest start or end is a start, `run.finished` or `run.failed`. `waiting`: its agent asks " +
    "for permission or input. `idle`: a session whose agent waits for a prompt. `lost`: running, but " +
    "without an event for `SVC_RUN_TIMEOUT`, or without an answer for a day; a later event revives it.",
});
export type RunStatus = Static<typeof RunStatus>;
export type StoredRunStatus = Exclude<RunStatus, "lost">;

/** Whether a run that is not lost can still go on. */
export const isOpen = (status: RunStatus): boolean => ["running", "waiting", "idle"].includes(status);

/** How long the text of a brief and the searches of a run are kept. */
export const runMemoryDays = 90;

const Hash = Type.String({ description: "SHA-256 of the text, in hex." });
/** SHA-256 of an empty text. */
const emptyTextHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

export const briefFields = {
  hash: Hash,
  at: DateTime({ description: "When it was given." }),
  chars: Count("Length of the text in characters.", 7_912),
};
export const id = RunId("The sender's `run_id`; without one, `event:` and the id of its start.", "run-7");
const numbered = (count: string) => Count(count, 2);

export const fields = {
  id,
  project: Slug,
  title: Type.String({ description: "That of its task; else its branch, or what it made." }),
  issue: Nullable(TaskNumber),
  pr: Nullable(TaskNumber),
  task: ShownTaskKey,
  actor: Actor,
  models: Type.Array(Type.String(), {
    description: "Models that did the work, sorted; at most 16.",
    examples: [["claude-sonnet-4-5"]],
  }),
  lane: Nullable(RecordedLane),
  status: RunStatus,
  started_at: DateTime({ description: "Time of its first event." }),
  ended_at: Nullable(DateTime()),
  last_event_at: DateTime({
    description: "When its newest event was appended; orders the list, to the minute.",
  }),
  waiting_since: Nullable(DateTime({ description: "While it is `waiting`." })),
  duration_ms: Nullable(Count("Milliseconds, as its end reports or from start to end.", 61_250)),
  steps: numbered("Steps reported."),
  tokens_in: Count("Input tokens of all its events.", 18_234),
  tokens_out: Count("Output tokens of all its events.", 2_960),
  cache_read: Count("Tokens read from the provider's cache.", 96_000),
  cache_write: Count("Tokens written to the provider's cache.", 4_100),
  cost_equiv: Type.Number({ format: "double", minimum: 0, description: "Cost in USD.", examples: [0.42] }),
  summary: Type.String({
    description: "Its newest summary.",
    examples: ["Run 7 finished: 12 files changed"],
  }),
  parent: Nullable(RunId("The run that started this one.", "run-6")),
  assets: numbered("Assets it made."),
  decisions: numbered("Decisions it made."),
  person: Nullable({ ...PersonId, description: "Person whose work it is." }),
  team: Nullable({ ...TeamName, description: "Team whose work it is." }),
  brief: Nullable(Type.Object(briefFields, { description: "The newest brief it was given." })),
};

export const Run = Type.Object(fields, {
  $id: "Run",
  description: "An agent's work on a task, kept from its events.",
});
export type Run = Static<typeof Run>;

export const runSorts = ["recent", "cost", "duration", "steps"] as const;
export type RunSort = (typeof runSorts)[number];

export const RunsQuery = Type.Object({
  project: Type.Optional(Slug),
  status: Type.Optional(Choice(runStatuses)),
  actor: Type.Optional(Actor),
  issue: Type.Optional(TaskNumber),
  pr: Type.Optional(TaskNumber),
  task: Type.Optional(TaskKey),
  lane: Type.Optional(Lane),
  model: Type.Optional(Line(128)),
  parent: Type.Optional(RunId("Runs that this run started.")),
  team: Type.Optional(TeamName),
  person: Type.Optional(PersonId),
  sort: Type.Optional(Choice(runSorts)),
  limit: Limit(50),
  cursor: Type.Optional(Cursor()),
});
export type RunsQuery = Static<typeof RunsQuery>;

export const RunPage = Type.Object(
  {
    runs: Type.Array(Run),
    count: Type.Integer({ minimum: 0, description: "Number of runs on this page.", examples: [1] }),
    next_cursor: Nullable(
      Type.String({
        description:
          "Pass as `cursor` for the next, older page; null on the last page. With filters, a page may hold " +
          "fewer runs than `limit` and have a next one.",
      }),
    ),
  },
  { $id: "RunPage", description: "A page of runs, newest event first." },
);
export type RunPage = Static<typeof RunPage>;

export const RunPath = Type.Object({
  id: RunId("Run id."),
  project: Type.Optional({
    ...Slug,
    description: "If several have a run of this id.",
  }),
});
export type RunPath = Static<typeof RunPath>;

/** A brief that a client had fetched before the run began. */
export const GivenBrief = Type.Object({
  id,
  project: Slug,
  hash: Type.String({
    pattern: "^[0-9a-f]{64}$",
    description: "SHA-256 of its text, in hex.",
    examples: [emptyTextHash],
  }),
  from: RunId("The `run_id` that the brief was fetched with.", "brief-cache:7f3a"),
  ts: Type.Optional(DateTime({ description: "When the run was given it; now, if absent." })),
});
export type GivenBrief = Static<typeof GivenBrief>;

export const RecordedBrief = Type.Object(
  { run_id: id, project: Slug, ...briefFields },
  { $id: "RecordedBrief", description: "A brief that a run was given." },
);
export type RecordedBrief = Static<typeof RecordedBrief>;
