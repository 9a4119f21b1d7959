/** @jsxImportSource preact */
/** Charts rendered on the server: one stacked bar per day, with a data table below. */
import type { Usage } from "../projects/schema.ts";
import { formatDate } from "./format.ts";
import type { Series } from "./usage.tsx";

const size = { width: 640, height: 150, gap: 2 };
/** CSS classes of the series; the colors differ in lightness as well as in hue. */
const fills = ["c1", "c2", "c3", "c4", "c5"];

/** @param show formats a value */
export function BarChart({
  title,
  days,
  series,
  show,
}: {
  title: string;
  days: string[];
  series: Series[];
  show(value: number): string;
}) {
  const totals = days.map((_, at) => series.reduce((sum, group) => sum + (group.values[at] ?? 0), 0));
  const most = Math.max(...totals, 0);
  const step = size.width / Math.max(days.length, 1);
  const sum = totals.reduce((all, total) => all + total, 0);
  const id = title.toLowerCase().replace(/\W+/g, "-");
  return (
    <figure class="chart panel" aria-labelledby={`${id}-title`}>
      <figcaption id={`${id}-title`}>
        <span class="chart-title">{title}</span> <span class="chart-sum">{show(sum)}</span>
      </figcaption>
      {most === 0 ? (
        <p class="soft">No data for this period.</p>
      ) : (
        <>
          <p class="axis most" aria-hidden="true">
            {show(most)}
          </p>
          <svg
            viewBox={`0 0 ${size.width} ${size.height}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={
              `${title}, ${days.length} days: at most ${show(most)} per day, ${show(sum)} in total. ` +
              "The table below has the data."
            }
          >
            {days.map((day, at) => (
              <Bar
                key={day}
                x={at * step}
                width={Math.max(1, step - size.gap)}
                values={series.map((group) => group.values[at] ?? 0)}
                most={most}
                label={`${formatDate(day)}: ${show(totals[at] ?? 0)}`}
              />
            ))}
          </svg>
        </>
      )}
      <p class="axis">
        <span>{formatDate(days[0] ?? "")}</span>
        <span>{formatDate(days.at(-1) ?? "")}</span>
      </p>
      {series.length > 1 && (
        <ul class="legend">
          {series.map((group, at) => (
            <li key={group.name}>
              <svg viewBox="0 0 10 10" aria-hidden="true">
                <rect width="10" height="10" class={fills[at % fills.length]} />
              </svg>{" "}
              {group.name}{" "}
              <span class="soft">{show(group.values.reduce((all, value) => all + value, 0))}</span>
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary>Show data</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions need keyboard access */}
        <section class="scroll" tabIndex={0} aria-label={`${title} by day`}>
          <table>
            <thead>
              <tr>
                <th scope="col">Day</th>
                {series.map((group) => (
                  <th scope="col" key={group.name}>
                    {group.name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days.map((day, at) => (
                <tr key={day}>
                  <th scope="row">{formatDate(day)}</th>
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
    </figure>
  );
}

function Bar({
  x,
  width,
  values,
  most,
  label,
}: {
  x: number;
  width: number;
  values: number[];
  most: number;
  label: string;
}) {
  let top = size.height;
  return (
    <g>
      <title>{label}</title>
      {values.map((value, at) => {
        const height = (value / most) * size.height;
        top -= height;
        return value > 0 ? (
          <rect
            key={fills[at]}
            class={fills[at % fills.length]}
            x={x.toFixed(1)}
            y={top.toFixed(1)}
            width={width.toFixed(1)}
            height={Math.max(1, height).toFixed(1)}
          />
        ) : null;
      })}
    </g>
  );
}

const spark = { width: 300, height: 36 };

/** A sparkline of runs per day, with failures at the bottom. */
export function Sparkline({ usage, days }: { usage: Usage[]; days: string[] }) {
  const sums = days.map((day) => {
    const rows = usage.filter((row) => row.day === day);
    return {
      runs: rows.reduce((sum, row) => sum + row.runs, 0),
      failures: rows.reduce((sum, row) => sum + row.failures, 0),
    };
  });
  const most = Math.max(...sums.map((day) => day.runs), 1);
  const step = spark.width / days.length;
  const [runs, failures] = [
    sums.reduce((all, day) => all + day.runs, 0),
    sums.reduce((all, day) => all + day.failures, 0),
  ];
  return (
    <div>
      <svg
        class="spark"
        viewBox={`0 0 ${spark.width} ${spark.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${runs} runs in ${days.length} days, ${failures} failed`}
      >
        {sums.map(({ runs, failures }, at) => {
          const [all, bad] = [(runs / most) * spark.height, (failures / most) * spark.height];
          const bar = { x: (at * step + 1).toFixed(1), width: (step - 2).toFixed(1) };
          return (
            <g key={days[at]}>
              {runs > failures && (
                <rect
                  class="ok"
                  {...bar}
                  y={(spark.height - all).toFixed(1)}
                  height={(all - bad).toFixed(1)}
                />
              )}
              {failures > 0 && (
                <rect class="failed" {...bar} y={(spark.height - bad).toFixed(1)} height={bad.toFixed(1)} />
              )}
            </g>
          );
        })}
      </svg>
      <p class="soft sparkline-label">Runs, last {days.length} days (failures in red)</p>
    </div>
  );
}
