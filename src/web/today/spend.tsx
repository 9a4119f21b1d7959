/** @jsxImportSource preact */
/** What was spent today, against the two weeks before. */
import type { Today } from "../../overview/today/schema.ts";
import { BarChart } from "../charts/charts.tsx";
import { formatCost } from "../format.ts";

export const Spend = ({ spend: { today, usual, days } }: { spend: Today["spend"] }) => (
  <section id="today-spend" class="today-section" data-live>
    <div class="head">
      <h2>Spend</h2>
    </div>
    <p class="spend-today">
      {formatCost(today)} so far today. The median of the 14 days before is {formatCost(usual)}.
    </p>
    <BarChart
      title="Cost"
      days={days.map(({ day }) => day)}
      series={[{ name: "Cost", values: days.map(({ cost_equiv }) => cost_equiv) }]}
      show={formatCost}
    />
  </section>
);
