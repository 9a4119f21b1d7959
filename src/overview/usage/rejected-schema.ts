/** Schemas of the cost of rejected work. */
import { type Static, Type } from "@sinclair/typebox";
import { Count, DateTime } from "../../core/wire.ts";
import { Day, UsageReportQuery, usageFields } from "../../feed/usage/schema.ts";
import { Asset } from "../../library/assets/schema.ts";

const { from, to, project, limit } = UsageReportQuery.properties;

export const RejectedUsageQuery = Type.Object({
  from,
  to,
  project,
  limit: { ...limit, description: "Most versions listed; the total counts all of them." },
});
export type RejectedUsageQuery = Static<typeof RejectedUsageQuery>;

const { runs: _, failures: __, merges: ___, ...spent } = usageFields;
const runs = Count("Runs that it took. A run of several rejected versions counts for the first one.", 1);

export const RejectedVersion = Type.Object(
  {
    asset: Type.String({ description: "Asset id of the version.", examples: Asset.properties.id.examples }),
    title: Type.String({ examples: ["Berth map"] }),
    version: Type.Integer({ minimum: 1, examples: [2] }),
    project: Asset.properties.project,
    issue: Asset.properties.issue,
    pr: Asset.properties.pr,
    rejected_at: DateTime({ description: "When it was rejected." }),
    runs,
    ...spent,
    task: Asset.properties.task,
  },
  { $id: "RejectedVersion", description: "What was spent on one rejected version." },
);
export type RejectedVersion = Static<typeof RejectedVersion>;

export const RejectedUsage = Type.Object(
  {
    from: Day("First UTC day.", "2026-01-01"),
    to: Day("Last UTC day.", "2026-01-31"),
    musts: Type.Object(
      {
        confirmed: Count("How many a person confirmed.", 4),
        attempts: Type.Number({
          format: "double",
          minimum: 0,
          examples: [1.5],
          description: "Versions that one took, on average: 1 if the next version did it. 0 without any.",
        }),
        most: Count("Versions that the longest one took.", 3),
      },
      { description: "Annotations of weight `must` that were confirmed in these days." },
    ),
    total: Type.Object({ versions: Count("Versions rejected.", 3), runs, ...spent }),
    rows: Type.Array(RejectedVersion, { description: "By cost, highest first; then the newest rejection." }),
    count: Count("Number of rows.", 1),
    more: Count("Versions beyond `limit`.", 0),
  },
  {
    $id: "RejectedUsage",
    description: "What was spent on versions rejected in a range of UTC days, and not approved later.",
  },
);
export type RejectedUsage = Static<typeof RejectedUsage>;
