/** Schemas of anchors: the files, folders, and symbols that decisions speak of. */
import { type Static, Type } from "@sinclair/typebox";
import { DateTime, Id, Line, Nullable, Slug } from "../core/wire.ts";

const path = (options = {}) => Line(512, options);
const symbol = (options = {}) => Line(128, options);
const blob = (options = {}) => Line(64, options);

export const anchorsMax = 8;
/** Without descriptions, which every list of tools would carry. */
export const AnchorInput = Type.Object({
  path: path(),
  symbol: Type.Optional(symbol()),
  blob: Type.Optional(blob()),
});
export type AnchorInput = Static<typeof AnchorInput>;

export const AnchorsInput = Type.Object({
  id: Id({ description: "Id of the decision.", examples: [31] }),
  anchors: Type.Array(AnchorInput, { maxItems: anchorsMax, description: "All files that it speaks of." }),
});
export type AnchorsInput = Static<typeof AnchorsInput>;

export const Anchor = Type.Object(
  {
    decision: Id({ examples: [31] }),
    path: path({ description: "Path in the repository.", examples: ["src/price.ts"] }),
    symbol: Nullable(symbol({ description: "A name in the file.", examples: ["roundPrice"] })),
    blob: Nullable(
      blob({
        description: "Git id of the file when it was decided.",
        examples: ["9daeafb9864cf43055ae93beb0afd6c7d144bfa4"],
      }),
    ),
    since: Type.String({ format: "date-time", description: "When it was decided." }),
  },
  { $id: "Anchor", description: "What a decision speaks of in the repository." },
);
export type Anchor = Static<typeof Anchor>;

/** Anchors in a brief, and in a report. */
export const reportedMax = 100;

export const AnchorReport = Type.Object({
  slug: Slug,
  at: DateTime({ description: "Time of the commit of the default branch that was looked at." }),
  repo: Type.Optional(
    Nullable(Line(200, { description: "Repository of the checkout.", examples: ["acme/atlas"] })),
  ),
  anchors: Type.Array(
    Type.Object({
      decision: Id({ examples: [31] }),
      path: path({ description: "As the decision names it.", examples: ["src/price.ts"] }),
      symbol: Type.Optional(Nullable(symbol({ description: "As the decision names it." }))),
      blob: Nullable(blob({ description: "Git id of the file now; null if it is gone." })),
    }),
    { minItems: 1, maxItems: reportedMax },
  ),
});
export type AnchorReport = Static<typeof AnchorReport>;

export const AnchorsReported = Type.Object({
  taken: Type.Integer({ minimum: 0, description: "Decisions that the report says something new about." }),
  gone: Type.Array(Id(), { description: "Those of them whose files are all gone.", examples: [[31]] }),
});
export type AnchorsReported = Static<typeof AnchorsReported>;
