/** What a font contains, as a child of the probe reports it. */
import { type Static, Type } from "@sinclair/typebox";

const types = ["font/ttf", "font/otf", "font/woff", "font/woff2"];
/** Browsers do not read collections of fonts. */
export const isFont = ({ mime }: { mime: string }): boolean => types.includes(mime);

export const fontLimits = { name: 200, characters: 600, axes: 16, outline: 30_000 } as const;

const Count = Type.Integer({ minimum: 0 });
const Name = Type.String({ maxLength: fontLimits.name });
const Unit = Type.Number({ minimum: -1e6, maximum: 1e6 });

export const FontContents = Type.Object({
  /** Such as `Source Serif 4 Bold`. */
  name: Name,
  glyphs: Count,
  /** How many characters it has, and the first of those that can be seen. */
  characters: Count,
  shown: Type.String({ maxLength: 2 * fontLimits.characters }),
  /** 400 is regular, 700 bold. Absent where the font says none, and in what was read before there was this field. */
  weight: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  /** Of a variable font, such as `wght 200-900`. */
  axes: Type.Array(Name, { maxItems: fontLimits.axes }),
  /** The outline of two letters as the data of an SVG path, and its box; null without outlines. */
  sample: Type.Union([
    Type.Object({
      path: Type.String({ maxLength: fontLimits.outline, pattern: "^[MLQCZ0-9 .,-]+$" }),
      box: Type.Array(Unit, { minItems: 4, maxItems: 4 }),
    }),
    Type.Null(),
  ]),
});
export type FontContents = Static<typeof FontContents>;
