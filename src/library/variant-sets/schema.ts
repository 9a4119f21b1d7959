/** Schemas of variant sets that wait for a review. */
import { type Static, Type } from "@sinclair/typebox";
import { Count, Uri } from "../../core/wire.ts";
import { Asset, SetName } from "../assets/schema.ts";

/** Variants of one review, and of a set that a page shows. */
export const variantsMax = 1_000;

export const PendingSet = Type.Object(
  {
    set: Type.String({ examples: SetName.examples }),
    count: Count(`Its pending variants; counted up to ${variantsMax + 1}.`, 40),
    url: Uri({ description: "The page to pick from them." }),
    variants: Type.Array(Asset, { description: "The oldest of them, at most 4." }),
  },
  { $id: "PendingSet", description: "A variant set that waits for a review, which counts as one." },
);
export type PendingSet = Static<typeof PendingSet>;
