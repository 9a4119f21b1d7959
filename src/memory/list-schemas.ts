/** Schemas of the lists of decisions and preferences. */
import { type Static, Type } from "@sinclair/typebox";
import { Cursor } from "../core/lib/cursor.ts";
import { Actor, Choice, DateTime, Id, Limit, NextCursor, Nullable, Prose, Slug } from "../core/wire.ts";
import { Usage } from "../feed/projects/schema.ts";
import { Check } from "./checks/schema.ts";
import { Decided, Decision, decisionStatuses, Model, preferenceProperties } from "./schema.ts";

const pageProperties = {
  status: Type.Optional(
    Choice(decisionStatuses, {
      default: "current",
      description: "`superseded`: replaced by another decision, or retired.",
    }),
  ),
  as_of: Type.Optional(DateTime({ description: "What was decided by this time, with its status then." })),
  limit: Limit(50),
  cursor: Type.Optional(Cursor("[1-9][0-9]{0,15}")),
};

export const DecisionsQuery = Type.Object({ slug: Slug, ...pageProperties });
export type DecisionsQuery = Static<typeof DecisionsQuery>;

export const AllDecisionsQuery = Type.Object({
  project: Type.Optional({ ...Slug, description: "Only this project. Defaults to all that you may read." }),
  ...pageProperties,
});
export type AllDecisionsQuery = Static<typeof AllDecisionsQuery>;

export const DecisionRecord = Type.Object(
  {
    ...Decision.properties,
    actor: Decided.properties.actor,
    valid_until: Nullable(DateTime({ description: "When it was replaced or retired; null while current." })),
    supersedes: Nullable(Id({ description: "Id of the decision it replaced.", examples: [17] })),
    checks: Type.Array(Check, { description: "What programs check of it." }),
    stops: Type.Integer({
      minimum: 0,
      description: "How often its checks stopped something.",
      examples: [3],
    }),
  },
  { $id: "DecisionRecord" },
);
export type DecisionRecord = Static<typeof DecisionRecord>;

export const RetiredDecision = Type.Object(
  {
    ...DecisionRecord.properties,
    advice: Nullable(Type.String({ description: "What of it still applies." })),
  },
  { $id: "RetiredDecision" },
);
export type RetiredDecision = Static<typeof RetiredDecision>;

const decisionId = Id({ description: "Id of the decision.", examples: [31] });

export const DecisionPath = Type.Object({ id: decisionId });
export type DecisionPath = Static<typeof DecisionPath>;

export const RetireInput = Type.Object({ id: decisionId, by: Type.Optional(Actor) });
export type RetireInput = Static<typeof RetireInput>;

export const RewordInput = Type.Object({
  id: decisionId,
  text: Prose(4096, { description: "The words for the next brief.", examples: ["No text below 4.5:1."] }),
});
export type RewordInput = Static<typeof RewordInput>;

export const DecisionList = Type.Object(
  {
    decisions: Type.Array(DecisionRecord),
    count: Type.Integer({ minimum: 0, description: "Number of decisions on this page.", examples: [1] }),
    next_cursor: NextCursor,
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

export const ModelList = Type.Object(
  {
    models: Type.Array(Model),
    count: Type.Integer({ minimum: 0, description: "Number of models.", examples: [1] }),
  },
  { $id: "ModelList", description: "Sorted by id." },
);
export type ModelList = Static<typeof ModelList>;

const day = { format: "date", examples: ["2026-01-02"] };

export const DigestsQuery = Type.Object({
  slug: Slug,
  limit: Limit(30),
  before: Type.Optional(Type.String({ ...day, description: "Only days before this UTC day." })),
});
export type DigestsQuery = Static<typeof DigestsQuery>;

export const Digest = Type.Omit(Usage, ["lane", "model"], {
  $id: "Digest",
  description: "What is remembered of one project and UTC day.",
});
export type Digest = Static<typeof Digest>;

export const DigestList = Type.Object(
  {
    digests: Type.Array(Digest),
    count: Type.Integer({ minimum: 0, description: "Number of days on this page.", examples: [1] }),
    next_before: Nullable(
      Type.String({ ...day, description: "Pass as `before` for the next page; null on the last page." }),
    ),
  },
  { $id: "DigestList", description: "Newest day first." },
);
export type DigestList = Static<typeof DigestList>;
