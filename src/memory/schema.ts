/** Project memory: decisions, preferences, models, and what asks for them. */
import { type Static, Type } from "@sinclair/typebox";
import type { EventKind } from "../feed/schema.ts";
import { Actor, Choice, DateTime, Id, Line, Nullable, Prose, Slug, TaskNumber } from "../wire.ts";

export const Decision = Type.Object(
  {
    id: Id({ examples: [31] }),
    project: Slug,
    text: Prose(4096, {
      description: "What was decided.",
      examples: ["Maps are drawn for paper: dark lines on white."],
    }),
    source: Type.String({
      description: "Where it came from; `review` is the note of a rejected asset.",
      examples: ["review"],
    }),
    source_ref: Nullable(
      Type.String({
        description: "The asset, address or task behind it.",
        examples: ["01J9ZC5W8Q4T3M2N1K0H7G6F5D"],
      }),
    ),
    valid_from: DateTime(),
  },
  { $id: "Decision" },
);
export type Decision = Static<typeof Decision>;

export const CurrentDecision = Type.Object(
  { ...Decision.properties, superseded: Nullable(Decision) },
  { $id: "CurrentDecision", description: "A decision that holds, and the one whose place it took." },
);
export type CurrentDecision = Static<typeof CurrentDecision>;

export const Model = Type.Object(
  {
    id: Type.String({ examples: ["claude-sonnet-4-5"] }),
    provider: Type.String({ examples: ["Anthropic"] }),
    lanes: Type.Array(Type.String(), { examples: [["lane_a"]] }),
    onboarded_at: Nullable(DateTime()),
    guidance_count: Type.Integer({ minimum: 0, description: "Sections of vendor guidance.", examples: [24] }),
    skill_count: Type.Integer({ minimum: 0, description: "Skills among its sources.", examples: [1] }),
    stale_days: Type.Integer({
      minimum: 0,
      description: "Days since the guidance was last refreshed.",
      examples: [4],
    }),
    status: Choice(["ready", "stale", "pending"], {
      description: "`stale` after 30 days without a refresh, `pending` until onboarded.",
    }),
  },
  { $id: "Model" },
);
export type Model = Static<typeof Model>;

/** Source of the decisions that reviews make: only rejections have it. */
export const reviewSource = "review";

/** What recall looks through. `note`: what a review said that approved. */
export const memoryKinds = ["decision", "preference", "note", "guidance", "event"] as const;
export type MemoryKind = (typeof memoryKinds)[number];

/**
 * Events worth finding again: how a task began and ended. Steps and starts say nothing that their ends do
 * not.
 */
export const recalledEvents: ReadonlySet<EventKind> = new Set<EventKind>([
  "issue.opened",
  "issue.closed",
  "run.finished",
  "run.failed",
  "pr.opened",
  "pr.review",
  "pr.merged",
  "pr.closed",
  "preview.failed",
  "asset.uploaded",
]);

/** What recording a decision takes. */
export const DecisionText = Type.Object({
  project: Slug,
  text: Prose(4096),
  source: Line(64),
  source_ref: Type.Optional(Nullable(Line(512))),
  supersedes: Type.Optional(Id({ description: "Id of the current decision it replaces." })),
});
export type DecisionText = Static<typeof DecisionText>;

const SourceRef = Type.Optional(
  Nullable(
    Line(512, { description: "Where it was decided: an address, or a task.", examples: ["acme/atlas#12"] }),
  ),
);
const By = Type.Optional(Actor);

export const DecideInput = Type.Object({
  project: Slug,
  text: Prose(4096, {
    description: "One decision, understandable by itself: what holds from now on, and why.",
    examples: [
      "Prices are kept in cents and rounded once, when they are shown: floats lost a cent in March.",
    ],
  }),
  supersedes: Type.Optional(Id({ description: "Id of the current decision that this one replaces." })),
  source: Type.Optional(
    Line(64, {
      default: "mcp",
      not: { const: "review" },
      description: "What it came from. `review` is kept for the notes of reviews.",
    }),
  ),
  source_ref: SourceRef,
  by: By,
});
export type DecideInput = Static<typeof DecideInput>;

export const Decided = Type.Object(
  {
    ...Decision.properties,
    actor: Type.String({ description: "Who made it.", examples: ["human:mara"] }),
    added: Type.Boolean({
      description: "False: a current decision says exactly this, and is the one shown.",
    }),
  },
  { $id: "Decided" },
);
export type Decided = Static<typeof Decided>;

export const PreferInput = Type.Object({
  key: Line(128, {
    pattern: "^[A-Za-z0-9][A-Za-z0-9._/-]*$",
    description: "What it is about, the general before the particular.",
    examples: ["commit.style"],
  }),
  value: Prose(4096, {
    description: "What is preferred.",
    examples: ["Imperative subject of at most 60 characters."],
  }),
  project: Type.Optional(Nullable(Slug)),
  source: Type.Optional(Line(64, { default: "mcp", description: "What it came from." })),
  source_ref: SourceRef,
  by: By,
});
export type PreferInput = Static<typeof PreferInput>;

export const Preference = Type.Object(
  {
    project: Nullable(Slug),
    key: Type.String(),
    value: Type.String(),
    source: Type.String(),
    source_ref: Nullable(Type.String()),
    actor: Type.String({ description: "Who set it." }),
    valid_from: DateTime(),
    changed: Type.Boolean({ description: "False: it had this value already." }),
  },
  { $id: "Preference" },
);
export type Preference = Static<typeof Preference>;

/** What a hit can be. The note of a rejection is a decision and yet a review. */
export const hitKinds = ["decision", "review", "preference", "guidance", "event"] as const;
export const HitKind = Choice(hitKinds);
export type HitKind = Static<typeof HitKind>;

export const RecallQuery = Type.Object({
  query: Type.String({
    description:
      "Words to look for; identifiers and beginnings are understood, typing errors forgiven. There is no query syntax.",
    examples: ["webhook retries", "why no redis", "rateLimit"],
  }),
  project: Type.Optional(Type.String({ ...Slug, description: "Only of this project, and what is for all." })),
  kinds: Type.Optional(
    Type.Array(HitKind, {
      minItems: 1,
      maxItems: hitKinds.length,
      description: "Only these; by default all.",
    }),
  ),
  as_of: Type.Optional(DateTime({ description: "What held at that time, in place of what holds now." })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 50, default: 8, description: "At most so many." }),
  ),
});
export type RecallQuery = Static<typeof RecallQuery>;

export const Hit = Type.Object({
  kind: HitKind,
  id: Id({ description: "Its number among its kind; that of a decision can be superseded." }),
  project: Nullable(Slug),
  heading: Nullable(
    Type.String({ description: "Key of a preference, headings of guidance, title of an asset." }),
  ),
  text: Type.String(),
  source: Type.String({ description: "Where it came from; of an event its kind, of guidance its address." }),
  source_ref: Nullable(Type.String()),
  actor: Type.String({ description: "Who said it." }),
  valid_from: DateTime(),
  valid_until: Nullable(DateTime({ description: "When it ended; null while it holds." })),
  age_days: Type.Integer({ minimum: 0 }),
  why: Type.Array(Type.String(), { description: "Words of the query and what they found." }),
});
export type Hit = Static<typeof Hit>;

export const Recalled = Type.Object(
  { hits: Type.Array(Hit), count: Type.Integer({ minimum: 0 }) },
  { $id: "Recalled", description: "Best first; among equals the newer." },
);
export type Recalled = Static<typeof Recalled>;

export const BriefQuery = Type.Object({
  project: Slug,
  intent: Type.Optional(
    Type.String({
      description: "What you are about to do, in a sentence or two.",
      examples: ["Fix the upload progress bar, #12"],
    }),
  ),
  issue: Type.Optional({
    ...TaskNumber,
    description: "The issue it is about: rejections of its assets come first.",
  }),
  model: Type.Optional(Line(128, { description: "The model that does the work." })),
  max_chars: Type.Optional(
    Type.Integer({
      minimum: 500,
      maximum: 100_000,
      default: 8_000,
      description: "Length of the text, at most.",
    }),
  ),
});
export type BriefQuery = Static<typeof BriefQuery>;

export const Brief = Type.Object(
  {
    project: Slug,
    text: Type.String({ description: "What to know before the work begins." }),
    chars: Type.Integer({ minimum: 0 }),
    included: Type.Record(Type.String(), Type.Integer(), { description: "How many entries of each part." }),
    left_out: Type.Array(
      Type.Object({
        part: Type.String(),
        count: Type.Integer({ minimum: 1 }),
        fetch: Type.String({ description: "How to get them." }),
      }),
    ),
  },
  { $id: "Brief" },
);
export type Brief = Static<typeof Brief>;
