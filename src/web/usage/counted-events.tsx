/** The events that a number of the usage counts, so that each number leads to exactly its rows. */

import { fromMicros, toMicros } from "../../core/lib/time.ts";
import { badRequest } from "../../core/problem.ts";
import { listFullNames } from "../../feed/filter-values.ts";
import { getFeed } from "../../feed/operations/feed.ts";
import { getUsageReport, listProjects } from "../../feed/operations/projects.ts";
import type { ProjectList } from "../../feed/projects/schema.ts";
import type { UsageRange } from "../../feed/rows.ts";
import { isPipeline } from "../../feed/runs/pipelines.ts";
import { endKinds } from "../../feed/runs/rule.ts";
import type { FeedPage } from "../../feed/schema.ts";
import { addDays } from "../../feed/usage/ranges.ts";
import type { UsageReport } from "../../feed/usage/schema.ts";
import { LinesByDay } from "../feed/grouped.tsx";
import { formatDays, pluralize } from "../format.ts";
import { personName } from "../lists/owners.ts";
import { callOperation, filtersOf, type Page, urlWith, type View } from "../view.ts";

const numbers = {
  runs: { title: "Runs that ended", noun: "run", kinds: [...endKinds] },
  failures: { title: "Runs that failed", noun: "run", kinds: ["run.failed"] },
  merges: { title: "Pull requests merged", noun: "pull request", kinds: ["pr.merged"] },
} as const;
type CountedName = keyof typeof numbers;

const filterNames = ["project", "team", "person"] as const;
export const countedParameters = ["of", "from", "to", ...filterNames, "cursor"];

/** Where a number leads. */
export function countedUrl(
  of: CountedName,
  { from, to, ...filter }: UsageRange & { [Name in (typeof filterNames)[number]]?: string | undefined },
): string {
  const given = Object.entries(filter).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return `/usage/events?${new URLSearchParams([["of", of], ["from", from], ["to", to], ...given])}`;
}

const pageLength = 50;

export async function countedEventsPage(view: View): Promise<Page> {
  const { of = "runs", cursor, ...query } = filtersOf(view.url, countedParameters);
  if (!Object.hasOwn(numbers, of)) throw badRequest(`of must be one of ${Object.keys(numbers).join(", ")}.`);
  const name = of as CountedName;
  const { title, noun, kinds } = numbers[name];
  // It checks the range and the project.
  const report = await callOperation<UsageReport>(view, getUsageReport, { ...query, limit: 1 });
  const { from, to, total } = report;
  const [names, { projects }, page] = await Promise.all([
    listFullNames(view.ctx, view.visitor.caller),
    callOperation<ProjectList>(view, listProjects, { limit: 100 }),
    callOperation<FeedPage>(view, getFeed, {
      ...Object.fromEntries(filterNames.map((name) => [name, query[name]])),
      kind: kinds,
      after: fromMicros(toMicros(`${from}T00:00:00Z`) - 1),
      before: fromMicros(toMicros(`${addDays(to, 1)}T00:00:00Z`)),
      cursor,
      limit: pageLength,
    }),
  ]);
  // Of these alone usage is summed.
  const events = page.events.filter(({ project, run_id }) => project !== null && !isPipeline(run_id));
  const body = (
    <>
      <div class="head">
        <h1>{title}</h1>
        <a class="button" href={`/usage?${new URLSearchParams(query)}`}>
          Usage
        </a>
      </div>
      <p class="soft">
        {pluralize(total[name], noun)}
        {filterNames.map(
          (name) =>
            query[name] && ` · ${name} ${name === "person" ? personName(query[name], names) : query[name]}`,
        )}{" "}
        · {formatDays(report)}. Days are UTC days.
      </p>
      <LinesByDay
        lines={events.map((event) => ({ ts: event.ts, event }))}
        projects={projects}
        config={view.ctx.config}
        canRedact={false}
      />
      {page.next_cursor && (
        <p class="older">
          <a class="button" href={urlWith(view.url, { cursor: page.next_cursor })} rel="next">
            Older events
          </a>
        </p>
      )}
    </>
  );
  return { title, navEntry: "usage", body };
}
