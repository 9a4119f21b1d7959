/** @jsxImportSource preact */
/** The most expensive runs and tasks of a range, as short lists. */
import type { UsageGroup, UsageReport } from "../../feed/usage/schema.ts";
import { formatCost, formatCount } from "../format.ts";
import { urlWith, type View } from "../view.ts";
import { GroupLink } from "./groups.tsx";

interface ListProps {
  report: UsageReport;
  by: Extract<UsageGroup, "run" | "task">;
  view: View;
}

export function MostExpensive({ report, by, view }: ListProps) {
  const rows = report.rows.filter((row) => !row.rest && row.cost_equiv > 0);
  if (rows.length === 0) return null;
  const id = `most-expensive-${by}s`;
  return (
    <section aria-labelledby={id}>
      <div class="head">
        <h2 id={id}>Most expensive {by}s</h2>
        <a href={urlWith(view.url, { by, compare_from: null, compare_to: null })}>All by {by}</a>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions need keyboard access */}
      <section class="wide-table" tabIndex={0} aria-label={`Table of the most expensive ${by}s`}>
        <table class="numbers">
          <thead>
            <tr>
              <th scope="col">{by === "run" ? "Run" : "Task"}</th>
              <th scope="col">Cost</th>
              <th scope="col">Tokens</th>
              <th scope="col">{by === "run" ? "Result" : "Runs"}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={JSON.stringify(row)}>
                <th scope="row">
                  <GroupLink row={row} by={by} view={view} />
                </th>
                <td>{formatCost(row.cost_equiv)}</td>
                <td>{formatCount(row.tokens_in + row.tokens_out)}</td>
                <td>{by === "run" ? resultOf(row) : row.runs}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

const resultOf = ({ runs, failures }: { runs: number; failures: number }) =>
  failures > 0 ? <span class="bad">failed</span> : runs > 0 ? "finished" : "no end yet";
