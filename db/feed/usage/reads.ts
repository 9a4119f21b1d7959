/** Reads of usage by group, and of the most expensive runs. */

import { sql } from "drizzle-orm";
import type { FeedReads } from "../../../src/feed/port.ts";
import type { GroupUsage, SummedGroup } from "../../../src/feed/rows.ts";
import { ownerGroups, type UsageSums, usageFieldNames } from "../../../src/feed/usage/schema.ts";
import { addSums, hasUsage, noUsage, rounded } from "../../../src/feed/usage/sums.ts";
import type { Session } from "../../engine/session.ts";
import { preparedStatement } from "../../query/statements.ts";
import { joinedRows, joinIncomplete, type Marked, markIncomplete } from "../pending.ts";
import { readIssuesOf } from "../tasks/pull-request-issues.ts";
import { withTaskKeys } from "../tasks/task-keys.ts";
import { selectDailySums } from "./daily-sums.ts";
import type { DayGroup } from "./day-cache.ts";
import { type DaySums, readDaySums } from "./day-sums.ts";
import { countTasks, expensiveTasks } from "./expensive-tasks.ts";
import { isRemembered } from "./remembered-days.ts";
import { countRuns, expensiveRuns } from "./runs.ts";
import { activeSlugs } from "./slugs.ts";
import { sumOfField, type UsageTable } from "./sums.ts";

const groupColumns = ["project", "model", "lane", "actor", "issue", "pr", "person", "team"] as const;
type GroupColumn = (typeof groupColumns)[number];
/** A row of no group. */
const noGroup = Object.fromEntries([...groupColumns, "day", "task"].map((name) => [name, null])) as Record<
  GroupColumn | "day" | "task",
  null
>;

/** The table that has the sums of a group, and the columns that name it. */
const groups: Record<SummedGroup, { table: UsageTable; columns: readonly GroupColumn[] }> = {
  project: { table: "usage", columns: ["project"] },
  model: { table: "usage", columns: ["model"] },
  lane: { table: "usage", columns: ["lane"] },
  actor: { table: "task_usage", columns: ["actor"] },
  task: { table: "task_usage", columns: ["project", "issue", "pr"] },
  person: { table: "person_usage", columns: ["person"] },
  team: { table: "person_usage", columns: ["team"] },
};

export const usageReads = (session: Session) =>
  ({
    async groupUsage(projects, { by, from, to, project, team, person, perDay, withoutRest }) {
      const visible = await activeSlugs(session, projects, {
        from,
        to,
        ...(project !== undefined && { project }),
      });
      const isOwned = (team ?? person) !== undefined;
      const isFew = isRemembered(visible, { from, to });
      const slugs = JSON.stringify(visible);
      const days = perDay ? "perDay" : "inAll";
      const read = async (group: SummedGroup) => {
        if (group !== "task" && !isOwned && isFew)
          return sumDays(await readDaySums(session, group, visible, { from, to }), group, perDay);
        const select = (isOwned ? selectOwned : selectGroups)(session)[group];
        const values = { slugs, from, to, ...(isOwned && { team: team ?? null, person: person ?? null }) };
        // safe because: these are its columns
        const rows = (await select[days].execute(values)) as (Omit<GroupUsage, "task"> & Marked)[];
        const found = group === "task" ? await withIssues(session, rows) : rows;
        const keyed = await withTaskKeys(session, found);
        return joinedRows<GroupUsage>(keyed, groups[group].columns[0] as GroupColumn);
      };
      return (by === "person" || by === "team") && !isOwned && !withoutRest
        ? withOthers(by, await read(by), await read("project"))
        : read(by);
    },
    expensiveRuns: (projects, query) => expensiveRuns(session, projects, query),
    countRuns: (projects, query) => countRuns(session, projects, query),
    expensiveTasks: (projects, query) => expensiveTasks(session, projects, query),
    countTasks: (projects, query) => countTasks(session, projects, query),
  }) satisfies Partial<FeedReads>;

/** Sums days, also those of different projects. */
function sumDays({ found, isPending }: DaySums, by: DayGroup, perDay: boolean): GroupUsage[] {
  const rows = new Map<string, GroupUsage>();
  for (const { day, value } of found)
    for (const { name, usage } of value) {
      const key = perDay ? `${day} ${name}` : name;
      const row = rows.get(key);
      if (row) addSums(row, usage);
      else rows.set(key, rowOf(by, name, perDay ? day : null, usage));
    }
  return markIncomplete([{ pending: isPending }], [...rows.values()]);
}

/** A month of a hundred projects has thousands: with spreads it takes several times as long. */
function rowOf(by: DayGroup, name: string, day: string | null, usage: UsageSums): GroupUsage {
  const row: GroupUsage = Object.assign(noUsage(), noGroup);
  row.day = day;
  row[by] = name;
  for (const field of usageFieldNames) row[field] = usage[field];
  return row;
}

/** Only work of a person or a team is summed: what it leaves of all work, that of each day, is of no one. */
function withOthers(by: "person" | "team", named: GroupUsage[], all: GroupUsage[]): GroupUsage[] {
  const own = named.filter((row) => row[by] !== "");
  const others = [...Map.groupBy(all, ({ day }) => day)].flatMap(([day, rows]) => {
    const [first] = rows;
    if (!first) return [];
    const taken = own.filter((row) => row.day === day);
    const left = (field: keyof UsageSums) => Math.max(0, sumIn(rows, field) - sumIn(taken, field));
    const usage = Object.fromEntries(usageFieldNames.map((field) => [field, left(field)])) as UsageSums;
    const rest = { ...first, project: null, [by]: "", ...rounded(usage) };
    return hasUsage(rest) ? [rest] : [];
  });
  return joinIncomplete([named, all], [...own, ...others]);
}

const sumIn = (rows: readonly UsageSums[], field: keyof UsageSums): number =>
  rows.reduce((sum, row) => sum + row[field], 0);

/** Sums name what their events name. The issue of a pull request may be told later, so it is joined here. */
async function withIssues<Row extends Omit<GroupUsage, "task">>(
  session: Session,
  rows: Row[],
): Promise<Row[]> {
  const pulls = rows.flatMap(({ project, pr }) => (project !== null && pr ? [{ project, pr }] : []));
  const issueOf = await readIssuesOf(session, pulls);
  return rows.map((row) => {
    const { project, pr } = row;
    const issue = project !== null && pr ? issueOf({ project, pr }) : null;
    return issue === null ? row : { ...row, issue, pr: 0 };
  });
}

const selectsOf = (isOwned: boolean) =>
  preparedStatement((session) => {
    const select = (by: SummedGroup) => ({
      perDay: selectGroup(session, by, ["day"], isOwned),
      inAll: selectGroup(session, by, [], isOwned),
    });
    const names = isOwned ? ownedGroups : (Object.keys(groups) as SummedGroup[]);
    // safe because: src/feed/usage/report.ts refuses the others
    return Object.fromEntries(names.map((by) => [by, select(by)])) as Record<
      SummedGroup,
      ReturnType<typeof select>
    >;
  });
const selectGroups = selectsOf(false);
/** Of a team or a person. */
const selectOwned = selectsOf(true);
const ownedGroups = ownerGroups.filter((by) => by !== "run");

function selectGroup(session: Session, by: SummedGroup, day: readonly "day"[], isOwned: boolean) {
  const { table, columns } = groups[by];
  const keys: readonly string[] = [...day, ...columns];
  return selectDailySums(session, isOwned ? "person_usage" : table, (column) => {
    const isOf = (name: "team" | "person") => {
      const given = sql`cast(${sql.placeholder(name)} as text)`;
      return sql`(${given} is null or ${column(name)} = ${given})`;
    };
    const named = ["day", ...groupColumns].map((key) => [
      key,
      keys.includes(key) ? column(key) : sql`null`.as(key),
    ]);
    const sums = usageFieldNames.map((field) => [field, sumOfField(session, column(field), field)]);
    return {
      selected: Object.fromEntries([...named, ...sums]),
      keys,
      conditions: isOwned ? [isOf("team"), isOf("person")] : [],
    };
  });
}
