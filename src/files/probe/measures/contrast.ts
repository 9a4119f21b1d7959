/**
 * The contrast of text in an HTML page or an SVG, by the colors that its source declares (WCAG 2.2, 1.4.3).
 * What cannot be told from the source has no contrast: text on images and gradients, and pages with style
 * sheets of other files.
 */
import { type Color, contrastOf } from "./color-contrast.ts";
import { type ElementStyle, presentation, styleOf } from "./element-style.ts";
import type { FileMeasures } from "./schema.ts";
import { declarationsFor, declarationsOf, parseRules } from "./style-rules.ts";

const black: Color = [0, 0, 0];
const white: Color = [255, 255, 255];
const silent = new Set([
  "head",
  "script",
  "style",
  "title",
  "desc",
  "metadata",
  "noscript",
  "template",
  "defs",
]);
/** Shapes that can be behind a text of an SVG; where they are is not computed, apart from a `rect`. */
const shapes = new Set(["path", "circle", "ellipse", "polygon", "polyline", "image", "use", "foreignobject"]);
const textMax = 60;

export function leastContrast(source: string): FileMeasures["contrast"] {
  const { css, isWhole } = styleSheets(source);
  if (!isWhole) return null;
  const rules = parseRules(css);
  const start = { tag: "", id: "", classes: [], variables: new Map(), isHidden: false, isSvg: false };
  const stack: ElementStyle[] = [{ ...start, color: black, fill: black, background: white }];
  const top = () => stack.at(-1) as ElementStyle;
  let least: FileMeasures["contrast"] = null;
  let pending = "";
  const flush = () => {
    const text = pending.replace(/&\w+;|\s+/g, " ").trim();
    pending = "";
    const { color, fill, background, isHidden, isSvg } = top();
    const ink = isSvg ? fill : color;
    if (text === "" || isHidden || !ink || !background) return;
    const ratio = Math.floor(contrastOf(ink, background) * 100) / 100;
    if (!least || ratio < least.ratio) least = { ratio, text: [...text].slice(0, textMax).join("") };
  };
  new HTMLRewriter()
    .on("*", {
      element(element) {
        flush();
        const tag = element.tagName.toLowerCase();
        const parent = top();
        const attribute = (name: string) => element.getAttribute(name);
        const own = {
          tag,
          id: attribute("id") ?? "",
          classes: (attribute("class") ?? "").split(/\s+/).filter(Boolean),
        };
        const declared = new Map([
          ...presentation(attribute),
          ...declarationsFor(rules, [own, ...stack.toReversed()]),
          ...declarationsOf(attribute("style") ?? ""),
        ]);
        const frame = styleOf(parent, own, declared);
        if (silent.has(tag) || attribute("hidden") !== null) frame.isHidden = true;
        // From here on, what is drawn is behind what follows in this SVG.
        if (parent.isSvg && attribute("transform") !== null) frame.background = null;
        if (parent.isSvg && (tag === "rect" || shapes.has(tag)))
          paint(
            stack,
            tag === "rect" && coversAll(attribute) ? frame.fill : null,
            declared.get("fill") === "none",
          );
        if (!element.canHaveContent || element.selfClosing) return;
        stack.push(frame);
        element.onEndTag(() => {
          flush();
          const at = stack.lastIndexOf(frame);
          if (at > 0) stack.length = at;
        });
      },
    })
    .onDocument({ text: (chunk) => void (pending += chunk.text) })
    .transform(source);
  flush();
  return least;
}

function styleSheets(source: string): { css: string; isWhole: boolean } {
  let css = "";
  let isWhole = true;
  new HTMLRewriter()
    .on("style", { text: (chunk) => void (css += chunk.text) })
    .on("link", {
      element: (element) => {
        if (/\bstylesheet\b/i.test(element.getAttribute("rel") ?? "")) isWhole = false;
      },
    })
    .transform(source);
  return { css, isWhole: isWhole && !/@import\b/.test(css) };
}

/** A rectangle over all of an SVG is its background; any other shape makes it unknown. */
function paint(stack: ElementStyle[], fill: Color | null, isEmpty: boolean): void {
  if (isEmpty) return;
  const at = stack.findLastIndex(({ tag }) => tag === "svg");
  for (const frame of stack.slice(Math.max(0, at))) frame.background = fill;
}

const coversAll = (attribute: (name: string) => string | null): boolean =>
  attribute("width") === "100%" &&
  attribute("height") === "100%" &&
  !Number(attribute("x")) &&
  !Number(attribute("y"));
