/** The query parameters and form fields of the page that reviews many assets. */
import type { PendingGroupsQuery } from "../../library/comparisons/schema.ts";

export const bulkFilters: readonly (keyof PendingGroupsQuery)[] = [
  "project",
  "kind",
  "issue",
  "pr",
  "task",
  "set",
  "run",
];

/** Only the groups of this kind, without a limit. */
export const onlyParameter = "only";
/** How many were approved and rejected by the form that led here. */
export const [approvedParameter, rejectedParameter] = ["approved", "rejected"] as const;

export const bulkParameters: readonly string[] = [
  ...bulkFilters,
  onlyParameter,
  approvedParameter,
  rejectedParameter,
];

export const bulkPath = "/review";

/** URL of the page with these filters. */
export function bulkUrl(filters: Partial<Record<keyof PendingGroupsQuery, string | number>>): string {
  const query = new URLSearchParams(Object.entries(filters).map(([name, value]) => [name, String(value)]));
  return `${bulkPath}?${query}`;
}

/** The hidden field with the ids of a group, separated by commas. */
export const groupField = (at: number): string => `group-${at}`;
/** The fields of the buttons that decide about a group, by its number, and about what is picked. */
export const [approveField, rejectField, decisionField] = ["approve", "reject", "decision"] as const;
