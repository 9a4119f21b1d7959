/** Schemas of files that come back after they were rejected. */
import { type Static, Type } from "@sinclair/typebox";
import { Choice, DateTime, Nullable, Prose, Slug } from "../../core/wire.ts";
import { AssetId } from "../assets/ids.ts";

/** Types of files whose words are compared. */
export const textTypes = /^text\/|xml$|json$/;

const likenesses = ["identical", "reencoded", "unchanged_places"] as const;

export const Resubmit = Prose(1024, { description: "Why a rejected file comes back, for its reviewer." });

export const Repeats = Type.Object(
  {
    id: Type.String({ description: "Id of the rejected asset.", examples: AssetId.examples }),
    version: Type.Optional(Type.Integer({ minimum: 1 })),
    by: Type.Optional(Nullable(Type.String({ description: "Who rejected it.", examples: ["human:maria"] }))),
    note: Nullable(Type.String({ description: "Why it was rejected.", examples: ["Berth 4 is missing."] })),
    text: Type.Optional(
      Type.String({
        description: "All of it in a sentence, with the marked places that are as they were.",
        examples: [
          'This file was already rejected as 01J9ZC5W8Q4T3M2N1K0H7G6F5E, version 1, by human:maria: "No."',
        ],
      }),
    ),
    likeness: Choice(likenesses, {
      description:
        "How the file repeats it. `reencoded`: the same image or text in another form. `unchanged_places`: " +
        "at least one marked place is as it was.",
    }),
    places: Type.Array(
      Type.Object({
        annotation: Type.String({ examples: ["01J9ZC5W8Q4T3M2N1K0H7G6F5E"] }),
        state: Choice(["unchanged", "changed", "unknown"]),
      }),
      { description: "Open `must` annotations of the replaced version, or of the rejected asset." },
    ),
    reason: Nullable(Type.String({ description: "`resubmit` of the upload." })),
  },
  { $id: "Repeats", description: "The rejected asset that a file repeats." },
);
export type Repeats = Static<typeof Repeats>;

export const RepeatCheck = Type.Object(
  {
    repeats: Nullable(Repeats),
    refused: Type.Boolean({ description: "Whether the upload is a 409." }),
  },
  { $id: "RepeatCheck" },
);
export type RepeatCheck = Static<typeof RepeatCheck>;

export const RepeatPolicy = Type.Object(
  {
    project: Slug,
    refuse: Type.Boolean(),
    changed_by: Nullable(Type.String({ examples: ["human:maria"] })),
    changed_at: Nullable(DateTime()),
  },
  { $id: "RepeatPolicy" },
);
export type RepeatPolicy = Static<typeof RepeatPolicy>;
