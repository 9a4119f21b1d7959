/** The tables of the feed, and of what is counted from it; of facets see db/feed/facets.ts. */
import type { Threshold } from "../../src/feed/budgets/schema.ts";
import type { EventKind } from "../../src/feed/schema.ts";
import type { Interval } from "../../src/feed/usage/schema.ts";
import type { ColumnKit } from "./columns.ts";

export function defineFeedTables({ table, serial, int, real, text, flag }: ColumnKit) {
  const usage = () => ({
    tokens_in: int().notNull().default(0),
    tokens_out: int().notNull().default(0),
    cache_read: int().notNull().default(0),
    cache_write: int().notNull().default(0),
    cost_equiv: real().notNull().default(0),
  });
  const daily = () => ({ project: text().notNull(), day: text().notNull() });
  const counts = () => ({
    runs: int().notNull(),
    failures: int().notNull(),
    merges: int().notNull(),
    ...usage(),
  });
  const sums = () => ({ ...daily(), lane: text().notNull(), model: text().notNull(), ...counts() });
  return {
    /**
     * Append-only. The primary key is `ts`, so the newest page is the end of the table. Only what statements
     * search by has columns: `wire` has all fields of the event.
     */
    events: table("events", () => ({
      ts: int().primaryKey(),
      id: int().notNull(),
      kind: text().$type<EventKind>().notNull(),
      actor: text().notNull(),
      project: text(),
      issue: int(),
      pr: int(),
      lane: text(),
      run_id: text(),
      dedupe_key: text(),
      delivery_id: text(),
      /** JSON text of the event, see src/feed/render-event.ts. */
      wire: text().notNull(),
      /** JSON text, since a Postgres `jsonb` column rejects valid JSON such as `\u0000`. */
      payload: text(),
    })),
    /** Distinct combinations of the filters; "" for an event without project, lane, team, or person. */
    facets: table("facets", () => ({
      id: serial(),
      project: text().notNull(),
      kind: text().$type<EventKind>().notNull(),
      actor: text().notNull(),
      lane: text().notNull(),
      team: text().notNull(),
      person: text().notNull(),
    })),
    /** The posting list of each facet: the `ts` of its events. */
    facet_events: table("facet_events", () => ({ facet: int().notNull(), ts: int().notNull() })),
    /**
     * One row: the newest `ts` and the last assigned `id`. On Postgres its row lock is the write lock that
     * all processes share.
     */
    feed_head: table("feed_head", () => ({
      one: int().primaryKey(),
      id: int().notNull(),
      ts: int().notNull(),
      /** The id of the last event in the rows that are derived behind appends; see feed/derived-rows.ts. */
      derived: int().notNull(),
      /** Changes with the budgets; 0 while there never were any. */
      budgets: int().notNull(),
    })),
    issues: table("issues", () => ({
      project: text().notNull(),
      number: int().notNull(),
      ts: int().notNull(),
      open: flag().notNull(),
    })),
    /** The issue that a pull request belongs to; see src/feed/tasks/pull-request-issue.ts. */
    pull_request_issues: table("pull_request_issues", () => ({
      project: text().notNull(),
      pr: int().notNull(),
      issue: int().notNull(),
      rank: int().notNull(),
    })),
    usage: table("usage", sums),
    /** The same usage by actor and task: an issue or, without one, a pull request; 0 for neither. */
    task_usage: table("task_usage", () => ({
      ...daily(),
      actor: text().notNull(),
      issue: int().notNull(),
      pr: int().notNull(),
      ...counts(),
    })),
    /** Of it that of a person or a team; "" without the other. */
    person_usage: table("person_usage", () => ({
      ...daily(),
      person: text().notNull(),
      team: text().notNull(),
      ...counts(),
    })),
    /** What work should cost at most in a period; what it counts is null for any. */
    budgets: table("budgets", () => ({
      id: serial(),
      project: text(),
      team: text(),
      person: text(),
      lane: text(),
      model: text(),
      period: text().$type<Interval>().notNull(),
      amount: real().notNull(),
      /** The first day of the first period that is counted. */
      since: text().notNull(),
      changed_by: text().notNull(),
      changed_at: int().notNull(),
    })),
    /** What each budget has spent in a period, updated with every append. */
    budget_periods: table("budget_periods", () => ({
      budget: int().notNull(),
      start: text().notNull(),
      spent: real().notNull(),
      notified: int().$type<Threshold>().notNull(),
    })),
    /** Copies of `usage` rows that `svc consolidate` has summarized into memory. */
    rollups: table("rollups", sums),
  };
}
