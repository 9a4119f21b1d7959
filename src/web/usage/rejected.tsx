/** The cost of rejected work: what was spent on versions that were rejected. */
import type { RejectedUsage } from "../../overview/usage/rejected-schema.ts";
import { formatCost, formatCount, pluralize } from "../format.ts";
import { type Column, Table } from "../lists/table.tsx";
import { taskUrl } from "../runs/links.tsx";
import { Time } from "../time.tsx";
import { taskLabel } from "./groups.tsx";

interface RejectedProps {
  report: RejectedUsage;
  /** The cost of all work in the range. */
  total: number;
  /** The URL of the same report as CSV. */
  csvUrl: string;
}

export function RejectedWork({ report: { musts, total, rows, more }, total: all, csvUrl }: RejectedProps) {
  if (total.versions === 0) return <Attempts musts={musts} />;
  const share = all > 0 ? `, ${Math.round((total.cost_equiv / all) * 100)}% of the cost of these days` : "";
  return (
    <section aria-labelledby="rejected-work">
      <div class="head">
        <h2 id="rejected-work">Rejected work</h2>
        <a class="button" href={csvUrl} download>
          Download CSV
        </a>
      </div>
      <p>
        <strong>{formatCost(total.cost_equiv)}</strong> in {pluralize(total.runs, "run")} for{" "}
        {pluralize(total.versions, "version")} that {total.versions === 1 ? "was" : "were"} rejected{share}.
      </p>
      <Attempts musts={musts} />
      <Table
        label="Rejected versions"
        class="numbers"
        columns={columns}
        rows={rows}
        keyOf={({ asset }) => asset}
      />
      {more > 0 && <p class="soft">and {more} more</p>}
      <p class="soft">
        A version costs the run that it names or, without one, the runs that its author started on its task
        since the version before. A run counts once, for the version that was rejected first.
      </p>
    </section>
  );
}

const columns: readonly Column<RejectedUsage["rows"][number]>[] = [
  {
    label: "Version",
    isName: true,
    cell: ({ asset, title, version }) => (
      <a href={`/assets/${asset}`}>
        {title}, version {version}
      </a>
    ),
  },
  { label: "Task", cell: (row) => <TaskLink {...row} /> },
  { label: "Rejected", cell: ({ rejected_at }) => <Time ts={rejected_at} /> },
  { label: "Cost", cell: ({ cost_equiv }) => formatCost(cost_equiv) },
  { label: "Tokens", cell: ({ tokens_in, tokens_out }) => formatCount(tokens_in + tokens_out) },
  { label: "Runs", cell: ({ runs }) => formatCount(runs) },
];

function TaskLink(row: Parameters<typeof taskUrl>[0]) {
  const href = taskUrl(row);
  return href ? <a href={href}>{`${row.project} ${taskLabel(row)}`}</a> : <span class="soft">none</span>;
}

/** How many versions it takes until what a reviewer asked for is done. */
function Attempts({ musts: { confirmed, attempts, most } }: Pick<RejectedUsage, "musts">) {
  if (confirmed === 0) return null;
  return (
    <p>
      {pluralize(confirmed, "must")} of <a href="/docs/review#attempts">annotations</a> confirmed, in{" "}
      <strong>{pluralize(attempts, "version")}</strong> on average, at most {most}.
    </p>
  );
}
