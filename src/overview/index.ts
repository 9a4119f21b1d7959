/** The door of the overview: other rooms, `db` and `cli` import these files, and no others. */

export { compileBrief } from "./brief/brief.ts";
export * from "./brief/parse.ts";
export * from "./brief/schema.ts";
export * from "./brief/sources.ts";
export * from "./context.ts";
export * from "./feed/lines.ts";
export * from "./inbox/inbox.ts";
export * from "./inbox/schema.ts";
export { endedPrefix } from "./inbox/sources/ended-decisions.ts";
export { goneFilesPrefix } from "./inbox/sources/gone-files.ts";
export { proposalPrefix } from "./inbox/sources/proposals.ts";
export * from "./memory/decision-schema.ts";
export * from "./operations/inbox.ts";
export * from "./operations/memory.ts";
export * from "./operations/projects.ts";
export * from "./operations/runs.ts";
export * from "./operations/views.ts";
export * from "./port.ts";
export * from "./projects/daily-usage.ts";
export * from "./projects/schema.ts";
export * from "./projects/setup.ts";
export type {
  BriefRow,
  CarryingBrief,
  DailyUsageRow,
  DecisionUseRow,
  DocSection,
  DocSections,
  GivenDecision,
  InboxMark,
  NewBrief,
  NewRecall,
  PausedWebhook,
  RecallRow,
  RunCost,
} from "./rows.ts";
export * from "./runs/decision-uses.ts";
export * from "./runs/rejection-readers.ts";
export * from "./runs/run-memory.ts";
export * from "./runs/run-page.ts";
export * from "./runs/schema.ts";
export * from "./runs/session.ts";
export * from "./runs/text.ts";
export * from "./search/excerpt.ts";
export * from "./search/schema.ts";
export * from "./search/text-index.ts";
export * from "./tasks/attempts.ts";
export * from "./tasks/schema.ts";
export * from "./tasks/stage.ts";
export * from "./tasks/task.ts";
export * from "./today/schema.ts";
export * from "./today/today.ts";
export * from "./usage/rejected-schema.ts";
export * from "./usage/titles.ts";
export * from "./views/schema.ts";
