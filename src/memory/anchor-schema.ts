/** Schemas of anchors: the files, folders, and symbols that decisions speak of. */
import { type Static, Type } from "@sinclair/typebox";
import { Id, Line, Nullable } from "../core/wire.ts";

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
