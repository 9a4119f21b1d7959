/** Schemas of annotations: a reviewer's marks on one version of an asset, each at a place. */
import { type Static, Type } from "@sinclair/typebox";
import { Choice, DateTime, Line, Nullable, Prose } from "../../core/wire.ts";
import { AssetId, assetId, Sha256 } from "../assets/ids.ts";

/** The most urgent first. */
export const weights = ["must", "should", "nit"] as const;
export const Weight = Choice(weights, {
  description: "`must` is changed before an approval, `should` if possible, `nit` is a detail.",
});
export type Weight = Static<typeof Weight>;

export const states = ["draft", "open", "addressed", "honoured", "withdrawn"] as const;
export const State = Choice(states, {
  description:
    "`draft`: only its author sees it, until their review. `addressed`: an agent says it is done. " +
    "`honoured`: a person confirmed it.",
});
export type State = Static<typeof State>;
/** The states of an annotation that still waits for a person's confirmation. */
export const unsettledStates = ["open", "addressed"] as const satisfies State[];

export const origins = ["web", "api", "mcp", "cli", "share"] as const;
export type Origin = (typeof origins)[number];

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

export const bodyBytesMax = 1024;
export const Body = Prose(bodyBytesMax, {
  description: "What to change.",
  examples: ["The logo is cut off."],
});
export const AnnotationId = assetId({
  description: "Annotation id, a ULID.",
  examples: ["01J9ZC5W8Q4T3M2N1K0H7G6F5E"],
});
const Person = Type.String({ description: "Actor, `<kind>:<name>`.", examples: ["human:maria"] });

export const Annotation = Type.Object(
  {
    id: AnnotationId,
    n: Type.Integer({
      minimum: 1,
      description: "Number on the pin, counted for all versions together. Replies have that of their thread.",
      examples: [1],
    }),
    asset_id: AssetId,
    version: Type.Integer({ minimum: 1, examples: [1] }),
    sha256: Sha256,
    parent_id: Nullable(
      Type.String({ description: "The annotation that this replies to.", examples: AnnotationId.examples }),
    ),
    body: Type.String({ examples: Body.examples }),
    weight: Weight,
    by: Person,
    origin: Choice(origins, { description: "Where it was written." }),
    created_at: DateTime(),
    state: State,
    state_by: Nullable(Person),
    state_at: Nullable(DateTime()),
    addressed_in: Nullable(
      Type.String({ description: "Id of the version that addressed it.", examples: AssetId.examples }),
    ),
    reopened: Type.Integer({ minimum: 0, description: "How often a reviewer reopened it.", examples: [0] }),
    honoured_version: Nullable(
      Type.Integer({ minimum: 1, description: "The version that a person confirmed it in.", examples: [2] }),
    ),
    target: Nullable(Target),
    text: Type.String({
      description: "The annotation as one line of text.",
      examples: ["1. [must] lower left (x 18 %, y 74 %): The logo is cut off."],
    }),
  },
  { $id: "Annotation" },
);
export type Annotation = Static<typeof Annotation>;

/** What the detail of an asset says of an annotation: enough to act on it. */
const summaryFields = ["id", "n", "version", "parent_id", "weight", "by", "state", "text"] as const;
export const AnnotationSummary = Type.Pick(Annotation, summaryFields, { $id: "AnnotationSummary" });
export type AnnotationSummary = Static<typeof AnnotationSummary>;
/** Keeps the fields of the summary. */
export const summarize = (annotation: Annotation): AnnotationSummary =>
  Object.fromEntries(summaryFields.map((name) => [name, annotation[name]])) as AnnotationSummary;

export const AnnotationList = Type.Object(
  {
    annotations: Type.Array(Annotation),
    next_cursor: Nullable(
      Type.String({ description: "Pass as `cursor` for the next page; null on the last page." }),
    ),
  },
  { $id: "AnnotationList" },
);
export type AnnotationList = Static<typeof AnnotationList>;
