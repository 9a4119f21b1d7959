import type { Usage } from "../../feed/projects/schema.ts";

const spark = { width: 300, height: 36 };

type Day = Pick<Usage, "day" | "runs" | "failures">;

/** A sparkline of runs per day, with failures at the bottom. */
export function Sparkline({ usage, days }: { usage: Day[]; days: string[] }) {
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
