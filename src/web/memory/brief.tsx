/** @jsxImportSource preact */
/** The brief of the memory page: what an agent that starts a task now reads. */

import type { Brief } from "../../overview/memory/brief/schema.ts";
import { brief as compileBrief } from "../../overview/operations/memory.ts";
import { formatCount, pluralize } from "../format.ts";
import { EmptyState } from "../layout.tsx";
import { callOperation, filtersOf, type View } from "../view.ts";

/** The URL of the brief of a project, for example that of an issue. */
export const briefUrl = (project: string, issue: number | null): string =>
  `/memory?${new URLSearchParams({ view: "brief", project, ...(issue && { issue: String(issue) }) })}`;

export async function briefSection(view: View, project: string | undefined) {
  if (project === undefined) return <EmptyState title="No projects yet." />;
  const { intent, issue } = filtersOf(view.url, ["intent", "issue"]);
  const { text, chars, left_out } = await callOperation<Brief>(view, compileBrief, {
    project,
    intent,
    issue: issue === undefined ? undefined : Number(issue),
  });
  return (
    <section>
      <h2>Brief for {project}</h2>
      <p class="soft">
        What an agent reads before it starts, with <code>svc_brief</code> or <code>svc brief</code>:{" "}
        {formatCount(chars)} characters.
        {left_out.map(({ part, count }) => ` ${part}: ${pluralize(count, "entry", "entries")} left out.`)}
      </p>
      <pre class="brief whole">{text}</pre>
    </section>
  );
}
