/** Schemas of annotations: a reviewer's marks on one version of an asset, each at a place. */

import { type Static, Type } from "@sinclair/typebox";
import { Choice, DateTime, NextCursor, Nullable, Prose } from "../../core/wire.ts";
import { Target, Weight } from "../../files/probe/marks/schema.ts";
import { AssetId, assetId, Sha256 } from "../assets/ids.ts";

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
    next_cursor: NextCursor,
  },
  { $id: "AnnotationList" },
);
export type AnnotationList = Static<typeof AnnotationList>;
