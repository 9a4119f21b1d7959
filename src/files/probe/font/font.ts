/** In the child: the names, characters, and two outlines of a font. */
import { create, type Font } from "fontkit";
import type { BlockReader } from "../bytes.ts";
import { limits } from "../limits.ts";
import { type FontContents, fontLimits } from "./schema.ts";

/** Null if the font is damaged or too large. */
export function readFont(file: BlockReader): FontContents | null {
  if (file.size > limits.fontBytes) return null;
  const font = create(Buffer.from(file.read(0, file.size)));
  if ("fonts" in font) return null;
  const all = [...new Set(font.characterSet)].toSorted((a, b) => a - b);
  const visible = all.filter(isVisible);
  return {
    name: (font.fullName ?? font.familyName ?? "").slice(0, fontLimits.name).toWellFormed(),
    glyphs: font.numGlyphs,
    characters: all.length,
    shown: String.fromCodePoint(...visible.slice(0, fontLimits.characters)),
    ...weightOf(font),
    axes: axesOf(font),
    sample: sampleOf(font, visible),
  };
}

/** Marks are not: they are drawn over what is before them. */
const isVisible = (code: number): boolean =>
  code <= 0x10ffff && /[\p{L}\p{N}\p{P}\p{S}\p{Co}]/u.test(String.fromCodePoint(code));

function weightOf({ "OS/2": table }: Font): Pick<FontContents, "weight"> {
  const weight = table?.usWeightClass;
  return Number.isInteger(weight) && weight && weight > 0 && weight <= 1000 ? { weight } : {};
}

function axesOf({ variationAxes }: Font): string[] {
  const axes = Object.entries(variationAxes).flatMap(([name, axis]) =>
    axis ? [`${name} ${axis.min}-${axis.max}`] : [],
  );
  return axes.slice(0, fontLimits.axes);
}

/** `Ag`, or the first characters of a font without letters, in thousandths of the size. */
function sampleOf(font: Font, visible: number[]): FontContents["sample"] {
  const letters = [..."Ag"].map((letter) => letter.codePointAt(0) as number);
  const codes = letters.every((code) => visible.includes(code)) ? letters : visible.slice(0, 2);
  const scale = 1000 / font.unitsPerEm;
  const paths: string[] = [];
  const box = [0, 0, 0, 0] as [number, number, number, number];
  let x = 0;
  try {
    for (const code of codes) {
      const { path, advanceWidth } = font.glyphForCodePoint(code);
      const drawn = path
        .scale(scale, -scale)
        .translate(x, 0)
        .mapPoints((px, py) => [Math.round(px), Math.round(py)]);
      const { minX, minY, maxX, maxY } = drawn.bbox;
      const text = drawn.toSVG();
      if (text) {
        if (paths.length === 0) box.splice(0, 4, minX, minY, maxX, maxY);
        paths.push(text);
        box[0] = Math.min(box[0], minX);
        box[1] = Math.min(box[1], minY);
        box[2] = Math.max(box[2], maxX);
        box[3] = Math.max(box[3], maxY);
      }
      x += advanceWidth * scale;
    }
  } catch {
    return null; // a font of bitmaps, or with damaged outlines
  }
  const path = paths.join("");
  return path && path.length <= fontLimits.outline ? { path, box } : null;
}
