/** Schemas of waiting for reviews. */
import { type Static, Type } from "@sinclair/typebox";
import { Choice, Count, DateTime, Id, Nullable, Slug } from "../../core/wire.ts";
import { AssetId, AssetStatus, ReviewUrl, SetName, Sha256 } from "../assets/schema.ts";
import { Approvals } from "../verdicts/schema.ts";

/** Clients of MCP give up after 60 seconds, some of them earlier. */
export const waitSecondsMax = 50;
export const waitSecondsDefault = 45;

const Ids = Type.Array(AssetId, { minItems: 1, maxItems: 20 });
const After = Type.Unsafe<string>(
  Type.String({
    pattern: "^[A-Za-z0-9_-]{16}$",
    description: "`cursor` of the previous answer.",
  }),
);
const seconds = (byDefault: number) =>
  Type.Integer({ minimum: 0, default: byDefault, description: `Seconds, at most ${waitSecondsMax}.` });

/** A variant set is named within its project. */
const ofSet = { project: Slug, set: { ...SetName, description: "Name of a variant set." } };

export const WaitInput = Type.Object({
  ids: Type.Optional(Ids),
  project: Type.Optional(Slug),
  set: Type.Optional({ ...ofSet.set, description: "With project." }),
  after: Type.Optional(After),
  timeout_s: Type.Optional(seconds(waitSecondsDefault)),
});
export type WaitInput = Static<typeof WaitInput>;

/** Of `GET /assets/{id}/review`, which does not wait by default. */
export const ReviewQuery = Type.Object({
  ids: Type.Array(AssetId, { ...Ids, description: "Up to 20 asset ids, separated by commas." }),
  wait: Type.Optional(seconds(0)),
  after: Type.Optional(After),
});
export type ReviewQuery = Static<typeof ReviewQuery>;

/** Of `GET /assets/review`. */
export const SetWaitQuery = Type.Object({
  ...ofSet,
  wait: Type.Optional(seconds(0)),
  after: Type.Optional(After),
});
export type SetWaitQuery = Static<typeof SetWaitQuery>;

const ReviewedItem = Type.Object({
  id: AssetId,
  status: AssetStatus,
  note: Nullable(Type.String({ examples: ["Too dark to print."] })),
  reviewed_by: Nullable(Type.String({ examples: ["human:maria"] })),
  reviewed_at: Nullable(DateTime()),
  sha256: Sha256,
  approvals: Type.Optional(Approvals),
  decision_id: Nullable(Id({ description: "The decision that a rejection became.", examples: [31] })),
  review_url: Type.Optional(ReviewUrl),
});

export const ReviewWait = Type.Object(
  {
    state: Choice(["decided", "pending", "gone"], {
      description:
        "`decided`: at least one is newly reviewed, or all are; of a set, all are. `gone`: newer versions " +
        "replaced them. " +
        "`pending`: nothing new; a timeout is not an approval.",
    }),
    timeout_applied: Type.Integer({ minimum: 0, description: "In seconds.", examples: [45] }),
    cursor: Type.String({ description: "Pass as `after` to wait for the next change." }),
    items: Type.Array(ReviewedItem, {
      description: "All of them, as asked for. Of a set at most 50: the picked ones first.",
    }),
    set: Type.Optional(
      Type.Object(
        {
          variants: Count("How many variants it has.", 40),
          pending: Count("How many of them are not decided.", 0),
          approved: Count("How many are approved or published.", 2),
          rejected: Count("How many are rejected.", 38),
          review_url: Type.Optional(ReviewUrl),
        },
        { description: "Of a variant set." },
      ),
    ),
    next: Type.String({ description: "What to do next.", examples: ["Approved. Go on."] }),
  },
  { $id: "ReviewWait" },
);
export type ReviewWait = Static<typeof ReviewWait>;
