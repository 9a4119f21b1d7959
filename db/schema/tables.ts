/**
 * All tables, defined once for both dialects. Timestamps are microseconds; columns that the API returns have
 * the API's names.
 */
import type { RepositoryNames } from "../../src/feed/rows.ts";
import { defineAssetTables } from "./asset-tables.ts";
import type { ColumnKit } from "./columns.ts";
import { defineCoreTables } from "./core-tables.ts";
import { defineFeedTables } from "./feed-tables.ts";
import { defineIntegrationTables, repositoryPlace } from "./integration-tables.ts";
import { defineMemoryTables } from "./memory-tables.ts";
import { defineReviewTables } from "./review-tables.ts";
import { defineRunTables } from "./run-tables.ts";

export function defineTables(kit: ColumnKit) {
  const { table, int, text, json } = kit;
  return {
    ...defineFeedTables(kit),
    projects: table("projects", () => ({
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
      task_url: text(),
      lanes: json().$type<string[]>().notNull(),
      linked_at: int().notNull(),
      last_activity: int(),
      open_issues: int().notNull().default(0),
      decisions_count: int().notNull().default(0),
      events_count: int().notNull().default(0),
      digested_count: int().notNull().default(0),
    })),
    ...defineMemoryTables(kit),
    ...defineAssetTables(kit),
    ...defineRunTables(kit),
    ...defineReviewTables(kit),
    ...defineIntegrationTables(kit),
    ...defineCoreTables(kit),
  };
}
