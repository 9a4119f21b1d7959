/** Schemas of recall: the query of `svc_recall` and `GET /recall`, and its hits. */
import { type Static, Type } from "@sinclair/typebox";
import { Choice, DateTime, Id, Nullable, RunId, Slug } from "../../core/wire.ts";

/** Kinds of hits. The note of a rejection is stored as a decision but found as a review. */
export const hitKinds = ["decision", "review", "preference", "guidance", "event"] as const;
export const HitKind = Choice(hitKinds);
export type HitKind = Static<typeof HitKind>;

/** Search text is cleaned and never refused. */
export const anyText = "^[\\s\\S]*$";

/** Without a `limit`. */
export const hitsDefault = 8;

export const RecallQuery = Type.Object({
  query: Type.String({
    pattern: anyText,
    description:
      "Words to find. Matches identifiers and prefixes and tolerates typos. There is no query syntax.",
    examples: ["webhook retries", "why no redis", "rateLimit"],
  }),
  project: Type.Optional(
    Type.String({ ...Slug, description: "Only this project, plus what applies to all projects." }),
  ),
  kinds: Type.Optional(
    Type.Array(HitKind, {
      minItems: 1,
      maxItems: hitKinds.length,
      description: "Only these kinds. Defaults to all.",
    }),
  ),
  as_of: Type.Optional(DateTime({ description: "Search what was current at this time instead of now." })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 50, default: hitsDefault, description: "Maximum number of hits." }),
  ),
  run_id: Type.Optional(RunId("Your run, to show what it searched for.")),
});
export type RecallQuery = Static<typeof RecallQuery>;

export const Hit = Type.Object({
  kind: HitKind,
  id: Id({ description: "Id within its kind; a decision's id can be passed as `supersedes`." }),
  decision: Nullable(
    Id({
      description: "Id of the decision that it is: of every `decision`, and of a `review` that rejects.",
    }),
  ),
  project: Nullable(Slug),
  heading: Nullable(Type.String({ description: "Preference key, guidance headings, or asset title." })),
  text: Type.String(),
  source: Type.String({ description: "Origin; for an event its kind, for guidance its URL." }),
  source_ref: Nullable(Type.String()),
  actor: Type.String({ description: "Who wrote it." }),
  valid_from: DateTime(),
  valid_until: Nullable(DateTime({ description: "When it stopped applying; null while current." })),
  age_days: Type.Integer({ minimum: 0 }),
  gone: Type.Boolean({
    description: "The files that this decision speaks of are gone from the default branch: it ranks lower.",
  }),
  why: Type.Array(Type.String(), { description: "Words of the query and what they matched." }),
  score: Type.Number({
    minimum: 0,
    examples: [1.42],
    description: "What hits are sorted by; newer first where scores differ by less than 0.05.",
  }),
  coverage: Type.Number({
    minimum: 0,
    maximum: 1,
    examples: [0.67],
    description: "Share of the query that it has; a rare word counts more.",
  }),
});
export type Hit = Static<typeof Hit>;

export const Recalled = Type.Object(
  { hits: Type.Array(Hit), count: Type.Integer({ minimum: 0 }) },
  { $id: "Recalled", description: "Best match first, newer first among equals." },
);
export type Recalled = Static<typeof Recalled>;
