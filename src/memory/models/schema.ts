/** Schemas of models and their vendor guidance. */
import { type Static, Type } from "@sinclair/typebox";
import { DateTime, HttpsUrl, Lane, Line } from "../../core/wire.ts";
import { Model } from "../schema.ts";

const ModelId = Line(128, {
  pattern: "^[A-Za-z0-9][A-Za-z0-9._:/@-]*$",
  description: "Model id.",
  examples: ["claude-sonnet-4-5"],
});

/** Input to add a model. */
export const ModelInput = Type.Object({
  id: ModelId,
  provider: Line(128),
  lanes: Type.Array(Lane, { maxItems: 16 }),
});
export type ModelInput = Static<typeof ModelInput>;

/** Input to refresh guidance. */
export const GuidanceRefresh = Type.Object({
  model: ModelId,
  source: HttpsUrl({ examples: ["https://example.com/guide"] }),
});
export type GuidanceRefresh = Static<typeof GuidanceRefresh>;

/** Without `max_chars`. */
export const guidanceCharsDefault = 8_000;

export const GuidanceQuery = Type.Object({
  model: ModelId,
  query: Type.Optional(
    Type.String({
      description: "Topic. Without it, all sections in order.",
      examples: ["long documents"],
    }),
  ),
  max_chars: Type.Optional(
    Type.Integer({
      minimum: 500,
      maximum: 100_000,
      default: guidanceCharsDefault,
      description: "Maximum total length of the sections in characters.",
    }),
  ),
});
export type GuidanceQuery = Static<typeof GuidanceQuery>;

export const GuidancePart = Type.Object({
  heading: Type.String({ description: "Headings above the text." }),
  text: Type.String(),
  source: Type.String({ description: "Official URL." }),
  refreshed_at: DateTime(),
});
export type GuidancePart = Static<typeof GuidancePart>;

export const Guidance = Type.Object(
  {
    model: Model,
    sections: Type.Array(GuidancePart),
    count: Type.Integer({ minimum: 0 }),
    left_out: Type.Array(Type.String(), {
      description: "Headings of sections that did not fit, at most 50. Get them with `query`.",
    }),
  },
  { $id: "Guidance", description: "The vendor's official guidance." },
);
export type Guidance = Static<typeof Guidance>;
