/** The door of the feed: other rooms, `db` and `cli` import these files, and no others. */
export * from "./audit-row.ts";
export {} from "./budgets/budgets.ts";
export * from "./budgets/notice.ts";
export * from "./budgets/owners.ts";
export * from "./budgets/schema.ts";
export * from "./budgets/spending.ts";
export * from "./budgets/text.ts";
export { activeClaims, toClaim } from "./claims/claims.ts";
export * from "./claims/schema.ts";
export * from "./claims/subject.ts";
export * from "./claims/text.ts";
export * from "./context.ts";
export * from "./feed.ts";
export * from "./feed-notifier.ts";
export * from "./filter-values.ts";
export * from "./filters.ts";
export * from "./forges/repository-names.ts";
export * from "./forges/task-url.ts";
export * from "./grouped.ts";
export * from "./ingest/append-events.ts";
export * from "./ingest/import.ts";
export * from "./ingest/owners.ts";
export * from "./ingest/past-time.ts";
export { AppendRequest } from "./ingest/schema.ts";
export * from "./kinds.ts";
export * from "./live.ts";
export * from "./operations/budgets.ts";
export * from "./operations/claims.ts";
export * from "./operations/feed.ts";
export { getUsage, getUsageReport } from "./operations/projects.ts";
export {} from "./operations/tokens.ts";
export * from "./port.ts";
export * from "./projects/branch-task.ts";
export * from "./projects/default-branch-task.ts";
export * from "./projects/projects.ts";
export * from "./projects/schema.ts";
export * from "./projects/tracker.ts";
export * from "./render-event.ts";
export * from "./requests.ts";
export * from "./reserved-keys.ts";
export * from "./rows.ts";
export * from "./runs/fold.ts";
export * from "./runs/join-run.ts";
export * from "./runs/lost-runs.ts";
export * from "./runs/page-url.ts";
export * from "./runs/payload.ts";
export * from "./runs/pipelines.ts";
export * from "./runs/position.ts";
export * from "./runs/repaired.ts";
export * from "./runs/rule.ts";
export {
  lostBefore,
  projectsWithRun,
  type RunContext,
  requireRun,
  statusOf,
  taskIssue,
  taskOfRun,
  toRun,
} from "./runs/runs.ts";
export * from "./runs/schema.ts";
export * from "./runs/text.ts";
export * from "./schema.ts";
export * from "./tasks/one-task.ts";
export * from "./tasks/pull-request-issue.ts";
export * from "./tasks/task-title.ts";
export * from "./text.ts";
export * from "./tokens.ts";
export { readGroups } from "./usage/groups.ts";
export * from "./usage/ranges.ts";
export * from "./usage/report.ts";
export * from "./usage/schema.ts";
export * from "./usage/sums.ts";
