/** Cost and tokens of a run as they grew. */

import type { Event } from "../../feed/schema.ts";
import { chartEventsMax } from "../../overview/runs/run-page.ts";
import { formatCost, formatCount, formatDuration } from "../format.ts";
import type { ShownRun } from "./load-run.ts";

/** More points than the chart has pixels would only make the page larger. */
const pointsMax = 300;

export function RunGrowth({ shown: { run, firstEvents } }: { shown: ShownRun }) {
  if (run.cost_equiv === 0 && run.tokens_in + run.tokens_out === 0) return null;
  const isCut = firstEvents.length === chartEventsMax;
  return (
    <section id="run-growth" data-live>
      <h2 class="visually-hidden">Cost and tokens as they grew</h2>
      <div class="charts">
        <GrowthChart
          title="Cost"
          series={["Cost"]}
          points={growth(firstEvents, (event) => [event.cost_equiv])}
          show={formatCost}
        />
        <GrowthChart
          title="Tokens"
          series={["in", "out"]}
          points={growth(firstEvents, (event) => [event.tokens_in, event.tokens_out])}
          show={formatCount}
        />
      </div>
      {isCut && <p class="soft">The charts show the first {formatCount(chartEventsMax)} events.</p>}
    </section>
  );
}

/** The sums after each event, thinned out to the last one of each part of the chart. */
function growth(events: Event[], valuesOf: (event: Event) => number[]): GrowthPoint[] {
  const start = Date.parse(events[0]?.ts ?? "");
  const end = Date.parse(events.at(-1)?.ts ?? "");
  const part = Math.max(1, (end - start) / pointsMax);
  const points = new Map<number, GrowthPoint>();
  let sums: number[] = [];
  for (const event of events) {
    sums = valuesOf(event).map((value, index) => value + (sums[index] ?? 0));
    const ms = Date.parse(event.ts) - start;
    points.set(Math.floor(ms / part), { ms, sums });
  }
  return [...points.values()];
}

/** A sum so far at a time since the start of the run. */
interface GrowthPoint {
  ms: number;
  /** One value per series. */
  sums: number[];
}

interface GrowthChartProps {
  title: string;
  series: readonly string[];
  points: GrowthPoint[];
  /** Formats a value. */
  show(value: number): string;
}

const size = { width: 640, height: 150 };

const lines = ["l1", "l2"];

function GrowthChart({ title, series, points, show }: GrowthChartProps) {
  const last = points.at(-1)?.sums ?? [];
  const total = last.reduce((all, sum) => all + sum, 0);
  const top = roundUp(Math.max(...last, 0));
  const end = Math.max(points.at(-1)?.ms ?? 0, 1);
  const id = `growth-${title.toLowerCase()}`;
  const at = ({ ms, sums }: GrowthPoint, index: number): [number, number] => [
    (ms / end) * size.width,
    size.height * (1 - (sums[index] ?? 0) / top),
  ];
  return (
    <figure class="chart growth panel" aria-labelledby={`${id}-title`}>
      <figcaption id={`${id}-title`}>
        <span class="chart-title">{title}</span> <span class="chart-sum">{show(total)}</span>
      </figcaption>
      <div class="growth-plot">
        <p class="y-axis" aria-hidden="true">
          {[top, top / 2, 0].map((value) => (
            <span key={value}>{show(value)}</span>
          ))}
        </p>
        <svg
          viewBox={`0 0 ${size.width} ${size.height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={
            `${title} over ${formatDuration(end)}: ` +
            series.map((name, index) => `${name} ${show(last[index] ?? 0)}`).join(", ")
          }
        >
          <path class="grid-line" d={`M0 ${size.height / 2}H${size.width}`} />
          {series.map((name, index) => (
            <path
              key={name}
              class={`line ${lines[index % lines.length]}`}
              d={stepPath(points.map((point) => at(point, index)))}
            />
          ))}
        </svg>
        <p class="x-axis" aria-hidden="true">
          {[0, end / 2, end].map((ms) => (
            <span key={ms}>{ms === 0 ? "start" : formatDuration(Math.round(ms))}</span>
          ))}
        </p>
      </div>
      {series.length > 1 && (
        <ul class="legend">
          {series.map((name, index) => (
            <li key={name}>
              <svg viewBox="0 0 10 10" aria-hidden="true">
                <path class={`line ${lines[index % lines.length]}`} d="M0 5H10" />
              </svg>{" "}
              {name} <span class="soft">{show(last[index] ?? 0)}</span>
            </li>
          ))}
        </ul>
      )}
    </figure>
  );
}

/** A sum stays until the next event, so the line goes right, then up. */
const stepPath = (places: [number, number][]): string =>
  `M0 ${size.height}${places.map(([x, y]) => `H${x.toFixed(1)}V${y.toFixed(1)}`).join("")}H${size.width}`;

/** The next number of 1, 2, 4, 5 or 8 and zeros; half of it is a short number, too. */
function roundUp(value: number): number {
  if (value <= 0) return 1;
  const unit = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 4, 5, 8, 10].find((one) => one * unit >= value * 0.999) ?? 10;
  return step * unit;
}
