/** Draws one annotation again where it is on the page: as a pin, on a timeline, on lines of a text. */

const markOf = (n: string): string => `.mark[data-n="${n}"]`;

/** @param page has where the annotation is drawn now; nowhere if it was removed */
export function replaceMarks(page: Document): void {
  const fresh = page.querySelector<HTMLElement>("[data-marks-of]");
  const n = fresh?.dataset.marksOf;
  if (!fresh || !n) return;
  for (const layer of document.querySelectorAll("[data-pins], [data-timeline]")) {
    const name = layer.hasAttribute("data-pins") ? "data-pins" : "data-timeline";
    const drawn = fresh.querySelector(`[${name}="${CSS.escape(layer.getAttribute(name) ?? "")}"]`);
    const svg = layer instanceof HTMLTemplateElement ? layer.content.firstElementChild : layer;
    if (svg) replaceIn(svg, n, drawn);
  }
  for (const text of document.querySelectorAll("[data-lines]")) replaceLines(text, n, fresh);
}

function replaceIn(svg: Element, n: string, drawn: Element | null): void {
  for (const old of svg.querySelectorAll(markOf(n))) old.remove();
  svg.querySelector(".paths")?.append(...(drawn?.querySelectorAll(".paths > .mark") ?? []));
  svg.append(...(drawn?.querySelectorAll(":scope > .mark") ?? []));
}

/** Its old lines lose it; its new ones are replaced with all that is on them. */
function replaceLines(text: Element, n: string, fresh: Element): void {
  for (const old of text.querySelectorAll(markOf(n)))
    if (old instanceof HTMLAnchorElement) old.remove();
    else old.replaceWith(...old.childNodes);
  for (const line of fresh.querySelectorAll<HTMLElement>("[data-line]"))
    text.querySelector(`[data-line="${line.dataset.line}"]`)?.replaceWith(line);
}
