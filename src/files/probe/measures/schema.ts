/** What checks of decisions measure of a file, beyond its size. */
import { type Static, Type } from "@sinclair/typebox";

/** What a file can say of itself. `gps`: where a picture was taken; `color_profile`: an ICC profile or its like. */
export const metadataNames = [
  ...["exif", "gps", "xmp", "c2pa", "color_profile"],
  ...["title", "description", "alt", "lang", "author", "copyright", "license"],
] as const;
export type MetadataName = (typeof metadataNames)[number];

const Names = Type.Array(Type.String({ maxLength: 32 }), { maxItems: metadataNames.length });

export const FileMeasures = Type.Object({
  /** What it says, and what it could say and does not. What is in neither was not looked for. */
  has: Names,
  lacks: Names,
  /** The text with the least contrast, of an HTML page or an SVG whose colors are declared in it. */
  contrast: Type.Union([
    Type.Null(),
    Type.Object({ ratio: Type.Number({ minimum: 1, maximum: 21 }), text: Type.String({ maxLength: 80 }) }),
  ]),
});
export type FileMeasures = Static<typeof FileMeasures>;
