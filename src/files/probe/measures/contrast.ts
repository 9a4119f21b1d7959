/**
 * The contrast of text in an HTML page or an SVG, by the colors that its source declares (WCAG 2.2, 1.4.3).
 * What cannot be told from the source has no contrast: text on images and gradients, and pages with style
 * sheets of other files.
 */
import type { FileMeasures } from "./schema.ts";
import { declarationsFor, declarationsOf, parseRules, type StyledElement } from "./style-rules.ts";

type Color = readonly [red: number, green: number, blue: number];

interface Frame extends StyledElement {
  color: Color | null;
  fill: Color | null;
  /** Null: not known. */
  background: Color | null;
  variables: ReadonlyMap<string, string>;
  isHidden: boolean;
  isSvg: boolean;
}

const black: Color = [0, 0, 0];
const white: Color = [255, 255, 255];
/** Of a link without a color of its own, in browsers. */
const link: Color = [0, 0, 238];
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
  const stack: Frame[] = [{ ...start, color: black, fill: black, background: white }];
  const top = () => stack.at(-1) as Frame;
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
        const frame = frameOf(parent, own, declared);
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

/** Attributes that count as styles with no specificity. */
const presentation = (attribute: (name: string) => string | null): [string, string][] =>
  [
    ["bgcolor", "background-color"],
    ["color", "color"],
    ["fill", "fill"],
    ["opacity", "opacity"],
    ["fill-opacity", "fill-opacity"],
    ["display", "display"],
    ["visibility", "visibility"],
  ].flatMap(([name = "", property = ""]): [string, string][] => {
    const value = attribute(name);
    return value === null ? [] : [[property, value]];
  });

function frameOf(parent: Frame, own: StyledElement, declared: ReadonlyMap<string, string>): Frame {
  const variables = new Map([
    ...parent.variables,
    ...[...declared].filter(([name]) => name.startsWith("--")),
  ]);
  const declaredAs = (name: string) => {
    const value = declared.get(name);
    return value?.replace(
      /var\(\s*(--[\w-]+)\s*(?:,([^)]*))?\)/g,
      (_, variable, other = "") => variables.get(variable) ?? other,
    );
  };
  const surface = declaredAs("background-color") ?? declaredAs("background");
  const image = declaredAs("background-image") ?? declaredAs("background") ?? "";
  const isPicture = /url\(|gradient\(/.test(image);
  const background = isPicture ? null : colorOn(surface, parent.background, parent.background);
  const faded = Number(declaredAs("opacity") ?? 1) * Number(declaredAs("fill-opacity") ?? 1);
  const inkOf = (name: string, before: Color | null) =>
    declaredAs(name) === "transparent"
      ? null
      : fade(colorOn(declaredAs(name), before, background), background, Number.isFinite(faded) ? faded : 1);
  const color = inkOf("color", own.tag === "a" ? link : parent.color);
  return {
    ...own,
    variables,
    background,
    color,
    fill: declaredAs("fill") === "currentColor" ? color : inkOf("fill", parent.fill),
    isHidden:
      parent.isHidden ||
      declaredAs("display") === "none" ||
      declaredAs("visibility") === "hidden" ||
      faded === 0,
    isSvg: own.tag === "svg" || (parent.isSvg && own.tag !== "foreignobject"),
  };
}

/** A declared color over what is behind it; `before` where none is declared, and null for one that is not known. */
function colorOn(value: string | undefined, before: Color | null, behind: Color | null): Color | null {
  if (value === undefined || /^(?:inherit|unset|initial|currentcolor|none)$/i.test(value)) return before;
  if (value === "transparent") return before;
  const parsed = Bun.color(value, "[rgba]");
  if (!parsed) return null;
  const [red, green, blue, alpha] = parsed;
  return alpha === 255 ? [red, green, blue] : fade([red, green, blue], behind, alpha / 255);
}

const fade = (color: Color | null, behind: Color | null, alpha: number): Color | null =>
  color && behind && alpha < 1
    ? (color.map((part, at) => part * alpha + (behind[at] as number) * (1 - alpha)) as never)
    : color;

/** A rectangle over all of an SVG is its background; any other shape makes it unknown. */
function paint(stack: Frame[], fill: Color | null, isEmpty: boolean): void {
  if (isEmpty) return;
  const at = stack.findLastIndex(({ tag }) => tag === "svg");
  for (const frame of stack.slice(Math.max(0, at))) frame.background = fill;
}

const coversAll = (attribute: (name: string) => string | null): boolean =>
  attribute("width") === "100%" &&
  attribute("height") === "100%" &&
  !Number(attribute("x")) &&
  !Number(attribute("y"));

/** 1 to 21. */
function contrastOf(a: Color, b: Color): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].toSorted((one, other) => other - one);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
