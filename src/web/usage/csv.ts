/** The usage report as a CSV download. */
import { csvHeaders, rowsToCsv } from "../../lib/csv.ts";
import { getUsageReport } from "../../operations/usage.ts";
import { type UsageReport, UsageReportQuery, UsageReportRow } from "../../usage/schema.ts";
import { callOperation, filtersOf, type View } from "../view.ts";

export const csvParameters = Object.keys(UsageReportQuery.properties);

export async function usageReportCsv(view: View): Promise<Response> {
  const { limit, ...query } = filtersOf(view.url, csvParameters);
  const report = await callOperation<UsageReport>(view, getUsageReport, {
    ...query,
    limit: /^\d+$/.test(limit ?? "") ? Number(limit) : limit,
  });
  const name = `usage-by-${report.by}-${report.from}-${report.to}.csv`;
  return new Response(rowsToCsv(UsageReportRow, report.rows), { headers: csvHeaders(name) });
}
