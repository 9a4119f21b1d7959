/** @jsxImportSource preact */
/** What the agent of a run was told: its briefs, folded, and what it searched memory for. */
import { runMemoryDays } from "../../feed/runs/schema.ts";
import type { RunDetail } from "../../overview/runs/schema.ts";
import { formatCount, pluralize } from "../format.ts";
import { Time } from "../time.tsx";
import type { ShownRun } from "./load-run.ts";

export const RunMemory = ({ shown: { run } }: { shown: ShownRun }) => (
  <section id="run-memory" data-live>
    <h2>What it was given</h2>
    {run.briefs.length === 0 && (
      <p class="soft">
        No brief was given to this run. Agents that pass <code>run_id</code> to the brief have it recorded
        here.
      </p>
    )}
    {run.briefs.map((brief) => (
      <BriefGiven key={brief.hash} brief={brief} />
    ))}
    {run.recalls.length > 0 && (
      <>
        <h3>Memory searches</h3>
        <ul class="plain-list">
          {run.recalls.map((recall, index) => (
            <li key={index}>
              <q>{recall.query}</q> <span class="soft">{pluralize(recall.hits, "result")}</span>
            </li>
          ))}
        </ul>
      </>
    )}
  </section>
);

function BriefGiven({ brief }: { brief: RunDetail["briefs"][number] }) {
  return (
    <details data-key={brief.hash}>
      <summary>
        Brief of <Time ts={brief.at} />, {formatCount(brief.chars)} characters
        {brief.decisions.length > 0 && `, with ${pluralize(brief.decisions.length, "decision")}`}
      </summary>
      {brief.text === null ? (
        <p class="soft">The text of a brief is deleted after {runMemoryDays} days.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions need keyboard access
        <pre class="brief" tabIndex={0}>
          {brief.text}
        </pre>
      )}
    </details>
  );
}
