/** The reports of usage as CSV downloads. */

import { csvHeaders, rowsToCsv } from "../../core/lib/csv.ts";
import type { Operation } from "../../core/operation.ts";
import { getUsageReport } from "../../feed/operations/projects.ts";
import { type UsageReport, UsageReportQuery, UsageReportRow } from "../../feed/usage/schema.ts";
import { getRejectedUsage } from "../../overview/operations/runs.ts";
import {
  type RejectedUsage,
  RejectedUsageQuery,
  RejectedVersion,
} from "../../overview/usage/rejected-schema.ts";
import { callOperation, filtersOf, urlWith, type View } from "../view.ts";

export const csvParameters = Object.keys(UsageReportQuery.properties);
export const rejectedCsvParameters = Object.keys(RejectedUsageQuery.properties);

/** Most rows of a download, the limit of the operations. */
export const csvLimit = "200";

export async function usageReportCsv(view: View): Promise<Response> {
  const report = await read<UsageReport>(view, getUsageReport, csvParameters);
  const name = `usage-by-${report.by}-${report.from}-${report.to}.csv`;
  return new Response(rowsToCsv(UsageReportRow, report.rows), { headers: csvHeaders(name) });
}

export async function rejectedUsageCsv(view: View): Promise<Response> {
  const { from, to, rows } = await read<RejectedUsage>(view, getRejectedUsage, rejectedCsvParameters);
  const headers = csvHeaders(`rejected-${from}-${to}.csv`);
  return new Response(rowsToCsv(RejectedVersion, rows), { headers });
}

/** Calls an operation with the parameters of the URL; one that is wrong is refused there. */
function read<T>(view: View, operation: Operation, parameters: string[]): Promise<T> {
  const { limit, ...query } = filtersOf(view.url, parameters);
  const count = /^\d+$/.test(limit ?? "") ? Number(limit) : limit;
  return callOperation<T>(view, operation, { ...query, limit: count });
}

/** The rejected versions of the page's range and project. */
export function rejectedCsvUrl({ url }: View, { from, to }: Pick<UsageReport, "from" | "to">): string {
  const others = { team: null, person: null, by: null, interval: null, compare_from: null, compare_to: null };
  const query = urlWith(url, { ...others, from, to, limit: csvLimit });
  return `/usage/rejected.csv${query.slice(url.pathname.length)}`;
}
