/** @jsxImportSource preact */
/** The values of a chart as a table. */
import type { Interval } from "../../feed/usage/schema.ts";
import { formatDate } from "../format.ts";
import type { Series } from "../usage/usage.tsx";

interface TableProps {
  title: string;
  starts: string[];
  interval: Interval;
  series: Series[];
  show(value: number): string;
}

const periodHeads: Record<Interval, string> = { day: "Day", week: "Week from", month: "Month from" };

export const ChartTable = ({ title, starts, interval, series, show }: TableProps) => (
  <details>
    <summary>Show data</summary>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions need keyboard access */}
    <section class="scroll" tabIndex={0} aria-label={`${title} by ${interval}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">{periodHeads[interval]}</th>
            {series.map((group) => (
              <th scope="col" key={group.name}>
                {group.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {starts.map((start, at) => (
            <tr key={start}>
              <th scope="row">{formatDate(start)}</th>
              {series.map((group) => (
                <td key={group.name}>
                  {group.values[at] ? show(group.values[at]) : <span class="soft">0</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  </details>
);
