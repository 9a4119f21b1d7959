/** Schemas of what callers send about annotations. */
import { type Static, Type } from "@sinclair/typebox";
import { Cursor } from "../../core/lib/cursor.ts";
import { Choice, Limit, Nullable, OneOrMore, Prose } from "../../core/wire.ts";
import { Target, Weight } from "../../files/probe/marks/schema.ts";
import { AssetPath } from "../assets/requests.ts";
import { assetId, By, Sha256, ulidPattern } from "../assets/schema.ts";
import { AnnotationId, Body, bodyBytesMax, states } from "./schema.ts";

export const AnnotationsQuery = Type.Object({
  ...AssetPath.properties,
  scope: Type.Optional(
    Choice(["version", "open", "chain"], {
      default: "version",
      description:
        "`version`: those of this version. `chain`: those of all its versions. `open`: of all versions, " +
        "those that no person has confirmed yet, reopened ones first, then by weight.",
    }),
  ),
  limit: Limit(50),
  cursor: Type.Optional(Cursor(`[0-5]${ulidPattern}`)),
});
export type AnnotationsQuery = Static<typeof AnnotationsQuery>;

const by = Type.Optional(By("Who writes it. Defaults to the token."));

export const AnnotateInput = Type.Object({
  ...AssetPath.properties,
  body: Body,
  weight: Type.Optional({ ...Weight, default: "must" } as typeof Weight),
  target: Type.Optional(Target),
  parent_id: Type.Optional(assetId({ description: "Id of the annotation to reply to." })),
  draft: Type.Optional(
    Type.Boolean({ default: false, description: "Only you see it, until you review this version." }),
  ),
  sha256: Type.Optional(
    Type.String({
      pattern: Sha256.pattern as string,
      description: "SHA-256 of the file that you looked at; 409 if the asset's differs.",
    }),
  ),
  by,
});
export type AnnotateInput = Static<typeof AnnotateInput>;

export const AnnotationChangeInput = Type.Object({
  id: AnnotationId,
  state: Type.Optional(
    Choice(
      states.filter((state) => state !== "draft"),
      { description: "The new state. A draft that is withdrawn is deleted.", examples: ["honoured"] },
    ),
  ),
  body: Type.Optional(Prose(bodyBytesMax, { description: "Of a draft." })),
  weight: Type.Optional(Weight),
  target: Type.Optional(Nullable(Target)),
  by,
});
export type AnnotationChangeInput = Static<typeof AnnotationChangeInput>;

const number = Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: "Number of an annotation." });

export const RespondInput = Type.Object({
  id: assetId({ description: "Id of the version that has the changes." }),
  n: OneOrMore(number),
  state: Type.Optional(
    Choice(["addressed"], { description: "You made the change.", examples: ["addressed"] }),
  ),
  reply: Type.Optional(Prose(bodyBytesMax)),
  by,
});
export type RespondInput = Static<typeof RespondInput>;
