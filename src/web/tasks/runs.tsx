/** The runs of a task as a table, oldest first, with what each of them made. */

import type { Run } from "../../feed/runs/schema.ts";
import { variantsText } from "../../library/review-queue/text.ts";
import { groupBySet } from "../../library/variant-sets/group.ts";
import { setPath } from "../../memory/set-ref.ts";
import type { Attempt } from "../../overview/tasks/attempts.ts";
import { Actor } from "../actor.tsx";
import { formatCost, formatCount, formatDuration } from "../format.ts";
import { type Column, Table } from "../lists/table.tsx";
import { runUrl } from "../runs/links.tsx";
import { RunStatus } from "../runs/status.tsx";
import { Time } from "../time.tsx";
import type { ShownTask } from "./load-task.ts";

/** A run, and what it made. */
interface TaskRun {
  run: Run;
  made: Attempt[];
}

const columns: readonly Column<TaskRun>[] = [
  {
    label: "Run",
    isName: true,
    class: "title",
    cell: ({ run }) => (
      <a href={runUrl(run)}>
        <bdi>{run.summary || run.title}</bdi>
      </a>
    ),
  },
  { label: "Started", cell: ({ run }) => <Time ts={run.started_at} /> },
  { label: "Status", cell: ({ run }) => <RunStatus status={run.status} /> },
  { label: "Made", cell: ({ made }) => made.length > 0 && <Made attempts={made} /> },
  { label: "Steps", class: "amount", cell: ({ run }) => formatCount(run.steps) },
  {
    label: "Duration",
    class: "amount",
    cell: ({ run: { duration_ms } }) => duration_ms !== null && formatDuration(duration_ms),
  },
  { label: "Cost", class: "amount", cell: ({ run }) => formatCost(run.cost_equiv) },
  { label: "Agent", class: "wraps", cell: ({ run }) => <Actor of={run.actor} /> },
  { label: "Models", class: "wraps", cell: ({ run }) => run.models.join(", ") },
];

export function TaskRuns({ shown: { runs, chains } }: { shown: ShownTask }) {
  if (runs.length === 0) return <p class="soft">No runs of this task yet.</p>;
  const attempts = (chains ?? []).flatMap((chain) => chain.attempts);
  const rows = runs.map((run) => ({ run, made: attempts.filter((attempt) => attempt.run?.id === run.id) }));
  return <Table label="Runs of this task" columns={columns} rows={rows} keyOf={({ run }) => run.id} />;
}

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
