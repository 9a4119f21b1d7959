import { usageReport } from "../usage/report.ts";
import { UsageReport, UsageReportQuery } from "../usage/schema.ts";
import { operation } from "./operation.ts";

export const getUsageReport = operation({
  id: "getUsageReport",
  tag: "usage",
  summary: "Report usage and cost",
  description:
    "Runs, tokens and cost of a range of UTC days: by project, model, lane, actor or task, in total or by " +
    "day, week or month, and compared with a second range. With `Accept: text/csv`, the rows as CSV.",
  scope: "feed:read",
  http: { method: "GET", path: "/usage", csv: "rows", errors: [404] },
  input: UsageReportQuery,
  output: UsageReport,
  run: usageReport,
});
