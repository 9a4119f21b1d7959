/** The intrinsic size of an SVG, from the attributes of its root element. */
import { int32OrNull } from "../kind.ts";

/** CSS pixels of each absolute unit (CSS Values and Units 4, 6.2). */
const pixels: Record<string, number> = {
  "": 1,
  px: 1,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  q: 96 / 101.6,
  pt: 96 / 72,
  pc: 16,
};

const length = /^\s*\+?(\d*\.?\d+(?:e[+-]?\d+)?)(px|in|cm|mm|q|pt|pc|)\s*$/i;

/**
 * Returns the size in CSS pixels, or null if it has none. `root` is the text from the root's start tag on.
 */
export function svgSize(root: string): { width: number; height: number } | null {
  const attributes = attributesOf(root);
  const [width, height] = ["width", "height"].map((name) => pixelsOf(attributes.get(name)));
  const box = viewBoxOf(attributes.get("viewBox"));
  const size = {
    width: width ?? (box && (height ? (height * box.width) / box.height : box.width)),
    height: height ?? (box && (width ? (width * box.height) / box.width : box.height)),
  };
  const [wide, high] = [int32OrNull(Math.round(size.width ?? 0)), int32OrNull(Math.round(size.height ?? 0))];
  return wide && high ? { width: wide, height: high } : null;
}

/** Returns the complete attributes of the start tag, which may be cut off. */
function attributesOf(root: string): Map<string, string> {
  const attributes = new Map<string, string>();
  const attribute = /\s+([^\s=/>"'<]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
  attribute.lastIndex = /^<[^\s/>]*/.exec(root)?.[0].length ?? 0;
  for (let found = attribute.exec(root); found; found = attribute.exec(root))
    attributes.set(found[1] as string, found[2] ?? found[3] ?? "");
  return attributes;
}

/** Null for a percentage and for a missing value. */
function pixelsOf(text: string | undefined): number | null {
  const [, number, unit = ""] = length.exec(text ?? "") ?? [];
  return Number(number) * (pixels[unit.toLowerCase()] as number) || null;
}

function viewBoxOf(text: string | undefined): { width: number; height: number } | null {
  const [, , width = 0, height = 0] = (text ?? "")
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  return width > 0 && height > 0 ? { width, height } : null;
}
