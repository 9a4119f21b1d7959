/** Reads the usage of groups, a few days at a time. */

import { actorName } from "../../core/auth/actor-name.ts";
import { YieldBudget } from "../../core/lib/time-slices.ts";
import type { Projects } from "../../core/rows.ts";
import { issueOnly } from "../../core/task-key.ts";
import type { FeedReads } from "../port.ts";
import type { GroupUsage, SummedGroup, UsageFilter } from "../rows.ts";
import { piecesOf, startOf } from "./ranges.ts";
import type { Interval, UsageGroupKey, UsageSums } from "./schema.ts";
import { usageFieldNames } from "./schema.ts";
import { addSums, noUsage, sumOf } from "./sums.ts";

export interface Groups {
  /** The usage of each group in the whole range. */
  totals: Map<string, { key: UsageGroupKey; sums: UsageSums }>;
  /** The usage of each group by the first day of a period; empty without an interval. */
  periods: Map<string, Map<string, UsageSums>>;
}

interface GroupsQuery extends UsageFilter {
  by: SummedGroup;
  interval: Interval | null;
  /** Whether an actor is one group by its name, not one for each form of it. */
  joinsActors?: boolean;
  /** Persons are one group, except for the caller's own. */
  hidesPersons?: { own: string | undefined } | null;
}

/**
 * Days read at a time: a long range must not block other requests, as SQLite answers in this thread. A day
 * has few models and actors, but may have thousands of tasks.
 */
const pieceDays = (by: SummedGroup): number => (by === "task" ? 2 : 31);

export async function readGroups(
  data: FeedReads,
  projects: Projects,
  { by, interval, joinsActors = false, hidesPersons = null, ...filter }: GroupsQuery,
): Promise<Groups> {
  const groups: Groups = { totals: new Map(), periods: new Map() };
  const budget = new YieldBudget(1);
  const query = { ...filter, by, perDay: interval !== null };
  for (const piece of piecesOf(filter, pieceDays(by))) {
    for (const row of await data.groupUsage(projects, { ...query, ...piece })) {
      if (joinsActors && row.actor) row.actor = actorName(row.actor);
      if (hidesPersons && row.person && row.person !== hidesPersons.own) row.person = "";
      addRow(groups, by, row, interval);
    }
    await budget.spend(1);
  }
  return groups;
}

function addRow(
  { totals, periods }: Groups,
  by: SummedGroup,
  row: GroupUsage,
  interval: Interval | null,
): void {
  // No name has a line break, and no value is empty or 0.
  const id = by === "task" ? [row.project, row.issue, row.task, row.pr].join("\n") : (row[by] ?? "");
  const total = totals.get(id);
  if (total) addSums(total.sums, row);
  else totals.set(id, { key: keyOf(row), sums: sumsOf(row) });
  if (!interval || row.day === null) return;
  const start = startOf(row.day, interval);
  const period = periods.get(start) ?? new Map<string, UsageSums>();
  periods.set(start, period);
  const sum = period.get(id);
  if (sum) addSums(sum, row);
  else period.set(id, sumsOf(row));
}

/** The key of a row that is no group by itself. */
export const restKey = {
  project: null,
  model: null,
  lane: null,
  actor: null,
  issue: null,
  task: null,
  pr: null,
  run_id: null,
  team: null,
  person: null,
} satisfies UsageGroupKey;

export const totalOf = ({ totals }: Groups): UsageSums => sumOf([...totals.values()].map(({ sums }) => sums));

/** "" and 0 stand for an event without a lane, model, issue, pull request, team or person. */
const keyOf = ({
  project,
  model,
  lane,
  actor,
  issue,
  task,
  pr,
  team,
  person,
}: GroupUsage): UsageGroupKey => ({
  project,
  model: model || null,
  lane: lane || null,
  actor,
  issue: issueOnly(issue),
  task,
  pr: pr || null,
  run_id: null,
  team: team || null,
  person: person || null,
});

/** There may be ten thousand rows: `Object.fromEntries` takes several times as long. */
function sumsOf(row: GroupUsage): UsageSums {
  const sums = noUsage();
  for (const field of usageFieldNames) sums[field] = row[field];
  return sums;
}
