/** Schemas of briefs: the query of `svc_brief` and `GET /projects/{slug}/brief`, and its text. */
import { type Static, Type } from "@sinclair/typebox";
import { repositoryPathMax } from "../../core/repository-path.ts";
import { changedFilesMax } from "../../core/runs/reported-run.ts";
import { Line, RunId, Slug, TaskKey, TaskNumber } from "../../core/wire.ts";
import { Anchor } from "../../memory/anchor-schema.ts";
import { anyText } from "../../memory/recall/schema.ts";

/** Without `max_chars`. */
export const briefCharsDefault = 8_000;

export const BriefQuery = Type.Object({
  project: Slug,
  intent: Type.Optional(
    Type.String({
      pattern: anyText,
      description: "What you are about to do, in a sentence or two.",
      examples: ["Fix the upload progress bar, #12"],
    }),
  ),
  issue: Type.Optional({
    ...TaskNumber,
    description: "Issue you are working on: rejections of its assets come first.",
  }),
  task: Type.Optional(TaskKey),
  model: Type.Optional(Line(128, { description: "Model that does the work." })),
  max_chars: Type.Optional(
    Type.Integer({
      minimum: 500,
      maximum: 100_000,
      default: briefCharsDefault,
      description: "Maximum length of the text in characters.",
    }),
  ),
  run_id: Type.Optional(RunId("Your run, to show what it was told.")),
  branch: Type.Optional(Line(255, { description: "Branch." })),
  files: Type.Optional(
    Type.Array(Line(repositoryPathMax), { maxItems: changedFilesMax, description: "Files you change." }),
  ),
  own_run: Type.Optional(RunId("Your run, if `run_id` is another.")),
});
export type BriefQuery = Static<typeof BriefQuery>;

export const Brief = Type.Object(
  {
    project: Slug,
    text: Type.String({ description: "What to know before you start." }),
    chars: Type.Integer({ minimum: 0 }),
    included: Type.Record(Type.String(), Type.Integer(), { description: "Number of entries in each part." }),
    left_out: Type.Array(
      Type.Object({
        part: Type.String(),
        count: Type.Integer({ minimum: 1 }),
        fetch: Type.String({ description: "How to get them." }),
      }),
    ),
    anchors: Type.Array(Anchor, {
      description: "What its decisions speak of. `svc brief` and hooks say whether that still holds.",
    }),
  },
  { $id: "Brief" },
);
export type Brief = Static<typeof Brief>;
