/** The bars of a chart are one stop of the Tab key: the arrow keys move between them. */

const barsOf = (chart: Element) => [...chart.querySelectorAll<SVGAElement>("a")];

/** The bar that Tab reaches is the one that had the focus last, at first the newest. */
function makeCurrent(bars: readonly SVGAElement[], current: SVGAElement | undefined): void {
  for (const bar of bars) bar.setAttribute("tabindex", bar === current ? "0" : "-1");
}

const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };

for (const chart of document.querySelectorAll(".bar-area")) makeCurrent(barsOf(chart), barsOf(chart).at(-1));

document.addEventListener("keydown", (event) => {
  const chart = (event.target as Element).closest?.(".bar-area");
  const step = steps[event.key];
  if (!chart || !step) return;
  const bars = barsOf(chart);
  const next = bars[bars.indexOf(document.activeElement as unknown as SVGAElement) + step];
  if (!next) return;
  event.preventDefault();
  makeCurrent(bars, next);
  next.focus();
});
