/** Tasks as a table, which sorts by the columns that the API sorts by. */

import type { ListedTask, TaskSort } from "../../overview/tasks/schema.ts";
import { formatCost, formatCount } from "../format.ts";
import { type Column, Table } from "../lists/table.tsx";
import { taskUrl } from "../runs/links.tsx";
import { Time } from "../time.tsx";
import { Names } from "./board.tsx";
import { Stage, TaskLink, TaskNumbers } from "./stage.tsx";

const columns: readonly Column<ListedTask, TaskSort>[] = [
  {
    label: "Task",
    isName: true,
    class: "title",
    cell: (task) => (
      <>
        <TaskLink task={task} />
        <span class="soft">
          {task.project} <TaskNumbers task={task} />
        </span>
      </>
    ),
  },
  { label: "Stage", cell: ({ stage }) => <Stage stage={stage} /> },
  { label: "Runs", class: "amount", sort: "runs", cell: ({ runs }) => formatCount(runs) },
  { label: "Versions", class: "amount", cell: ({ versions }) => formatCount(versions) },
  { label: "Cost", class: "amount", sort: "cost", cell: ({ cost_equiv }) => formatCost(cost_equiv) },
  { label: "Opened", sort: "age", cell: ({ opened_at }) => opened_at && <Time ts={opened_at} /> },
  {
    label: "Last run",
    sort: "recent",
    cell: ({ runs, last_event_at }) => runs > 0 && <Time ts={last_event_at} />,
  },
  { label: "Agents", class: "wraps", cell: ({ actors }) => <Names actors={actors} /> },
  { label: "Models", class: "wraps", cell: ({ models }) => models.join(", ") },
];

export const TaskTable = ({ tasks, url }: { tasks: ListedTask[]; url: URL }) => (
  <Table
    label="Tasks"
    columns={columns}
    rows={tasks}
    keyOf={(task) => taskUrl(task) ?? ""}
    sorting={{ url, byDefault: "recent" }}
  />
);
