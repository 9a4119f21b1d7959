/** The usage page: what work took in a range of days, compared with another. */

import type { VNode } from "preact";
import { operationOf } from "../../core/operation.ts";
import { listOwners } from "../../feed/budgets/owners.ts";
import type { BudgetList } from "../../feed/budgets/schema.ts";
import type { FeedContext } from "../../feed/context.ts";
import {
  type FullNames,
  listFilterValues,
  listFullNames,
  listOwnerValues,
} from "../../feed/filter-values.ts";
import { listBudgets } from "../../feed/operations/budgets.ts";
import { getUsageReport, listProjects } from "../../feed/operations/projects.ts";
import type { ProjectList } from "../../feed/projects/schema.ts";
import { listExpensive, usageReport } from "../../feed/usage/report.ts";
import type { UsageGroup, UsageReport, UsageReportRow } from "../../feed/usage/schema.ts";
import { getRejectedUsage } from "../../overview/operations/runs.ts";
import type { RejectedUsage } from "../../overview/usage/rejected-schema.ts";
import { loadWorkTitles } from "../../overview/usage/titles.ts";
import { formatCost, formatCount } from "../format.ts";
import { EmptyState, hasScope } from "../layout.tsx";
import { Found, listScript } from "../lists/filters.tsx";
import { listOrRefused, RefusedFilter } from "../lists/refused-filter.ts";
import { type Column, Table } from "../lists/table.tsx";
import { callOperation, type Page, readFor, urlWith, type View } from "../view.ts";
import { Budgets, type RefusedBudget } from "./budgets.tsx";
import { UsageCharts } from "./charts.tsx";
import { Coverage, dataOf, isMuchLess } from "./coverage.tsx";
import { rejectedCsvUrl } from "./csv.ts";
import { UsageFacts } from "./facts.tsx";
import { type Choice, choiceOf, isOwned, UsageFilters, usageFields, usageParameters } from "./filters.tsx";
import { GroupLink, type GroupNames, GroupTable, groupLabels, oneRange } from "./groups.tsx";
import { RejectedWork } from "./rejected.tsx";

const groupsMax = 25;
/** Rows of the lists below. */
const listMax = 10;
/** A chart has five colors, one of them for the rest. */
const seriesMax = 4;
/** A run is no sum of days, and of many tasks most are the rest: their charts are those of projects. */
const chartedBy: Readonly<Record<string, UsageGroup>> = { run: "project", task: "project" };

/** The report as the page shows it: an actor has one row, whatever its forms in events. */
const getReport = operationOf<FeedContext>("usage")({
  ...getUsageReport,
  run: (ctx, query, caller) => usageReport(ctx, { ...query, joinsActors: true }, caller),
});

/** @param refused a budget that was not set */
export async function usagePage(view: View, refused?: RefusedBudget): Promise<Page> {
  const choice = choiceOf(view);
  const [{ projects }, { budgets }, lanes, owners, budgetOwners, names] = await Promise.all([
    callOperation<ProjectList>(view, listProjects),
    callOperation<BudgetList>(view, listBudgets),
    listFilterValues(view.ctx, view.visitor.caller, "lane"),
    listOwnerValues(view.ctx, view.visitor.caller),
    hasScope(view, "budgets:write") ? listOwners(view.ctx, view.visitor.caller) : { people: [], teams: [] },
    listFullNames(view.ctx, view.visitor.caller),
  ]);
  const slugs = projects.map(({ slug }) => slug);
  const found = await listOrRefused(view, usageParameters, () =>
    usageBody(view, choice, names, owners.teams.length > 0),
  );
  const refusedFilter = found instanceof RefusedFilter ? found : undefined;
  const values = { choice, slugs, lanes, owners, refused: refusedFilter };
  const filters = { url: view.url, fields: usageFields(values), refused: refusedFilter };
  const body = (
    <>
      <div class="head">
        <h1>Usage</h1>
      </div>
      <UsageFilters view={view} {...values} />
      <Found {...filters}>{found instanceof RefusedFilter ? null : (found ?? <NoUsage />)}</Found>
      <Budgets
        view={view}
        budgets={budgets}
        slugs={slugs}
        lanes={lanes}
        owners={budgetOwners}
        names={names}
        isOpen={found === null && budgets.length === 0}
        refused={refused}
      />
    </>
  );
  return {
    title: "Usage",
    navEntry: "usage",
    status: refusedFilter?.status ?? 200,
    body,
    islands: [listScript, "charts.js"],
  };
}

const NoUsage = () => (
  <EmptyState title="No usage in these days.">
    <p>Choose other days, or let your agents report tokens and cost with the events of their runs.</p>
  </EmptyState>
);

/** @returns null if these days have no usage */
async function usageBody(
  view: View,
  choice: Choice,
  people: FullNames,
  hasTeams: boolean,
): Promise<VNode | null> {
  const report = (more: Record<string, unknown>) => callOperation<UsageReport>(view, getReport, more);
  const { from, to, project, team, person, by, interval, compare_from, compare_to } = choice;
  const filter = { project, team, person };
  const groups = await report({ from, to, ...filter, by, compare_from, compare_to, limit: groupsMax });
  if (groups.rows.length === 0) return null;
  const { compared } = groups;
  const range = { from: groups.from, to: groups.to, ...filter };
  const list = (by: "run" | "task") =>
    readFor(view, listExpensive(view.ctx, { ...range, by, limit: listMax }, view.visitor.caller));
  const [periods, runs, tasks, teams, rejected] = await Promise.all([
    report({ ...range, by: chartedBy[by] ?? by, interval, limit: seriesMax }),
    // The groups are the list themselves where they are runs or tasks.
    by === "run" ? null : list("run"),
    by === "task" || isOwned(choice) ? null : list("task"),
    by === "team" || !hasTeams ? null : report({ ...range, by: "team", limit: listMax }),
    isOwned(choice)
      ? null
      : callOperation<RejectedUsage>(view, getRejectedUsage, { from, to, project, limit: listMax }),
  ]);
  const before: UsageReportRow[] | null = compared
    ? (await report({ from: compared.from, to: compared.to, ...filter, interval, limit: 1 })).rows
    : null;
  const isSparse = before !== null && isMuchLess(dataOf(before), dataOf(periods.rows));
  const listed = by === "run" || by === "task" ? groups.rows : [];
  const named = [...listed, ...(runs ?? []), ...(tasks ?? [])];
  const titles = await readFor(view, loadWorkTitles(view.ctx, named, view.visitor.caller));
  const names = { people, titles };
  return (
    <>
      {compared && before && (
        <Coverage
          now={[groups, periods.rows]}
          before={[compared, before]}
          interval={periods.interval ?? "day"}
        />
      )}
      <UsageFacts view={view} report={groups} choice={choice} isSparse={isSparse} />
      <UsageCharts
        report={periods}
        compared={compared}
        before={before}
        names={names}
        hrefOf={(range) => urlWith(view.url, { ...oneRange, ...range, by: "run" })}
      />
      <GroupTable report={groups} view={view} names={names} isSparse={isSparse} />
      <div class="charts usage-lists">
        {runs && <MostExpensive rows={runs} by="run" view={view} names={names} />}
        {tasks && <MostExpensive rows={tasks} by="task" view={view} names={names} />}
        {teams?.rows.some(({ team }) => team) && (
          <MostExpensive rows={teams.rows} by="team" view={view} names={names} />
        )}
      </div>
      {rejected && (
        <RejectedWork
          report={rejected}
          total={groups.total.cost_equiv}
          csvUrl={rejectedCsvUrl(view, groups)}
        />
      )}
      <p class="soft usage-note">
        Days are UTC days, and weeks start on Monday. Events without a project are not counted.
      </p>
    </>
  );
}

/** The most expensive runs, tasks and teams of a range, as short lists. */
interface ListProps {
  rows: UsageReportRow[];
  by: Extract<UsageGroup, "run" | "task" | "team">;
  view: View;
  names: GroupNames;
}

function MostExpensive({ rows: all, by, view, names }: ListProps) {
  const rows = all.filter((row) => !row.rest && row.cost_equiv > 0);
  if (rows.length === 0) return null;
  const id = `most-expensive-${by}s`;
  return (
    <section aria-labelledby={id}>
      <div class="head">
        <h2 id={id}>Most expensive {by}s</h2>
        <a href={urlWith(view.url, { by, compare_from: null, compare_to: null })}>All by {by}</a>
      </div>
      <Table
        label={`Table of the most expensive ${by}s`}
        class="numbers"
        isSmall
        columns={[
          {
            label: groupLabels[by],
            isName: true,
            cell: (row) => <GroupLink row={row} by={by} view={view} names={names} />,
          },
          ...expenseColumns,
          by === "run" ? { label: "Result", cell: resultOf } : { label: "Runs", cell: ({ runs }) => runs },
        ]}
        rows={rows}
        keyOf={JSON.stringify}
      />
    </section>
  );
}

const expenseColumns: Column<UsageReportRow>[] = [
  { label: "Cost", cell: ({ cost_equiv }) => formatCost(cost_equiv) },
  { label: "Tokens", cell: ({ tokens_in, tokens_out }) => formatCount(tokens_in + tokens_out) },
];

const resultOf = ({ runs, failures }: { runs: number; failures: number }) =>
  failures > 0 ? <span class="bad">failed</span> : runs > 0 ? "finished" : "no end yet";
