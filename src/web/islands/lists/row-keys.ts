/** J and K move the focus between the rows of a list, to the link that Enter opens. */
import { isForElsewhere } from "../page/keys.js";

const rows = "#found :is(.event, tbody tr, .tile, .board-card, .decisions > li)";
/** What a row is about, before its other links: a page of this site before one of a forge. */
const links = ["a.kind", '.event-summary a[href^="/"]', ".title a", ".task a", "a"];

const linkOf = (row: Element): HTMLElement | null =>
  links.map((link) => row.querySelector<HTMLElement>(link)).find((link) => link !== null) ?? null;

const steps: Record<string, number> = { j: 1, k: -1 };

document.addEventListener("keydown", (event) => {
  const step = steps[event.key];
  if (!step || isForElsewhere(event)) return;
  const found = [...document.querySelectorAll(rows)].flatMap((row) => {
    const link = linkOf(row);
    return link ? [{ row, link }] : [];
  });
  const at = found.findIndex(({ row }) => row.contains(document.activeElement));
  const next = found[at < 0 ? 0 : at + step];
  if (!next) return;
  event.preventDefault();
  next.link.focus();
});
