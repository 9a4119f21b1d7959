/** The tables of the inbox, and of its digests by email. */
import type { DigestPeriod, DigestStatus } from "../../src/integrations/email/schema.ts";
import type { ColumnKit } from "./columns.ts";

export const defineInboxTables = ({ table, int, text, flag }: ColumnKit) => ({
  /** What each person marked as done in the inbox, or snoozed. */
  inbox_marks: table("inbox_marks", {
    reader: text().notNull(),
    item: text().notNull(),
    /** Hides the item if its cause is not newer. */
    at: int().notNull(),
    /** When the snooze ends; null when it is done. */
    until: int(),
  }),
  email_digests: table("email_digests", {
    id: text().primaryKey(),
    address: text().notNull(),
    period: text().$type<DigestPeriod>().notNull(),
    /** The hour of the day, in UTC. */
    hour: int().notNull(),
    project: text(),
    /** Name of the token that added it; null for the command line on the server. */
    owner: text(),
    /** `removed`: before it was confirmed; only its mail still counts. */
    status: text().$type<DigestStatus | "removed">().notNull(),
    problem: text(),
    created_at: int().notNull(),
    confirmed_at: int(),
    /** The end of the last period that was sent, or had nothing to send. */
    covered_until: int().notNull(),
    /** The end of the next period. */
    due_at: int().notNull(),
    /** When to try next: `due_at`, or later after a failed attempt. */
    next_at: int().notNull(),
    attempts: int().notNull(),
    /** The last one said that nothing happened, which is not said twice. */
    said_quiet: flag().notNull(),
  }),
});
