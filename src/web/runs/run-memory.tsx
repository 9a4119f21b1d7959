/** What the agent of a run was told: its briefs, folded, and what it searched memory for. */
import { runMemoryDays } from "../../feed/runs/schema.ts";
import { parseBrief } from "../../overview/brief/parse.ts";
import type { RunDetail } from "../../overview/runs/schema.ts";
import { formatCount, pluralize } from "../format.ts";
import { AsGiven, briefUrl } from "../memory/brief.tsx";
import { BriefLines } from "../memory/brief-lines.tsx";
import { Time } from "../time.tsx";
import type { ShownRun } from "./load-run.ts";

export const RunMemory = ({ shown }: { shown: ShownRun }) => {
  const { run } = shown;
  return (
    <section id="run-memory" data-live>
      <h2>What it was given</h2>
      {run.briefs.length === 0 && (
        <p class="soft">
          No brief was given to this run. Agents that pass <code>run_id</code> to the brief have it recorded
          here.
        </p>
      )}
      {run.briefs.map((brief) => (
        <BriefGiven key={brief.hash} brief={brief} shown={shown} />
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
};

type ReadBrief = RunDetail["briefs"][number];

function BriefGiven({ brief, shown: { run, briefSources } }: { brief: ReadBrief; shown: ShownRun }) {
  const { project, id } = run;
  return (
    <details data-key={brief.hash}>
      <summary>
        Brief of <Time ts={brief.at} as="exact" />, {formatCount(brief.chars)} characters
        {brief.decisions.length > 0 && `, with ${pluralize(brief.decisions.length, "decision")}`}
      </summary>
      {brief.text === null ? (
        <p class="soft">The text of a brief is deleted after {runMemoryDays} days.</p>
      ) : (
        <>
          <p>
            <a href={briefUrl(project, run, { run: id })}>Compare with the brief of now</a>
          </p>
          <BriefLines brief={parseBrief(brief.text)} sources={briefSources} project={project} />
          <AsGiven text={brief.text} />
        </>
      )}
    </details>
  );
}
