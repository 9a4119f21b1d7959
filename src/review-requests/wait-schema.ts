/** Schemas of waiting for reviews. */
import { type Static, Type } from "@sinclair/typebox";
import { AssetId, AssetStatus, Sha256 } from "../assets/schema.ts";
import { Approvals } from "../verdicts/schema.ts";
import { Choice, DateTime, Id, Nullable } from "../wire.ts";

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

export const WaitInput = Type.Object({
  ids: Ids,
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

const ReviewedItem = Type.Object({
  id: AssetId,
  status: AssetStatus,
  note: Nullable(Type.String({ examples: ["Too dark to print."] })),
  reviewed_by: Nullable(Type.String({ examples: ["human:maria"] })),
  reviewed_at: Nullable(DateTime()),
  sha256: Sha256,
  approvals: Type.Optional(Approvals),
  decision_id: Nullable(Id({ description: "The decision that a rejection became.", examples: [31] })),
});

export const ReviewWait = Type.Object(
  {
    state: Choice(["decided", "pending", "gone"], {
      description:
        "`decided`: at least one is newly reviewed, or all are. `gone`: newer versions replaced them. " +
        "`pending`: nothing new; a timeout is not an approval.",
    }),
    timeout_applied: Type.Integer({ minimum: 0, description: "In seconds.", examples: [45] }),
    cursor: Type.String({ description: "Pass as `after` to wait for the next change." }),
    items: Type.Array(ReviewedItem, { description: "All of them, as asked for." }),
    next: Type.String({ description: "What to do next.", examples: ["Approved. Go on."] }),
  },
  { $id: "ReviewWait" },
);
export type ReviewWait = Static<typeof ReviewWait>;
