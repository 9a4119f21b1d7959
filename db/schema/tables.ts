/**
 * All tables, defined once for both dialects. Timestamps are microseconds; columns that the API returns have
 * the API's names.
 */
import type { Via } from "../../src/core/auth/caller.ts";
import type { RepositoryNames } from "../../src/feed/rows.ts";
import { defineAnnotationTables } from "./annotation-tables.ts";
import { defineAssetTables } from "./asset-tables.ts";
import { defineAuthTables } from "./auth-tables.ts";
import { defineBudgetTables } from "./budget-tables.ts";
import { type ColumnKit, postgresColumns, sqliteColumns } from "./columns.ts";
import { defineFeedTables } from "./feed-tables.ts";
import { defineOutbox, repositoryPlace } from "./forge-tables.ts";
import { defineInboxTables } from "./inbox-tables.ts";
import { defineMemoryTables } from "./memory-tables.ts";
import { defineReviewRequestTables } from "./review-request-tables.ts";
import { defineRunTables } from "./run-tables.ts";
import { defineShareTables } from "./share-tables.ts";
import { defineTelemetryTables } from "./telemetry-tables.ts";
import { defineVerdictTables } from "./verdict-tables.ts";
import { defineWebhookTables } from "./webhook-tables.ts";

function defineTables(kit: ColumnKit) {
  const { table, serial, int, text, json } = kit;
  return {
    ...defineFeedTables(kit),
    projects: table("projects", {
      slug: text().primaryKey(),
      ...repositoryPlace(kit),
      /** The forge's id of the repository; null until a webhook reports it. */
      repo_id: int(),
      /** What deliveries told of its names; null until one reports its id. */
      repo_names: json().$type<RepositoryNames>(),
      stack: text(),
      summary: text(),
      check_cmd: text(),
      branch_pattern: text(),
      lanes: json().$type<string[]>().notNull(),
      linked_at: int().notNull(),
      last_activity: int(),
      open_issues: int().notNull().default(0),
      decisions_count: int().notNull().default(0),
      events_count: int().notNull().default(0),
      digested_count: int().notNull().default(0),
    }),
    ...defineMemoryTables(kit),
    settings: table("settings", { name: text().primaryKey(), value: text().notNull() }),
    ...defineAuthTables(kit),
    /** Up to where each person has read what happened: the `ts` of an event. */
    read_markers: table("read_markers", { reader: text().primaryKey(), ts: int().notNull() }),
    ...defineInboxTables(kit),
    audit: table("audit", {
      id: serial(),
      at: int().notNull(),
      who: text(),
      via: text().$type<Via>().notNull(),
      what: text().notNull(),
      project: text(),
      target: text(),
      status: int().notNull(),
      address: text(),
      request: text(),
      count: int().notNull().default(1),
      /** Refused requests with the same slot are counted in one row. */
      slot: text(),
    }),
    ...defineAssetTables(kit),
    ...defineRunTables(kit),
    ...defineBudgetTables(kit),
    ...defineTelemetryTables(kit),
    ...defineWebhookTables(kit),
    ...defineReviewRequestTables(kit),
    ...defineShareTables(kit),
    ...defineAnnotationTables(kit),
    ...defineVerdictTables(kit),
    outbox: defineOutbox(kit),
  };
}

export const sqliteTables = defineTables(sqliteColumns);
export const postgresTables = defineTables(postgresColumns);
export type Tables = typeof sqliteTables;
