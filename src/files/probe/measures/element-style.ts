/** The colors, the background, and the visibility of an element, from its styles and those of its parent. */
import { type Color, colorOn, fade } from "./color-contrast.ts";
import type { StyledElement } from "./style-rules.ts";

export interface ElementStyle extends StyledElement {
  color: Color | null;
  fill: Color | null;
  /** Null: not known. */
  background: Color | null;
  variables: ReadonlyMap<string, string>;
  isHidden: boolean;
  isSvg: boolean;
}

/** Of a link without a color of its own, in browsers. */
const link: Color = [0, 0, 238];

/** Attributes that count as styles with no specificity. */
export const presentation = (attribute: (name: string) => string | null): [string, string][] =>
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

export function styleOf(
  parent: ElementStyle,
  own: StyledElement,
  declared: ReadonlyMap<string, string>,
): ElementStyle {
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
