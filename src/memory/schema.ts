/** Schemas of project memory: decisions, preferences, and models. Recall and briefs have their own. */
import { type Static, Type } from "@sinclair/typebox";
import type { Micros } from "../core/lib/time.ts";
import { Actor, Choice, DateTime, Id, Line, Nullable, Prose, RunId, Slug } from "../core/wire.ts";
import { kindsWith } from "../feed/kinds.ts";
import type { EventKind } from "../feed/schema.ts";
import { AnchorInput, anchorsMax } from "./anchor-schema.ts";
import { Check, Rules } from "./checks/schema.ts";

export const standings = ["confirmed", "proposed"] as const;
export type Standing = (typeof standings)[number];

export const Decision = Type.Object(
  {
    id: Id({ examples: [31] }),
    project: Slug,
    text: Prose(4096, {
      description: "What was decided.",
      examples: ["Maps are drawn for paper: dark lines on white."],
    }),
    source: Type.String({
      description: "Origin; `review` is the rejection of an asset.",
      examples: ["review"],
    }),
    source_ref: Nullable(
      Type.String({
        description: "The asset, URL or task it came from.",
        examples: ["01J9ZC5W8Q4T3M2N1K0H7G6F5D"],
      }),
    ),
    valid_from: DateTime(),
    run_id: Nullable(RunId("The run that made it.")),
    standing: Choice(standings, {
      description: "`proposed`: by an agent, until a person confirms it. Briefs have it last.",
    }),
  },
  { $id: "Decision" },
);
export type Decision = Static<typeof Decision>;

export const CurrentDecision = Type.Object(
  { ...Decision.properties, superseded: Nullable(Decision) },
  { $id: "CurrentDecision", description: "A current decision, and the one it replaced." },
);
export type CurrentDecision = Static<typeof CurrentDecision>;

export const Model = Type.Object(
  {
    id: Type.String({ examples: ["claude-sonnet-4-5"] }),
    provider: Type.String({ examples: ["Anthropic"] }),
    lanes: Type.Array(Type.String(), { examples: [["lane_a"]] }),
    onboarded_at: Nullable(DateTime()),
    guidance_count: Type.Integer({
      minimum: 0,
      description: "Number of vendor guidance sections.",
      examples: [24],
    }),
    skill_count: Type.Integer({
      minimum: 0,
      description: "Number of skills among its sources.",
      examples: [1],
    }),
    stale_days: Type.Integer({
      minimum: 0,
      description: "Days since the guidance was last refreshed.",
      examples: [4],
    }),
    status: Choice(["ready", "stale", "pending"], {
      description: "`stale` after 30 days without a refresh, `pending` until it is added.",
    }),
  },
  { $id: "Model" },
);
export type Model = Static<typeof Model>;

export const decisionStatuses = ["current", "superseded", "all"] as const;
export type DecisionStatus = (typeof decisionStatuses)[number];
/** Where a page of decisions continues: after the decision with this id and time. */
export interface DecisionPosition {
  id: number;
  valid_from: Micros;
}

/** Kinds of indexed memories. `note` is the note of an approval. */
export const memoryKinds = ["decision", "preference", "note", "guidance", "event"] as const;
export type MemoryKind = (typeof memoryKinds)[number];

/** Kinds of events that search covers. */
export const searchableEventKinds: ReadonlySet<EventKind> = new Set(kindsWith("recall"));

/** Kinds of events that open a task, and the term by which the index has them. No query can contain it. */
export const openingKinds: ReadonlySet<EventKind> = new Set(["issue.opened", "pr.opened"]);
export const openingTerm = "\ue005";

/** Input to record a decision. */
export const DecisionText = Type.Object({
  project: Slug,
  text: Prose(4096),
  source: Line(64),
  source_ref: Type.Optional(Nullable(Line(512))),
  supersedes: Type.Optional(Id({ description: "Id of the current decision it replaces." })),
  run_id: Type.Optional(RunId("The run that made it.")),
  checks: Type.Optional(Type.Array(Check)),
});
export type DecisionText = Static<typeof DecisionText>;

const SourceRef = Type.Optional(
  Nullable(Line(512, { description: "Where it was decided: a URL or a task.", examples: ["acme/atlas#12"] })),
);
const By = Type.Optional(Actor);

export const DecideInput = Type.Object({
  project: Slug,
  text: Prose(4096, {
    description: "One self-contained decision: what applies from now on, and why.",
    examples: ["Store prices in cents and round once, on display: floats lost a cent in March."],
  }),
  supersedes: Type.Optional(Id({ description: "Id of the current decision it replaces." })),
  source: Type.Optional(
    Line(64, {
      default: "mcp",
      not: { const: "review" },
      description: "`review` is reserved for rejections.",
    }),
  ),
  source_ref: SourceRef,
  by: By,
  run_id: Type.Optional(RunId("Default: your running run.")),
  checks: Type.Optional(Rules),
  anchors: Type.Optional(
    Type.Array(AnchorInput, {
      maxItems: anchorsMax,
      description: "Files it speaks of.",
    }),
  ),
});
export type DecideInput = Static<typeof DecideInput>;

export const Contradiction = Type.Object(
  {
    id: Id({ examples: [12] }),
    text: Type.String({ description: "What that decision says.", examples: ["Maps are drawn in color."] }),
    actor: Type.String({ description: "Who made it.", examples: ["human:mara"] }),
    here: Nullable(Type.String({ description: "What this one says instead.", examples: ["black"] })),
    there: Nullable(
      Type.String({
        description: "What the other one says; both are null if one forbids what the other asks for.",
        examples: ["color"],
      }),
    ),
  },
  { $id: "Contradiction", description: "A current decision that says the opposite." },
);
export type Contradiction = Static<typeof Contradiction>;

export const Decided = Type.Object(
  {
    ...Decision.properties,
    actor: Type.String({ description: "Who made it.", examples: ["human:mara"] }),
    added: Type.Boolean({
      description: "False if an identical decision was already current; the existing one is returned.",
    }),
    contradicts: Type.Array(Contradiction, {
      description: "Current decisions that say the opposite, as words and numbers show; at most 3.",
    }),
    advice: Nullable(Type.String({ description: "What to do about them." })),
    checks: Type.Array(Check),
  },
  { $id: "Decided" },
);
export type Decided = Static<typeof Decided>;

export const PreferInput = Type.Object({
  key: Line(128, {
    pattern: "^[A-Za-z0-9][A-Za-z0-9._/-]*$",
    description: "Topic, general to specific.",
    examples: ["commit.style"],
  }),
  value: Prose(4096, {
    description: "What is preferred.",
    examples: ["Imperative subject of at most 60 characters."],
  }),
  project: Type.Optional(Nullable(Slug)),
  source: Type.Optional(Line(64, { default: "mcp", description: "Origin." })),
  source_ref: SourceRef,
  by: By,
});
export type PreferInput = Static<typeof PreferInput>;

export const preferenceProperties = {
  project: Nullable(Slug),
  key: Type.String({ examples: ["commit.style"] }),
  value: Type.String({ examples: ["Imperative subject of at most 60 characters."] }),
  source: Type.String({ examples: ["cli"] }),
  source_ref: Nullable(Type.String()),
  actor: Type.String({ description: "Who set it." }),
  valid_from: DateTime(),
};

export const Preference = Type.Object(
  {
    ...preferenceProperties,
    changed: Type.Boolean({ description: "False if it already had this value." }),
  },
  { $id: "Preference" },
);
export type Preference = Static<typeof Preference>;
