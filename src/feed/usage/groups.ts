/** Reads the usage of groups, from what the process remembers or a few days at a time. */

import { actorName } from "../../core/auth/actor-name.ts";
import { perObject } from "../../core/lib/cache.ts";
import { YieldBudget } from "../../core/lib/time-slices.ts";
import type { Projects } from "../../core/rows.ts";
import { issueOnly } from "../../core/task-key.ts";
import type { FeedReads } from "../port.ts";
import type { GroupDay, GroupUsage, SummedGroup, UsageFilter } from "../rows.ts";
import { piecesOf, startOf } from "./ranges.ts";
import type { Interval, UsageGroupKey, UsageSums } from "./schema.ts";
import { addSums, addTo, noUsage, sumOf, usageOf } from "./sums.ts";

/** Usage of one period, or of one of its days. */
type Part = Pick<GroupDay, "sums" | "total">;

interface Group {
  key: UsageGroupKey;
  sums: Readonly<UsageSums>;
}

export interface Groups {
  /** The usage of each group in the whole range. */
  totals: Map<string, Group>;
  /** The parts of each period by its first day; empty without an interval. */
  periods: Map<string, Part[]>;
}

interface GroupsQuery extends UsageFilter {
  by: SummedGroup;
  interval: Interval | null;
  /** Whether an actor is one group by its name, not one for each form of it. */
  joinsActors?: boolean;
  /** Persons are one group, except for the caller's own. */
  hidesPersons?: { own: string | undefined } | null;
}

export async function readGroups(data: FeedReads, projects: Projects, query: GroupsQuery): Promise<Groups> {
  const { by, interval, from, to, project, team, person } = query;
  const isOfAll = (team ?? person) === undefined;
  if (!isOfAll || by === "task" || by === "person" || by === "team") return readRows(data, projects, query);
  const range = { from, to, ...(project !== undefined && { project }) };
  const remembered = await data.groupDays(projects, { ...range, by });
  if (!remembered) return readRows(data, projects, query);
  const isJoined = by === "actor" && query.joinsActors === true;
  const totals = isJoined ? joinActors(remembered.totals) : remembered.totals;
  const periods = new Map<string, Part[]>();
  if (interval)
    for (const one of remembered.days)
      periods
        .getOrInsertComputed(startOf(one.day, interval), () => [])
        .push(isJoined ? withJoinedActors(one) : one);
  const groupOf = (name: string, sums: UsageSums): Group => ({
    key: { ...restKey, [by]: name || null },
    sums,
  });
  return { totals: new Map([...totals].map(([name, sums]) => [name, groupOf(name, sums)])), periods };
}

const withJoinedActors = perObject(({ sums, total }: GroupDay): Part => ({ sums: joinActors(sums), total }));

function joinActors(sums: GroupDay["sums"]): Map<string, UsageSums> {
  const joined = new Map<string, UsageSums>();
  for (const [actor, usage] of sums) addTo(joined, actorName(actor), usage);
  return joined;
}

/**
 * Days read at a time: a long range must not block other requests, as SQLite answers in this thread. A day
 * has few models and actors, but may have thousands of tasks.
 */
const pieceDays = (by: SummedGroup): number => (by === "task" ? 2 : 31);

/** The groups of rows that the database sums. */
async function readRows(
  data: FeedReads,
  projects: Projects,
  { by, interval, joinsActors = false, hidesPersons = null, ...filter }: GroupsQuery,
): Promise<Groups> {
  const groups: OpenGroups = { totals: new Map(), periods: new Map() };
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

/** Groups whose sums are still added to. */
interface OpenGroups {
  totals: Map<string, Group & { sums: UsageSums }>;
  periods: Map<string, [{ sums: Map<string, UsageSums>; total: UsageSums }]>;
}

function addRow(
  { totals, periods }: OpenGroups,
  by: SummedGroup,
  row: GroupUsage,
  interval: Interval | null,
): void {
  // No name has a line break, and no value is empty or 0.
  const id = by === "task" ? [row.project, row.issue, row.task, row.pr].join("\n") : (row[by] ?? "");
  const group = totals.get(id);
  if (group) addSums(group.sums, row);
  else totals.set(id, { key: keyOf(row), sums: usageOf(row) });
  if (!interval || row.day === null) return;
  const start = startOf(row.day, interval);
  const [part] = periods.getOrInsertComputed(start, () => [{ sums: new Map(), total: noUsage() }]);
  addTo(part.sums, id, row);
  addSums(part.total, row);
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
const keyOf = (group: GroupUsage): UsageGroupKey => ({
  project: group.project,
  model: group.model || null,
  lane: group.lane || null,
  actor: group.actor,
  issue: issueOnly(group.issue),
  task: group.task,
  pr: group.pr || null,
  run_id: null,
  team: group.team || null,
  person: group.person || null,
});
