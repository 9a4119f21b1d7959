/** Operations of the page that reviews many assets at once. */
import { operationOf } from "../../core/operation.ts";
import { getComparison as loadComparison, listPendingGroups as loadGroups } from "../comparisons/pending.ts";
import { Comparison, ComparisonPath, PendingGroups, PendingGroupsQuery } from "../comparisons/schema.ts";
import type { LibraryContext } from "../context.ts";

const operation = operationOf<LibraryContext>("assets");

export const listPendingGroups = operation({
  id: "listPendingGroups",
  summary: "List pending assets by what changed",
  description: "In groups of like changes against the versions that were approved.",
  scope: "assets:read",
  input: PendingGroupsQuery,
  output: PendingGroups,
  run: loadGroups,
});

export const getComparison = operation({
  id: "getComparison",
  summary: "Compare a pending asset with the approved version",
  description: "Where it changed.",
  scope: "assets:read",
  input: ComparisonPath,
  output: Comparison,
  run: loadComparison,
});
