/** The decisions of the memory page: of one project or of all, by status, now or as of a day. */

import type { DecisionRecord, DecisionList as Decisions } from "../../memory/list-schemas.ts";
import { getAllDecisions } from "../../memory/operations.ts";
import { reviewSource } from "../../memory/set-ref.ts";
import { countUses } from "../../overview/runs/decision-uses.ts";
import { formatDate } from "../format.ts";
import { EmptyState } from "../layout.tsx";
import { callOperation, filtersOf, urlWith, type View } from "../view.ts";
import { DecisionList } from "./decision-list.tsx";
import {
  type DecisionGroup,
  type DecisionSort,
  decisionGroups,
  decisionSorts,
  defaultGroup,
  endOfDay,
} from "./filters.ts";

const pageLength = 30;
/** Decisions that are sorted by use or age: the newest. */
const sortedMax = 200;

export async function decisionsSection(view: View, project: string | undefined) {
  const {
    status = "current",
    as_of,
    cursor,
    ...shown
  } = filtersOf(view.url, [...["status", "as_of", "cursor", "group", "sort"]]);
  const sort = Object.hasOwn(decisionSorts, shown.sort ?? "") ? (shown.sort as DecisionSort) : "newest";
  const group = decisionGroups.find((one) => one === shown.group) ?? defaultGroup(project);
  const isPaged = sort === "newest";
  const { decisions, next_cursor } = await callOperation<Decisions>(view, getAllDecisions, {
    project,
    status,
    cursor: isPaged ? cursor : undefined,
    limit: isPaged ? pageLength : sortedMax,
    as_of: endOfDay(as_of),
  });
  const uses = await countUses(view.ctx, decisions);
  const sorted = decisions.toSorted(orders(uses)[sort]).slice(0, isPaged ? pageLength : 2 * pageLength);
  const groups = [...Map.groupBy(sorted, (decision) => groupOf(decision, group))];
  return (
    <section>
      <h2>
        {titles[status]} decisions{project && ` of ${project}`}
        {as_of && ` as of ${formatDate(as_of)}`}
      </h2>
      {decisions.length === 0 && (
        <NoDecisions project={project} isFirst={status !== "superseded" && !as_of && !cursor} />
      )}
      {!isPaged && next_cursor && <p class="soft">Of the newest {sortedMax}.</p>}
      {groups.map(([name, list]) => (
        <section key={name} class="decision-group">
          {name && (
            <h3>
              {name} <span class="count">{list.length}</span>
            </h3>
          )}
          <DecisionList
            decisions={list}
            uses={uses}
            hasProjects={project === undefined && group !== "project"}
          />
        </section>
      ))}
      {isPaged && next_cursor && (
        <p class="older">
          <a class="button" href={urlWith(view.url, { cursor: next_cursor })} rel="next">
            Older decisions
          </a>
        </p>
      )}
    </section>
  );
}

type Order = (a: DecisionRecord, b: DecisionRecord) => number;

const orders = (uses: ReadonlyMap<number, number>): Record<DecisionSort, Order> => {
  const usesOf = ({ id }: DecisionRecord) => uses.get(id) ?? 0;
  return {
    newest: () => 0,
    oldest: (a, b) => (a.valid_from < b.valid_from ? -1 : 1),
    most_used: (a, b) => usesOf(b) - usesOf(a),
    least_used: (a, b) => usesOf(a) - usesOf(b),
  };
};

/** The heading that a decision stands below. */
function groupOf({ project, source, actor, standing }: DecisionRecord, group: DecisionGroup): string {
  if (group === "project") return project;
  if (group === "nothing") return "";
  if (source === reviewSource) return "Rejections";
  if (standing === "proposed") return "Proposed by agents";
  return actor.startsWith("human:") ? "Decided by people" : "Recorded by agents";
}

const titles: Record<string, string> = {
  current: "Current",
  superseded: "Superseded and retired",
  all: "All",
};

export const NoDecisions = ({ project, isFirst }: { project: string | undefined; isFirst: boolean }) =>
  isFirst ? (
    <EmptyState title="No decisions yet.">
      <p>
        Record one with <code>svc decide {project ?? "PROJECT"} "…"</code>. When you reject an asset, your
        note becomes a decision automatically.
      </p>
    </EmptyState>
  ) : (
    <EmptyState title="No decisions match these filters." />
  );
