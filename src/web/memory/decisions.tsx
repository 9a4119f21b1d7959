/** @jsxImportSource preact */
/** The decisions of the memory page: of one project or of all, by status, now or as of a day. */

import type { DecisionList as Decisions } from "../../memory/list-schemas.ts";
import { getAllDecisions } from "../../memory/operations.ts";
import { formatDate } from "../format.ts";
import { EmptyState } from "../layout.tsx";
import { callOperation, filtersOf, urlWith, type View } from "../view.ts";
import { DecisionList } from "./decision-list.tsx";
import { endOfDay } from "./filters.ts";

const pageLength = 30;

export async function decisionsSection(view: View, project: string | undefined) {
  const { status = "current", as_of, cursor } = filtersOf(view.url, ["status", "as_of", "cursor"]);
  const { decisions, next_cursor } = await callOperation<Decisions>(view, getAllDecisions, {
    project,
    status,
    cursor,
    limit: pageLength,
    as_of: endOfDay(as_of),
  });
  return (
    <section>
      <h2>
        {titles[status]} decisions{project && ` of ${project}`}
        {as_of && ` as of ${formatDate(as_of)}`}
      </h2>
      {decisions.length === 0 ? (
        <NoDecisions project={project} isFirst={status !== "superseded" && !as_of && !cursor} />
      ) : (
        <DecisionList decisions={decisions} hasProjects={project === undefined} />
      )}
      {next_cursor && (
        <p class="older">
          <a class="button" href={urlWith(view.url, { cursor: next_cursor })} rel="next">
            Older decisions
          </a>
        </p>
      )}
    </section>
  );
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
