/** Decisions and models: what the reading side shows of project memory. */
import { type Static, Type } from "@sinclair/typebox";
import type { EventKind } from "../feed/schema.ts";
import { Choice, DateTime, Line, Nullable, Prose, Slug } from "../wire.ts";

export const Decision = Type.Object(
  {
    id: Type.Integer({ minimum: 1 }),
    project: Slug,
    text: Prose(4096, { description: "What was decided." }),
    source: Type.String({ description: "Where it came from; `review` is the note of a rejected asset." }),
    source_ref: Nullable(Type.String({ description: "The asset, address or task behind it." })),
    valid_from: DateTime(),
  },
  { $id: "Decision" },
);
export type Decision = Static<typeof Decision>;

export const Model = Type.Object(
  {
    id: Type.String({ examples: ["claude-sonnet-4-5"] }),
    provider: Type.String(),
    lanes: Type.Array(Type.String()),
    onboarded_at: Nullable(DateTime()),
    guidance_count: Type.Integer({ minimum: 0, description: "Sections of vendor guidance." }),
    skill_count: Type.Integer({ minimum: 0, description: "Skills among its sources." }),
    stale_days: Type.Integer({ minimum: 0, description: "Days since the guidance was last refreshed." }),
    status: Choice(["ready", "stale", "pending"], { description: "`stale` after 30 days without a refresh, `pending` until onboarded." }),
  },
  { $id: "Model" },
);
export type Model = Static<typeof Model>;

/** What recall looks through. `note`: what a review said that approved. */
export const memoryKinds = ["decision", "preference", "note", "guidance", "event"] as const;
export type MemoryKind = (typeof memoryKinds)[number];

/** Events worth finding again: how a task began and ended. Steps and starts say nothing that their ends do not. */
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
  supersedes: Type.Optional(Type.Integer({ minimum: 1, description: "Id of the current decision it replaces." })),
});
export type DecisionText = Static<typeof DecisionText>;
