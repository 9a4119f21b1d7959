/** @jsxImportSource preact */
/** Cost and tokens of a run as they grew. */
import type { Event } from "../../feed/schema.ts";
import { formatCost, formatCount } from "../format.ts";
import { GrowthChart, type GrowthPoint } from "./growth-chart.tsx";
import { chartEventsMax, type ShownRun } from "./load-run.ts";

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
