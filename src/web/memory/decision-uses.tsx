/** Who used a decision: the runs whose briefs carried it. */
import { getDecisionUses } from "../../overview/operations/memory.ts";
import type { DecisionUse, DecisionUses } from "../../overview/runs/decision-uses.ts";
import { taskName, taskUrl } from "../runs/links.tsx";
import { RunLine } from "../runs/run-line.tsx";
import { Time } from "../time.tsx";
import { callOperation, filtersOf, urlWith, type View } from "../view.ts";

const pageLength = 20;

export const loadUses = (view: View, id: number) =>
  callOperation<DecisionUses>(view, getDecisionUses, {
    id,
    limit: pageLength,
    ...filtersOf(view.url, ["cursor"]),
  });

export function Uses({ uses: { briefs, next_cursor }, view }: { uses: DecisionUses; view: View }) {
  return (
    <section>
      <h2>Used by</h2>
      {briefs.length === 0 ? (
        <p class="soft">
          No run has been given a brief with it yet, as far as svc knows: a brief names its run in{" "}
          <code>run_id</code>.
        </p>
      ) : (
        <ol class="decisions">
          {briefs.map((use) => (
            <Use key={`${use.run_id} ${use.hash}`} use={use} />
          ))}
        </ol>
      )}
      {next_cursor && (
        <p class="older">
          <a class="button" href={urlWith(view.url, { cursor: next_cursor, done: null })} rel="next">
            Older briefs
          </a>
        </p>
      )}
    </section>
  );
}

function Use({ use: { at, run, run_id } }: { use: DecisionUse }) {
  const task = run && taskUrl(run);
  return (
    <li>
      {run ? <RunLine run={run} /> : <p>Run {run_id}</p>}
      <p class="soft">
        In its brief of <Time ts={at} />
        {task && (
          <>
            , for <a href={task}>{run && taskName(run)}</a>
          </>
        )}
      </p>
    </li>
  );
}
