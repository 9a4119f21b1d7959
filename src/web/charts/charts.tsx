/** Charts rendered on the server: one stacked bar per period with labeled axes, and a data table below. */
import type { Interval } from "../../feed/usage/schema.ts";
import { formatDate } from "../format.ts";
import type { Series } from "../usage/usage.tsx";
import { GridLines, PeriodAxis, percent, ticksUpTo, ValueAxis } from "./axes.tsx";

/** CSS classes of the series; the colors differ in lightness as well as in hue. */
const fills = ["c1", "c2", "c3", "c4", "c5"];

interface BarChartProps {
  title: string;
  /** The first day of each period. */
  days: string[];
  interval?: Interval;
  series: Series[];
  /** The totals of a second range, period by period, as marks beside the bars. */
  compared?: Series | undefined;
  /** Formats a value. */
  show(value: number): string;
  /** Where a bar leads: the URL of what its period holds. */
  hrefOf(start: string): string;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

export function BarChart({ title, days, interval = "day", series, compared, show, hrefOf }: BarChartProps) {
  const totals = days.map((_, at) => sum(series.map((group) => group.values[at] ?? 0)));
  const marks = days.map((_, at) => compared?.values[at] ?? 0);
  const most = Math.max(...totals, ...marks, 0);
  const ticks = most > 0 ? ticksUpTo(most) : [];
  const top = ticks.at(-1) ?? 1;
  const id = title.toLowerCase().replace(/\W+/g, "-");
  const all = compared ? [...series, compared] : series;
  return (
    <figure class="chart panel" aria-labelledby={`${id}-title`}>
      <figcaption id={`${id}-title`}>
        <span class="chart-title">
          {title} per {interval}
        </span>{" "}
        <span class="chart-sum">{show(sum(totals))}</span>
      </figcaption>
      {most === 0 ? (
        <p class="soft">No data for this period.</p>
      ) : (
        <div class="bar-plot">
          <ValueAxis ticks={ticks} show={show} />
          {/* biome-ignore lint/a11y/useSemanticElements: a chart is no fieldset */}
          <svg
            class="bar-area"
            role="group"
            aria-label={
              `${title}, ${days.length} ${interval}s: at most ${show(Math.max(...totals))} ` +
              `per ${interval}, ${show(sum(totals))} in total. The table below has the data.`
            }
          >
            <GridLines ticks={ticks} />
            {days.map((day, at) => (
              <Bar
                key={day}
                at={at}
                count={days.length}
                top={top}
                mark={marks[at] ?? 0}
                values={series.map((group) => group.values[at] ?? 0)}
                label={labelOf(day, interval, all, at, show)}
                href={hrefOf(day)}
              />
            ))}
          </svg>
          <PeriodAxis starts={days} interval={interval} />
        </div>
      )}
      {most > 0 && (series.length > 1 || compared) && (
        <Legend series={series} compared={compared} show={show} />
      )}
      {most > 0 && <ChartTable title={title} starts={days} interval={interval} series={all} show={show} />}
    </figure>
  );
}

/** The period and its values, which a browser shows when the pointer is on the bar. */
function labelOf(day: string, interval: Interval, series: Series[], at: number, show: BarChartProps["show"]) {
  const parts = series.flatMap(({ name, values }) => (values[at] ? [`${name} ${show(values[at])}`] : []));
  const period = interval === "day" ? formatDate(day) : `${interval} from ${formatDate(day)}`;
  return `${period}: ${parts.join(", ") || "none"}`;
}

const Legend = ({ series, compared, show }: Pick<BarChartProps, "series" | "compared" | "show">) => (
  <ul class="legend">
    {series.map((group, at) => (
      <li key={group.name}>
        <svg viewBox="0 0 10 10" aria-hidden="true">
          <rect width="10" height="10" class={fills[at % fills.length]} />
        </svg>{" "}
        {group.name} <span class="soft">{show(sum(group.values))}</span>
      </li>
    ))}
    {compared && (
      <li>
        <svg viewBox="0 0 10 10" aria-hidden="true">
          <line class="mark" x1="0" x2="10" y1="5" y2="5" />
        </svg>{" "}
        {compared.name} <span class="soft">{show(sum(compared.values))}</span>
      </li>
    )}
  </ul>
);

interface BarProps {
  /** The index of its period, of `count`. */
  at: number;
  count: number;
  values: number[];
  /** The value of a second range; 0 has no mark. */
  mark: number;
  /** The value at the top of the chart. */
  top: number;
  label: string;
  href: string;
}

/** The part of a period's width that its bar takes. */
const barShare = 0.8;

/** A link, unless there is nothing to see. */
function Bar({ label, href, ...shape }: BarProps) {
  const drawn = (
    <>
      <title>{label}</title>
      <BarShape {...shape} />
    </>
  );
  return shape.values.some((value) => value > 0) ? (
    <a href={href} aria-label={label}>
      {drawn}
    </a>
  ) : (
    <g>{drawn}</g>
  );
}

function BarShape({ at, count, values, mark, top }: Omit<BarProps, "label" | "href">) {
  let y = 1;
  const x = percent((at + (1 - barShare) / 2) / count);
  return (
    <>
      <rect class="hit" x={percent(at / count)} y="0" width={percent(1 / count)} height="100%" />
      {values.map((value, series) => {
        y -= value / top;
        return value > 0 ? (
          <rect
            key={fills[series]}
            class={fills[series % fills.length]}
            x={x}
            y={percent(y)}
            width={percent(barShare / count)}
            height={percent(value / top)}
          />
        ) : null;
      })}
      {mark > 0 && (
        <line
          class="mark"
          x1={percent(at / count)}
          x2={percent((at + 1) / count)}
          y1={percent(1 - mark / top)}
          y2={percent(1 - mark / top)}
        />
      )}
    </>
  );
}

export { Sparkline } from "./sparkline.tsx";

/** The values of a chart as a table. */
interface TableProps {
  title: string;
  starts: string[];
  interval: Interval;
  series: Series[];
  show(value: number): string;
}

const periodHeads: Record<Interval, string> = { day: "Day", week: "Week from", month: "Month from" };

const ChartTable = ({ title, starts, interval, series, show }: TableProps) => (
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
