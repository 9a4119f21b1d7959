/** @jsxImportSource preact */
/** The usage page: what work took in a range of days, compared with another. */
import { listProjects } from "../../operations/projects.ts";
import { getUsageReport } from "../../operations/usage.ts";
import { Problem } from "../../problem.ts";
import type { ProjectList } from "../../projects/schema.ts";
import type { UsageReport, UsageReportRow } from "../../usage/schema.ts";
import { EmptyState } from "../layout.tsx";
import { callOperation, type Page, type View } from "../view.ts";
import { UsageCharts } from "./charts.tsx";
import { UsageFacts } from "./facts.tsx";
import { type Choice, choiceOf, UsageFilters } from "./filters.tsx";
import { GroupTable } from "./groups.tsx";

const groupsMax = 25;
/** A chart has five colors, one of them for the rest. */
const seriesMax = 4;

export async function usagePage(view: View): Promise<Page> {
  const choice = choiceOf(view);
  const { projects } = await callOperation<ProjectList>(view, listProjects);
  const slugs = projects.map(({ slug }) => slug);
  const page = (body: Page["body"], status = 200): Page => ({
    ...{ title: "Usage", navEntry: "usage" as const, status },
    body: (
      <>
        <div class="head">
          <h1>Usage</h1>
        </div>
        <UsageFilters view={view} choice={choice} slugs={slugs} />
        {body}
      </>
    ),
  });
  try {
    return page(await usageBody(view, choice));
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 400) throw error;
    return page(<p class="notice">{error.detail}</p>, 400);
  }
}

async function usageBody(view: View, choice: Choice): Promise<Page["body"]> {
  const report = (more: Record<string, unknown>) => callOperation<UsageReport>(view, getUsageReport, more);
  const { from, to, project, by, interval, compare_from, compare_to } = choice;
  const [groups, periods] = await Promise.all([
    report({ from, to, project, by, compare_from, compare_to, limit: groupsMax }),
    report({ from, to, project, by, interval, limit: seriesMax }),
  ]);
  const { compared } = groups;
  const before: UsageReportRow[] | null = compared
    ? (await report({ from: compared.from, to: compared.to, project, interval, limit: 1 })).rows
    : null;
  if (groups.rows.length === 0)
    return (
      <EmptyState title="No usage in these days.">
        <p>Choose other days, or let your agents report tokens and cost with the events of their runs.</p>
      </EmptyState>
    );
  return (
    <>
      <UsageFacts report={groups} />
      <UsageCharts report={periods} compared={compared} before={before} />
      <GroupTable report={groups} view={view} />
      <p class="soft usage-note">
        Days are UTC days, and weeks start on Monday. Events without a project are not counted.
      </p>
    </>
  );
}
