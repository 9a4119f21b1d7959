/** The tables of review requests. */
import type { ColumnKit } from "./columns.ts";

export const defineReviewRequestTables = ({ table, int, text }: ColumnKit) => ({
  /** The open requests: a request is deleted when its asset is reviewed or replaced. */
  review_requests: table("review_requests", {
    asset: text().primaryKey(),
    project: text().notNull(),
    sha256: text().notNull(),
    asked_by: text().notNull(),
    /** JSON text: a list of names of tokens and roles. */
    reviewers: text().notNull(),
    question: text(),
    due_at: int(),
    /** `due_at`, or the greatest integer without one: the order of lists. */
    sort_at: int().notNull(),
    created_at: int().notNull(),
    /** When the next reminder is due; null when there are no more. */
    remind_at: int(),
    reminders: int().notNull(),
    reminded_at: int(),
  }),
  /** A row for each reviewer of an open request; "" stands for everyone who can review. */
  requested_reviewers: table("requested_reviewers", {
    reviewer: text().notNull(),
    project: text().notNull(),
    sort_at: int().notNull(),
    asset: text().notNull(),
  }),
});
