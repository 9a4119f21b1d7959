/** The text that is selected in a PDF or a text file, as the fields of a quote. */

const aroundLength = 32;
/** The most bytes of a quote. */
const bytesMax = 256;

const oneLine = (text: string): string => text.replace(/\s+/g, " ");

/** As much of a text as a quote may have. */
function fitted(text: string): string {
  const encoder = new TextEncoder();
  let fit = text;
  while (encoder.encode(fit).length > bytesMax) fit = [...fit].slice(0, -8).join("");
  return fit;
}

/** Null unless something in this viewer is selected. */
export function quoteFields(viewer: HTMLElement): Record<string, string> | null {
  const selection = getSelection();
  const range = selection?.rangeCount ? selection.getRangeAt(0) : null;
  if (!range || range.collapsed) return null;
  const start = elementOf(range.startContainer);
  const area = start?.closest<HTMLElement>(".textLayer, [data-lines]");
  if (!area || !viewer.contains(area)) return null;
  const exact = fitted(oneLine(textIn(area, range)).trim());
  if (!exact) return null;
  const fields = { quote: exact, ...surroundings(area, range) };
  const sheet = area.closest<HTMLElement>(".sheet");
  return sheet ? { ...fields, ...placeOn(sheet, range) } : { ...fields, ...linesOf(range) };
}

const elementOf = (node: Node): Element | null => (node instanceof Element ? node : node.parentElement);

function surroundings(area: HTMLElement, range: Range): Record<string, string> {
  const [before, after] = [document.createRange(), document.createRange()];
  before.setStart(area, 0);
  before.setEnd(range.startContainer, range.startOffset);
  after.setStart(range.endContainer, range.endOffset);
  after.setEnd(area, area.childNodes.length);
  return {
    prefix: [...oneLine(textIn(area, before))].slice(-aroundLength).join("").trim(),
    suffix: [...oneLine(textIn(area, after))].slice(0, aroundLength).join("").trim(),
  };
}

/** The text of a range; of a text with numbered lines, without the numbers and pins beside them. */
function textIn(area: HTMLElement, range: Range): string {
  if (!area.matches("[data-lines]")) return range.toString();
  const cells = [...area.querySelectorAll(".text")].filter((cell) => range.intersectsNode(cell));
  return cells
    .map((cell, index) => {
      const part = document.createRange();
      part.selectNodeContents(cell);
      if (index === 0 && cell.contains(range.startContainer))
        part.setStart(range.startContainer, range.startOffset);
      if (index === cells.length - 1 && cell.contains(range.endContainer))
        part.setEnd(range.endContainer, range.endOffset);
      return part.toString();
    })
    .join("\n");
}

/** The box of the selection, in percent of the page. */
function placeOn(sheet: HTMLElement, range: Range): Record<string, string> {
  const [box, page] = [range.getBoundingClientRect(), sheet.getBoundingClientRect()];
  const share = (value: number, size: number) => Math.min(100, Math.max(0, (value / size) * 100)).toFixed(2);
  return {
    page: sheet.dataset.page ?? "",
    x: share(box.left - page.left, page.width),
    y: share(box.top - page.top, page.height),
    w: share(box.width, page.width),
    h: share(box.height, page.height),
  };
}

function linesOf(range: Range): Record<string, string> {
  const lineOf = (node: Node) => elementOf(node)?.closest<HTMLElement>("[data-line]")?.dataset.line ?? "";
  return { line_from: lineOf(range.startContainer), line_to: lineOf(range.endContainer) };
}
