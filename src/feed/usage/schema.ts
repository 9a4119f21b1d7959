/** Schemas of usage: what work took, in tokens and money. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import {
  Choice,
  Cost,
  Count,
  Nullable,
  PersonId,
  ProjectName,
  ShownTaskKey,
  Slug,
  TeamName,
} from "../../core/wire.ts";

/** What is summed: by day, and over any other group of events. */
export const usageFields = {
  runs: Count("Runs that ended; pipelines of a forge do not count.", 14),
  failures: Count("Runs that failed.", 2),
  merges: Count("Pull requests merged.", 5),
  tokens_in: Count("Input tokens.", 182_340),
  tokens_out: Count("Output tokens.", 29_600),
  cache_read: Count("Tokens read from the provider's cache.", 960_000),
  cache_write: Count("Tokens written to the provider's cache.", 41_000),
  cost_equiv: Cost("Cost in USD, as the sender reported it or from a price list.", 4.2),
};

export const UsageSums = Type.Object(usageFields, {
  $id: "UsageSums",
  description: "Usage of a range of days, summed.",
});
export type UsageSums = Static<typeof UsageSums>;
export const usageFieldNames = Object.keys(usageFields) as (keyof UsageSums)[];

/** What usage can be grouped by. */
export const usageGroups = ["project", "model", "lane", "actor", "task", "run", "team", "person"] as const;
export type UsageGroup = (typeof usageGroups)[number];

export const intervals = ["day", "week", "month"] as const;
export type Interval = (typeof intervals)[number];

/** Bounds of a report: ten years, and what fits in one response. */
export const rangeDaysMax = 3_660;
export const periodsMax = 400;
export const rowsMax = 20_000;
const groupsByDefault = 50;
/** What the usage of a team or a person can be grouped by: their daily sums have no more. */
export const ownerGroups = ["project", "team", "person", "run"] as const satisfies UsageGroup[];

export const Day = (description: string, example?: string) =>
  Type.String({ format: "date", description, ...(example && { examples: [example] }) });

/** A range of UTC days, and the project that it is of. */
const usageRange = {
  from: Type.Optional(Day("First UTC day. Defaults to 29 days before `to`.", "2026-01-01")),
  to: Type.Optional(Day("Last UTC day, included. Defaults to today.", "2026-01-31")),
  project: Type.Optional(ProjectName),
};

export const UsageReportQuery = Type.Object({
  ...usageRange,
  team: Type.Optional({
    ...TeamName,
    description: `Only this team. Then \`by\` is ${ownerGroups.join(", ")}.`,
  }),
  person: Type.Optional({ ...PersonId, description: "Only this person, grouped as a team." }),
  by: Type.Optional(
    Choice(usageGroups, {
      default: "project",
      description: "What the rows are grouped by. A run counts on the UTC day on which it started.",
    }),
  ),
  interval: Type.Optional(
    Choice(intervals, {
      description: "Splits each group by UTC day, ISO week (from Monday), or month; absent: one row a group.",
    }),
  ),
  compare_from: Type.Optional(
    Day("First day of a second range to compare with. Rows then have `compared`.", "2025-12-01"),
  ),
  compare_to: Type.Optional(Day("Last day of the second range. Defaults to as many days as the first has.")),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200,
      default: groupsByDefault,
      description: "Most groups; one more row sums the rest.",
    }),
  ),
});
export type UsageReportQuery = Static<typeof UsageReportQuery>;

const text = (description: string, example: string) =>
  Nullable(Type.String({ description, examples: [example] }));
const number = (description: string) => Nullable(Type.Integer({ description }));

/** The columns that name a group; those that the report is not grouped by are null. */
const groupFields = {
  project: Nullable(Slug),
  model: text("Model; null for work without one.", "claude-sonnet-4-5"),
  lane: text("Lane; null for work without one.", "lane_a"),
  actor: text("Who did the work.", "agent:codex"),
  issue: number("Issue of the task."),
  pr: number("Pull request of a task that belongs to no issue."),
  run_id: text("Run.", "run-7"),
};
/** What the answer has had since later: after the others, for those who read columns by their place. */
const laterFields = { task: ShownTaskKey };

const ownerFields = {
  team: Nullable({ ...TeamName, description: "Team; null for work without one." }),
  person: Nullable({
    ...PersonId,
    description: "Person; null for work without one, and for others' if hidden.",
  }),
};
type KeyOf<F> = { [N in keyof F]: F[N] extends TSchema ? Static<F[N]> : never };
export type UsageGroupKey = KeyOf<typeof groupFields & typeof ownerFields & typeof laterFields>;

const CostPerMerge = Nullable(
  Type.Number({
    format: "double",
    description: "Cost in USD divided by merges; null without any.",
    examples: [0.84],
  }),
);

export const UsageReportRow = Type.Object(
  {
    start: Nullable(
      Day("First day of the period; null without an interval. Only days of the range are counted."),
    ),
    ...groupFields,
    summary: text("Newest summary of a run.", "Run 7 finished: 12 files changed"),
    rest: Type.Boolean({
      description: "The sum of the groups beyond `limit`; by run, with the work outside of runs.",
    }),
    ...usageFields,
    cost_per_merge: CostPerMerge,
    compared: Nullable(UsageSums),
    ...ownerFields,
    ...laterFields,
  },
  { $id: "UsageReportRow", description: "Usage of one group, or of one group in one period." },
);
export type UsageReportRow = Static<typeof UsageReportRow>;

export const UsageReport = Type.Object(
  {
    from: Day("First UTC day.", "2026-01-01"),
    to: Day("Last UTC day.", "2026-01-31"),
    by: Choice(usageGroups),
    interval: Nullable(Choice(intervals)),
    total: UsageSums,
    cost_per_merge: CostPerMerge,
    unattributed: Nullable({
      ...UsageSums,
      description: "By task: what names no issue and no pull request, also a row of each project. Else null.",
    }),
    compared: Nullable(
      Type.Object(
        { from: Day("First UTC day."), to: Day("Last UTC day."), total: UsageSums },
        { description: "The range compared with." },
      ),
    ),
    rows: Type.Array(UsageReportRow, { description: "By period, then by cost, highest first." }),
    count: Count("Number of rows.", 1),
    more: Count("Groups beyond `limit`, summed in the row with `rest`.", 0),
  },
  {
    $id: "UsageReport",
    description: "Usage of a range of UTC days. Events without a project are not counted.",
  },
);
export type UsageReport = Static<typeof UsageReport>;
