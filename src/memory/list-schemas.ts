/** Schemas of the lists of decisions and preferences. */
import { type Static, Type } from "@sinclair/typebox";
import { Cursor } from "../lib/cursor.ts";
import { Choice, DateTime, Id, Limit, Nullable, Slug } from "../wire.ts";
import { Decided, Decision, decisionStatuses, preferenceProperties } from "./schema.ts";

export const DecisionsQuery = Type.Object({
  slug: Slug,
  status: Type.Optional(
    Choice(decisionStatuses, {
      default: "current",
      description: "`superseded`: replaced by another decision, or withdrawn.",
    }),
  ),
  as_of: Type.Optional(DateTime({ description: "What was decided by this time, with its status then." })),
  limit: Limit(50),
  cursor: Type.Optional(Cursor("[1-9][0-9]{0,15}")),
});
export type DecisionsQuery = Static<typeof DecisionsQuery>;

export const DecisionRecord = Type.Object(
  {
    ...Decision.properties,
    actor: Decided.properties.actor,
    valid_until: Nullable(
      DateTime({ description: "When it was replaced or withdrawn; null while current." }),
    ),
    supersedes: Nullable(Id({ description: "Id of the decision it replaced.", examples: [17] })),
  },
  { $id: "DecisionRecord" },
);
export type DecisionRecord = Static<typeof DecisionRecord>;

export const DecisionList = Type.Object(
  {
    decisions: Type.Array(DecisionRecord),
    count: Type.Integer({ minimum: 0, description: "Number of decisions on this page.", examples: [1] }),
    next_cursor: Nullable(
      Type.String({ description: "Pass as `cursor` for the next page; null on the last page." }),
    ),
  },
  { $id: "DecisionList", description: "Newest first." },
);
export type DecisionList = Static<typeof DecisionList>;

export const PreferencesQuery = Type.Object({
  project: Type.Optional({
    ...Slug,
    description: "The project's own values, and the global ones it does not override.",
  }),
});
export type PreferencesQuery = Static<typeof PreferencesQuery>;

export const CurrentPreference = Type.Object(preferenceProperties, { $id: "CurrentPreference" });
export type CurrentPreference = Static<typeof CurrentPreference>;

export const PreferenceList = Type.Object(
  {
    preferences: Type.Array(CurrentPreference),
    count: Type.Integer({ minimum: 0, description: "Number of preferences.", examples: [1] }),
  },
  { $id: "PreferenceList", description: "Sorted by key." },
);
export type PreferenceList = Static<typeof PreferenceList>;
