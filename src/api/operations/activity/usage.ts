import { usageReport } from "../../../feed/usage/report.ts";
import { UsageReport, UsageReportQuery } from "../../../feed/usage/schema.ts";
import { rejectedUsage } from "../../../overview/usage/rejected.ts";
import { RejectedUsage, RejectedUsageQuery } from "../../../overview/usage/rejected-schema.ts";
import { operation } from "../operation.ts";

export const getUsageReport = operation({
  id: "getUsageReport",
  tag: "usage",
  summary: "Report usage and cost",
  description:
    "Runs, tokens and cost of a range of UTC days: by project, model, lane, actor, task or run, in total " +
    "or by day, week or month, and compared with a second range. With `Accept: text/csv`, the rows as CSV.",
  scope: "feed:read",
  http: { method: "GET", path: "/usage", csv: "rows", errors: [404] },
  input: UsageReportQuery,
  output: UsageReport,
  run: usageReport,
});

export const getRejectedUsage = operation({
  id: "getRejectedUsage",
  tag: "usage",
  summary: "Report the cost of rejected work",
  description:
    "Runs, tokens and cost of the versions that were rejected in a range of UTC days. The runs of a " +
    "version are the one that it names or, without one, those that its author started on its task after " +
    "the version before it. Each run counts once. With `Accept: text/csv`, the rows as CSV.",
  scope: "feed:read",
  http: { method: "GET", path: "/usage/rejected", csv: "rows", errors: [404] },
  input: RejectedUsageQuery,
  output: RejectedUsage,
  run: rejectedUsage,
});
