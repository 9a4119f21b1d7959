/** Where a mark is in a file, and how much it weighs. */

import type { Static } from "@sinclair/typebox";
import { Type } from "@sinclair/typebox";
import { Choice, Line } from "../../../core/wire.ts";

/** The most urgent first. */
export const weights = ["must", "should", "nit"] as const;

export const Weight = Choice(weights, {
  description: "`must` is changed before an approval, `should` if possible, `nit` is a detail.",
});

export type Weight = Static<typeof Weight>;

/** Coordinates are ten-thousandths of the picture as it is shown, with its EXIF rotation applied. */
export const unit = 10_000;

const integer = (minimum: number, maximum: number, description: string, example: number) =>
  Type.Integer({ minimum, maximum, description, examples: [example] });

const coordinate = (description: string, example: number) =>
  Type.Optional(integer(0, unit, `${description}, in 1/${unit} of the shown image.`, example));

const time = (description: string, example: number) =>
  Type.Optional(integer(0, 2_147_483_647, `${description}, in milliseconds.`, example));

const position = integer(0, unit, "", 0);

export const shapes = ["point", "rect", "path"] as const;

const quoted = (description: string) => Line(256, { description });

/** The place of an annotation in its file. Everything in it is optional, but it is never empty. */
export const Target = Type.Object(
  {
    file: Type.Optional(Line(255, { description: "Path within an HTML bundle.", examples: ["index.html"] })),
    page: Type.Optional(integer(1, 100_000, "Page of a document, from 1.", 3)),
    t_ms: time("Time, or start of a range", 12_400),
    t_end_ms: time("End of a range", 14_000),
    frame: Type.Optional(integer(0, 2_147_483_647, "Frame, from 0; needs `fps`.", 372)),
    fps: Type.Optional(
      Type.String({
        pattern: "^[1-9][0-9]{0,5}(/[1-9][0-9]{0,5})?$",
        description: "Frames per second.",
        examples: ["30000/1001"],
      }),
    ),
    shape: Type.Optional(
      Choice(shapes, { description: "A point has `x, y`, a rect also `w, h`, a path has `points`." }),
    ),
    x: coordinate("Left", 1800),
    y: coordinate("Top", 7400),
    w: coordinate("Width", 500),
    h: coordinate("Height", 500),
    points: Type.Optional(
      Type.Array(Type.Array(position, { minItems: 2, maxItems: 2 }), {
        minItems: 2,
        maxItems: 64,
        description: `Corners of a path, \`[x, y]\` in 1/${unit} of the shown image.`,
        examples: [
          [
            [1000, 2000],
            [3000, 2500],
          ],
        ],
      }),
    ),
    viewport: Type.Optional(
      Type.Object(
        { w: integer(1, 10_000, "Width in CSS pixels.", 390), h: integer(1, 100_000, "Height.", 844) },
        { description: "Size at which the page was shown." },
      ),
    ),
    css: Type.Optional(Line(256, { description: "CSS selector.", examples: ["footer > a"] })),
    quote: Type.Optional(
      Type.Object(
        {
          exact: quoted("The text that is meant."),
          prefix: Type.Optional(quoted("The text before it.")),
          suffix: Type.Optional(quoted("The text after it.")),
        },
        { examples: [{ exact: "Buy now" }] },
      ),
    ),
    lines: Type.Optional(
      Type.Object(
        { from: integer(1, 10_000_000, "First line, from 1.", 10), to: integer(1, 10_000_000, "Last.", 14) },
        { description: "Lines of a text." },
      ),
    ),
  },
  {
    $id: "AnnotationTarget",
    description: "The place that is meant.",
    examples: [{ shape: "point", x: 1800, y: 7400 }],
  },
);

export type Target = Static<typeof Target>;
