/** @jsxImportSource preact */
/** The cost of rejected work: what was spent on versions that were rejected. */
import type { RejectedUsage } from "../../overview/usage/rejected-schema.ts";
import { formatCost, formatCount, pluralize } from "../format.ts";
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions need keyboard access */}
      <section class="wide-table" tabIndex={0} aria-label="Rejected versions">
        <table class="numbers">
          <thead>
            <tr>
              <th scope="col">Version</th>
              <th scope="col">Task</th>
              <th scope="col">Rejected</th>
              <th scope="col">Cost</th>
              <th scope="col">Tokens</th>
              <th scope="col">Runs</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.asset}>
                <th scope="row">
                  <a href={`/assets/${row.asset}`}>
                    {row.title}, version {row.version}
                  </a>
                </th>
                <td>
                  <TaskLink {...row} />
                </td>
                <td>
                  <Time ts={row.rejected_at} />
                </td>
                <td>{formatCost(row.cost_equiv)}</td>
                <td>{formatCount(row.tokens_in + row.tokens_out)}</td>
                <td>{row.runs}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {more > 0 && <p class="soft">and {more} more</p>}
      <p class="soft">
        A version costs the run that it names or, without one, the runs that its author started on its task
        since the version before. A run counts once, for the version that was rejected first.
      </p>
    </section>
  );
}

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
