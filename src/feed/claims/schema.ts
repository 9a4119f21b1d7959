/** Schemas of claims: who works on a task or on files, for a time. */
import { type Static, Type } from "@sinclair/typebox";
import { Actor, DateTime, Line, Nullable, RunId, Slug } from "../../core/wire.ts";

export const leaseMinutesDefault = 30;
const leaseMinutesMax = 24 * 60;
/** Of one request. */
const subjectsMax = 20;
/** Of a project, by all: a brief names those that bear on its work, and a list has all. */
export const claimsMax = 500;

const subject = Line(255, { description: "Task, pull request, or path.", examples: ["#12"] });
const { description: _, examples: __, ...given } = subject;

export const ClaimInput = Type.Object({
  project: Slug,
  subjects: Type.Array(given, {
    minItems: 1,
    maxItems: subjectsMax,
    description: "Such as #12, PROJ-123, PR 40, src/map/**.",
  }),
  minutes: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: leaseMinutesMax,
      default: leaseMinutesDefault,
      description: "How long; 0 releases.",
    }),
  ),
  note: Type.Optional(Line(200)),
  run_id: Type.Optional(RunId("Default: your running run.")),
  force: Type.Optional(Type.Boolean({ description: "Also if others hold it." })),
  by: Type.Optional(Actor),
});
export type ClaimInput = Static<typeof ClaimInput>;

export const Claim = Type.Object(
  {
    project: Slug,
    subject,
    holder: Actor,
    run_id: Nullable(RunId("The run that holds it; null: a person, or a token without a run.")),
    note: Nullable(Type.String({ description: "What it is for." })),
    since: DateTime(),
    until: DateTime({ description: "When it ends, if its run has no event until then and does not end." }),
  },
  { $id: "Claim", description: "Who works on something, for a time. It stops no one." },
);
export type Claim = Static<typeof Claim>;

export const ClaimResult = Type.Object(
  {
    claims: Type.Array(Claim, { description: "What you hold of it now." }),
    others: Type.Array(Claim, { description: "Claims of others that overlap, or that `force` ended." }),
    released: Type.Integer({ minimum: 0, description: "How many claims were released." }),
  },
  { $id: "ClaimResult" },
);
export type ClaimResult = Static<typeof ClaimResult>;

export const ClaimsQuery = Type.Object({ project: Slug });

export const ClaimList = Type.Object(
  { claims: Type.Array(Claim), count: Type.Integer({ minimum: 0, description: "Number of claims." }) },
  { $id: "ClaimList", description: "The claims in force, newest first." },
);
export type ClaimList = Static<typeof ClaimList>;
