/** Schemas of Today: what needs a person now, and what happened since they last looked. */

import { type Static, Type } from "@sinclair/typebox";
import {
  Cost,
  Count,
  DateTime,
  Nullable,
  ShownTaskKey,
  Slug,
  TaskNumber,
  TeamName,
  Uri,
} from "../../core/wire.ts";
import { Run } from "../../feed/runs/schema.ts";
import { Event } from "../../feed/schema.ts";
import { Asset } from "../../library/assets/schema.ts";
import { countMax } from "../../library/review-queue/items.ts";
import { ListedReviewRequest } from "../../library/review-requests/schema.ts";
import { PendingSet } from "../../library/variant-sets/schema.ts";
import { Decided, Decision } from "../../memory/schema.ts";
import { Inbox } from "../inbox/schema.ts";

const UpTo = (description: string, example: number) =>
  Count(`${description} Counted up to ${countMax}.`, example);

const ReviewQueue = Type.Object({
  project: Slug,
  count: UpTo("What waits: pending assets, and variant sets, which count as one each.", 7),
  repeats: Type.Optional(UpTo("How many of these assets repeat a rejected file.", 0)),
  oldest: Type.Array(Asset, {
    description:
      "The oldest of them, oldest first, and after them those that repeat a rejected file. The oldest " +
      "pending variant of a set stands for it.",
  }),
  sets: Type.Array(PendingSet, { description: "The variant sets among the oldest." }),
});
export type ReviewQueue = Static<typeof ReviewQueue>;

const EventsSince = (description: string) =>
  Type.Object(
    { count: UpTo("How many.", 2), events: Type.Array(Event, { description: "The newest of them." }) },
    { description },
  );

const Runs = (description: string) =>
  Type.Object(
    {
      count: UpTo("How many.", 3),
      runs: Type.Array(Run, { description: "Those with the newest events, newest first." }),
    },
    { description },
  );

/** A finished run, and what is usual for its kind. */
const FinishedRun = Type.Object({
  run: Run,
  usual_cost: Nullable(
    Cost(
      "The median cost in USD of the last finished runs of its project and lane; null if there are fewer " +
        "than three with a cost.",
      0.38,
    ),
  ),
});
export type FinishedRun = Static<typeof FinishedRun>;

const HappenedTask = Type.Object({
  project: Slug,
  issue: Nullable(TaskNumber),
  task: ShownTaskKey,
  pr: Nullable(TaskNumber),
  title: Type.String({ examples: ["Draw the coast"] }),
  text: Type.String({ examples: ["1 run, $0.41, merged as #470"] }),
  merged_as: Nullable(TaskNumber),
  cost_equiv: Cost("Of the runs that finished, in USD.", 0.41),
  url: Uri(),
  at: DateTime(),
});
export type HappenedTask = Static<typeof HappenedTask>;

/** A decision and who made it. */
const CapturedDecision = Type.Object({ ...Decision.properties, actor: Decided.properties.actor });

const DailyCost = Type.Object({
  day: Type.String({ format: "date", description: "UTC day." }),
  cost_equiv: Cost("Cost in USD, as the sender reported it or from a price list.", 4.2),
});

export const TodayQuery = Type.Object({
  since: Type.Optional(
    DateTime({
      description: "What finished, failed and was decided since then. Defaults to what you have not read.",
    }),
  ),
});
export type TodayQuery = Static<typeof TodayQuery>;

export const Today = Type.Object(
  {
    since: DateTime({
      description: "You have read everything up to this time. Before you mark anything as read: a week ago.",
    }),
    until: DateTime({ description: "The newest event. To mark all of this as read, send it to markAsRead." }),
    needs: Inbox,
    reviews: Nullable(
      Type.Object(
        {
          count: UpTo("What waits in all projects. A variant set counts as one.", 12),
          queues: Type.Array(ReviewQueue, {
            description: "The 8 projects that wait longest, the longest wait first.",
          }),
          overdue: Type.Array(ListedReviewRequest, {
            description: "Review requests that are overdue, the longest first, at most 10.",
          }),
          others: Type.Array(Type.Pick(ReviewQueue, ["project", "count"]), {
            description: "Up to 42 further projects.",
          }),
        },
        { description: "What waits for a review. Null without the scope `assets:read`." },
      ),
    ),
    running: Runs("Runs in flight."),
    finished: Type.Object(
      { count: UpTo("How many.", 14), runs: Type.Array(FinishedRun, { description: "The newest of them." }) },
      { description: "Runs that finished since, in the order of their newest event." },
    ),
    happened: Type.Object(
      {
        count: UpTo("How many.", 9),
        tasks: Type.Array(HappenedTask, { description: "The newest of them." }),
      },
      { description: "What finished or was merged since, by task." },
    ),
    lost: Runs("Runs that stopped reporting since, without an end."),
    failures: EventsSince("Runs and previews that failed since."),
    decisions: Nullable(
      Type.Object(
        {
          count: UpTo("How many.", 3),
          decisions: Type.Array(CapturedDecision, { description: "The newest of them." }),
        },
        { description: "Current decisions that were captured since. Null without the scope `memory:read`." },
      ),
    ),
    spend: Type.Object(
      {
        today: Cost("Since midnight UTC.", 4.2),
        usual: Cost("The median of the 14 days before.", 3.8),
        days: Type.Array(DailyCost, { description: "The last 15 days, oldest first." }),
        teams: Type.Array(Type.Object({ team: TeamName, cost_equiv: Cost("Since midnight UTC.", 1.4) }), {
          description: "The teams that cost the most today, at most 20.",
        }),
        own: Nullable(Cost("Of your own work since midnight UTC. Null if your token has no owner.", 0.7)),
      },
      { description: "Cost in USD." },
    ),
  },
  { $id: "Today", description: "What waits for you, and what happened since you last looked." },
);
export type Today = Static<typeof Today>;

export const ReadInput = Type.Object({
  until: DateTime({
    description: "`until` of the answer that you have read.",
    examples: ["2026-01-02T03:04:05.123456Z"],
  }),
});
export type ReadInput = Static<typeof ReadInput>;

export const ReadMarker = Type.Object({
  since: DateTime({ description: "You have now read everything up to this time." }),
});
export type ReadMarker = Static<typeof ReadMarker>;
