/** Models, and what their vendors say of them. */
import { type Static, Type } from "@sinclair/typebox";
import { Model } from "../memory/schema.ts";
import { DateTime, HttpsUrl, Lane, Line } from "../wire.ts";

const ModelId = Line(128, {
  pattern: "^[A-Za-z0-9][A-Za-z0-9._:/@-]*$",
  description: "Id of the model.",
  examples: ["claude-sonnet-4-5"],
});

/** What onboarding a model takes. */
export const Onboarding = Type.Object({
  id: ModelId,
  provider: Line(128),
  lanes: Type.Array(Lane, { maxItems: 16 }),
});
export type Onboarding = Static<typeof Onboarding>;

/** What refreshing guidance takes. */
export const Refresh = Type.Object({
  model: ModelId,
  source: HttpsUrl(),
});
export type Refresh = Static<typeof Refresh>;

export const GuidanceQuery = Type.Object({
  model: ModelId,
  query: Type.Optional(
    Type.String({
      description: "What it is about; without it the sections come in their order.",
      examples: ["long documents"],
    }),
  ),
  max_chars: Type.Optional(
    Type.Integer({
      minimum: 500,
      maximum: 100_000,
      default: 8_000,
      description: "Length of the sections together, at most.",
    }),
  ),
});
export type GuidanceQuery = Static<typeof GuidanceQuery>;

export const GuidancePart = Type.Object({
  heading: Type.String({ description: "The headings above it." }),
  text: Type.String(),
  source: Type.String({ description: "Official address." }),
  refreshed_at: DateTime(),
});
export type GuidancePart = Static<typeof GuidancePart>;

export const Guidance = Type.Object(
  {
    model: Model,
    sections: Type.Array(GuidancePart),
    count: Type.Integer({ minimum: 0 }),
    left_out: Type.Array(Type.String(), {
      description: "Headings of sections that did not fit, at most 50: ask for them by `query`.",
    }),
  },
  { $id: "Guidance", description: "The vendor's own advice." },
);
export type Guidance = Static<typeof Guidance>;
