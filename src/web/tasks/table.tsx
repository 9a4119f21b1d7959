/** @jsxImportSource preact */
/** Tasks as a table, which sorts by the columns that the API sorts by. */

import type { ListedTask, TaskSort } from "../../overview/tasks/schema.ts";
import { formatCost, formatCount } from "../format.ts";
import { type Column, ColumnHeads } from "../lists/columns.tsx";
import { Time } from "../time.tsx";
import { Names } from "./board.tsx";
import { Stage, TaskLink, TaskNumbers } from "./stage.tsx";

const columns: readonly Column<TaskSort>[] = [
  { label: "Task" },
  { label: "Project" },
  { label: "Stage" },
  { label: "Runs", sort: "runs" },
  { label: "Versions" },
  { label: "Cost", sort: "cost" },
  { label: "Age", sort: "age" },
  { label: "Last run", sort: "recent" },
  { label: "Agents" },
  { label: "Models" },
];

export function TaskTable({ tasks, url }: { tasks: ListedTask[]; url: URL }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section class="wide-table" tabIndex={0} aria-label="Tasks">
      <table>
        <thead>
          <ColumnHeads columns={columns} byDefault="recent" url={url} />
        </thead>
        <tbody>
          {tasks.map((task) => (
            <Row key={`${task.project} ${task.issue} ${task.pr}`} task={task} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

const Row = ({ task }: { task: ListedTask }) => (
  <tr>
    <td class="title">
      <TaskLink task={task} /> <TaskNumbers task={task} />
    </td>
    <td>{task.project}</td>
    <td>
      <Stage stage={task.stage} />
    </td>
    <td>{formatCount(task.runs)}</td>
    <td>{formatCount(task.versions)}</td>
    <td>{formatCost(task.cost_equiv)}</td>
    <td>{task.opened_at && <Time ts={task.opened_at} />}</td>
    <td>{task.runs > 0 && <Time ts={task.last_event_at} />}</td>
    <td>
      <Names actors={task.actors} />
    </td>
    <td>{task.models.join(", ")}</td>
  </tr>
);
