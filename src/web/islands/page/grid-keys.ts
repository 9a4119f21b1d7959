/** Arrow keys move the focus between the links of a grid. */

const steps: Record<string, (columns: number) => number> = {
  ArrowLeft: () => -1,
  ArrowRight: () => 1,
  ArrowUp: (columns) => -columns,
  ArrowDown: (columns) => columns,
};

/** How many links the first row has. */
function countColumns(links: readonly HTMLElement[]): number {
  const top = links[0]?.offsetTop;
  const next = links.findIndex((link) => link.offsetTop !== top);
  return next < 0 ? links.length : next;
}

/** Moves the focus for an arrow key. Down scrolls the page until a link has the focus. */
export function moveInGrid(event: KeyboardEvent, links: readonly HTMLElement[]): void {
  const step = steps[event.key];
  const at = links.indexOf(document.activeElement as HTMLElement);
  if (!step || (at < 0 && event.key !== "ArrowRight")) return;
  event.preventDefault();
  links[at < 0 ? 0 : at + step(countColumns(links))]?.focus();
}
