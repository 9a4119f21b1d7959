/** Tasks as a board: a column for each stage, as many tasks as the API gives in each. */

import { Fragment } from "preact";
import type { ListedTask, TaskBoard } from "../../overview/tasks/schema.ts";
import { Actor } from "../actor.tsx";
import { formatCost, pluralize } from "../format.ts";
import { Icon } from "../icons/icons.tsx";
import { taskUrl } from "../runs/links.tsx";
import { RunStatus } from "../runs/status.tsx";
import { Time } from "../time.tsx";
import { stageStyles, TaskLink, TaskNumbers } from "./stage.tsx";

/** Stages that stand on the board only if a task is in them: neither waits for anyone. */
const shownIfAny = new Set<string>(["stopped", "closed"]);

interface BoardProps {
  columns: TaskBoard["columns"];
  project: string | undefined;
}

export const Board = ({ columns, project }: BoardProps) => (
  <div class="board">
    {columns
      .filter(({ stage, count }) => count > 0 || !shownIfAny.has(stage))
      .map((column) => (
        <Column key={column.stage} column={column} project={project} />
      ))}
  </div>
);

function Column({
  column: { stage, count, tasks },
  project,
}: {
  column: TaskBoard["columns"][number];
  project: string | undefined;
}) {
  const { label, icon, tone } = stageStyles[stage];
  const table = `/tasks?${new URLSearchParams({ as: "table", stage, ...(project && { project }) })}`;
  return (
    <section class="board-column" aria-labelledby={`stage-${stage}`}>
      <h2 id={`stage-${stage}`}>
        <span class={tone}>
          <Icon name={icon} />
        </span>{" "}
        <a href={table}>
          {label} <span class="soft">{count}</span>
        </a>
      </h2>
      <ul>
        {tasks.map((task) => (
          <Card key={taskUrl(task)} task={task} />
        ))}
      </ul>
      {count === 0 && <p class="soft">None</p>}
      {count > tasks.length && (
        <p>
          <a href={table}>{count - tasks.length} more</a>
        </p>
      )}
    </section>
  );
}

function Card({ task }: { task: ListedTask }) {
  const { project, runs, versions, cost_equiv, actors } = task;
  const facts = [
    ...(runs > 0 ? [pluralize(runs, "run")] : []),
    ...(versions > 0 ? [pluralize(versions, "version")] : []),
    ...(cost_equiv > 0 ? [formatCost(cost_equiv)] : []),
  ];
  return (
    <li class="board-card">
      <p class="board-task">
        <TaskLink task={task} />
      </p>
      <p class="soft">
        {project} <TaskNumbers task={task} />
      </p>
      <p class="soft">
        {facts.map((fact) => (
          <Fragment key={fact}>
            <span class="whole">{fact}</span> ·{" "}
          </Fragment>
        ))}
        <Time ts={task.last_event_at} />
      </p>
      {task.runs_waiting > 0 && <RunStatus status="waiting" />}
      {actors.length > 0 && (
        <p class="soft">
          <Names actors={actors} />
        </p>
      )}
    </li>
  );
}

/** The first names, and how many more there are. */
export function Names({ actors }: { actors: string[] }) {
  const [first, second, ...others] = actors;
  return (
    <>
      <Actor of={first ?? null} />
      {second && (
        <>
          , <Actor of={second} />
        </>
      )}
      {others.length > 0 && `, ${others.length} more`}
    </>
  );
}
