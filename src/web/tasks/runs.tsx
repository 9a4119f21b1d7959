/** @jsxImportSource preact */
/** The runs of a task as a table, oldest first, with what each of them made. */

import type { Run } from "../../feed/runs/schema.ts";
import { variantsText } from "../../library/review-queue/text.ts";
import { groupBySet } from "../../library/variant-sets/group.ts";
import { setPath } from "../../memory/set-ref.ts";
import type { Attempt } from "../../overview/tasks/attempts.ts";
import { Actor } from "../actor.tsx";
import { formatCost, formatCount, formatDuration } from "../format.ts";
import { runUrl } from "../runs/links.tsx";
import { RunStatus } from "../runs/status.tsx";
import { Time } from "../time.tsx";
import type { ShownTask } from "./load-task.ts";

const columns = ["Started", "Run", "Status", "Made", "Steps", "Duration", "Cost", "Agent", "Model"];

export function TaskRuns({ shown: { runs, chains } }: { shown: ShownTask }) {
  if (runs.length === 0) return <p class="soft">No runs of this task yet.</p>;
  const attempts = (chains ?? []).flatMap((chain) => chain.attempts);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section class="wide-table" tabIndex={0} aria-label="Runs of this task">
      <table>
        <thead>
          <tr>
            {columns.map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <RunRow key={run.id} run={run} made={attempts.filter((attempt) => attempt.run?.id === run.id)} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

const RunRow = ({ run, made }: { run: Run; made: Attempt[] }) => (
  <tr>
    <td>
      <Time ts={run.started_at} />
    </td>
    <td class="title">
      <a href={runUrl(run)}>
        <bdi>{run.summary || run.title}</bdi>
      </a>
    </td>
    <td>
      <RunStatus status={run.status} />
    </td>
    <td>
      <Made attempts={made} />
    </td>
    <td>{formatCount(run.steps)}</td>
    <td>{run.duration_ms === null ? "" : formatDuration(run.duration_ms)}</td>
    <td>{formatCost(run.cost_equiv)}</td>
    <td>
      <Actor of={run.actor} />
    </td>
    <td>{run.models.join(", ")}</td>
  </tr>
);

/** A variant set is one entry. */
function Made({ attempts }: { attempts: Attempt[] }) {
  const { single, sets } = groupBySet(attempts.map(({ asset }) => asset));
  return (
    <>
      {sets.map(({ project, set, variants }, index) => (
        <span key={set}>
          {index > 0 && ", "}
          <a href={setPath(project, set)}>{variantsText(variants.length)}</a>
        </span>
      ))}
      {single.map((asset, index) => (
        <span key={asset.id}>
          {index + sets.length > 0 && ", "}
          <a href={`#version-${asset.id}`}>v{asset.version}</a>
        </span>
      ))}
    </>
  );
}
