/**
 * Schema migrations: plain SQL files, embedded in the program and applied in order. All pending ones run in
 * one transaction. A released migration is never edited.
 */
import postgres0001 from "../migrations/postgres/0001_init.sql" with { type: "text" };
import postgres0002 from "../migrations/postgres/0002_memory.sql" with { type: "text" };
import postgres0003 from "../migrations/postgres/0003_audit.sql" with { type: "text" };
import postgres0004 from "../migrations/postgres/0004_nodes.sql" with { type: "text" };
import postgres0005 from "../migrations/postgres/0005_facets.sql" with { type: "text" };
import postgres0006 from "../migrations/postgres/0006_library.sql" with { type: "text" };
import postgres0007 from "../migrations/postgres/0007_packs.sql" with { type: "text" };
import postgres0008 from "../migrations/postgres/0008_facets_lane.sql" with { type: "text" };
import postgres0009 from "../migrations/postgres/0009_events_of_kind.sql" with { type: "text" };
import postgres0010 from "../migrations/postgres/0010_key_scopes.sql" with { type: "text" };
import postgres0011 from "../migrations/postgres/0011_sessions.sql" with { type: "text" };
import postgres0012 from "../migrations/postgres/0012_deployment.sql" with { type: "text" };
import postgres0013 from "../migrations/postgres/0013_audiences.sql" with { type: "text" };
import postgres0014 from "../migrations/postgres/0014_unpack.sql" with { type: "text" };
import postgres0015 from "../migrations/postgres/0015_task_filters.sql" with { type: "text" };
import postgres0016 from "../migrations/postgres/0016_recall_indexes.sql" with { type: "text" };
import postgres0017 from "../migrations/postgres/0017_sign_in_links.sql" with { type: "text" };
import postgres0018 from "../migrations/postgres/0018_resumable_uploads.sql" with { type: "text" };
import postgres0019 from "../migrations/postgres/0019_runs.sql" with { type: "text" };
import postgres0020 from "../migrations/postgres/0020_today.sql" with { type: "text" };
import postgres0021 from "../migrations/postgres/0021_decision_pages.sql" with { type: "text" };
import postgres0022 from "../migrations/postgres/0022_task_usage.sql" with { type: "text" };
import postgres0023 from "../migrations/postgres/0023_upload_parts.sql" with { type: "text" };
import postgres0024 from "../migrations/postgres/0024_text_languages.sql" with { type: "text" };
import postgres0025 from "../migrations/postgres/0025_telemetry.sql" with { type: "text" };
import postgres0026 from "../migrations/postgres/0026_forges.sql" with { type: "text" };
import postgres0027 from "../migrations/postgres/0027_runs_listed.sql" with { type: "text" };
import postgres0028 from "../migrations/postgres/0028_webhooks.sql" with { type: "text" };
import postgres0029 from "../migrations/postgres/0029_budgets.sql" with { type: "text" };
import postgres0030 from "../migrations/postgres/0030_review_requests.sql" with { type: "text" };
import postgres0031 from "../migrations/postgres/0031_inbox_email.sql" with { type: "text" };
import postgres0032 from "../migrations/postgres/0032_feed_progress.sql" with { type: "text" };
import postgres0034 from "../migrations/postgres/0034_annotations.sql" with { type: "text" };
import postgres0035 from "../migrations/postgres/0035_verdicts.sql" with { type: "text" };
import postgres0036 from "../migrations/postgres/0036_shares.sql" with { type: "text" };
import postgres0037 from "../migrations/postgres/0037_provenance.sql" with { type: "text" };
import postgres0039 from "../migrations/postgres/0039_sets.sql" with { type: "text" };
import postgres0040 from "../migrations/postgres/0040_share_annotations.sql" with { type: "text" };
import postgres0042 from "../migrations/postgres/0042_review_queue.sql" with { type: "text" };
import postgres0044 from "../migrations/postgres/0044_event_text.sql" with { type: "text" };
import postgres0045 from "../migrations/postgres/0045_sign_in_links_for_tokens.sql" with { type: "text" };
import postgres0046 from "../migrations/postgres/0046_token_roles.sql" with { type: "text" };
import postgres0047 from "../migrations/postgres/0047_run_tokens.sql" with { type: "text" };
import postgres0048 from "../migrations/postgres/0048_pull_request_issues.sql" with { type: "text" };
import postgres0050 from "../migrations/postgres/0050_bundle_files.sql" with { type: "text" };
import postgres0051 from "../migrations/postgres/0051_token_agents.sql" with { type: "text" };
import postgres0052 from "../migrations/postgres/0052_repeats.sql" with { type: "text" };
import postgres0053 from "../migrations/postgres/0053_run_titles.sql" with { type: "text" };
import postgres0054 from "../migrations/postgres/0054_sign_in_email.sql" with { type: "text" };
import sqlite0001 from "../migrations/sqlite/0001_init.sql" with { type: "text" };
import sqlite0002 from "../migrations/sqlite/0002_memory.sql" with { type: "text" };
import sqlite0003 from "../migrations/sqlite/0003_audit.sql" with { type: "text" };
import sqlite0004 from "../migrations/sqlite/0004_nodes.sql" with { type: "text" };
import sqlite0005 from "../migrations/sqlite/0005_facets.sql" with { type: "text" };
import sqlite0006 from "../migrations/sqlite/0006_library.sql" with { type: "text" };
import sqlite0007 from "../migrations/sqlite/0007_packs.sql" with { type: "text" };
import sqlite0008 from "../migrations/sqlite/0008_facets_lane.sql" with { type: "text" };
import sqlite0009 from "../migrations/sqlite/0009_events_of_kind.sql" with { type: "text" };
import sqlite0010 from "../migrations/sqlite/0010_key_scopes.sql" with { type: "text" };
import sqlite0011 from "../migrations/sqlite/0011_sessions.sql" with { type: "text" };
import sqlite0012 from "../migrations/sqlite/0012_deployment.sql" with { type: "text" };
import sqlite0013 from "../migrations/sqlite/0013_audiences.sql" with { type: "text" };
import sqlite0014 from "../migrations/sqlite/0014_unpack.sql" with { type: "text" };
import sqlite0015 from "../migrations/sqlite/0015_task_filters.sql" with { type: "text" };
import sqlite0016 from "../migrations/sqlite/0016_recall_indexes.sql" with { type: "text" };
import sqlite0017 from "../migrations/sqlite/0017_sign_in_links.sql" with { type: "text" };
import sqlite0018 from "../migrations/sqlite/0018_resumable_uploads.sql" with { type: "text" };
import sqlite0019 from "../migrations/sqlite/0019_runs.sql" with { type: "text" };
import sqlite0020 from "../migrations/sqlite/0020_today.sql" with { type: "text" };
import sqlite0021 from "../migrations/sqlite/0021_decision_pages.sql" with { type: "text" };
import sqlite0022 from "../migrations/sqlite/0022_task_usage.sql" with { type: "text" };
import sqlite0023 from "../migrations/sqlite/0023_upload_parts.sql" with { type: "text" };
import sqlite0024 from "../migrations/sqlite/0024_text_languages.sql" with { type: "text" };
import sqlite0025 from "../migrations/sqlite/0025_telemetry.sql" with { type: "text" };
import sqlite0026 from "../migrations/sqlite/0026_forges.sql" with { type: "text" };
import sqlite0027 from "../migrations/sqlite/0027_runs_listed.sql" with { type: "text" };
import sqlite0028 from "../migrations/sqlite/0028_webhooks.sql" with { type: "text" };
import sqlite0029 from "../migrations/sqlite/0029_budgets.sql" with { type: "text" };
import sqlite0030 from "../migrations/sqlite/0030_review_requests.sql" with { type: "text" };
import sqlite0031 from "../migrations/sqlite/0031_inbox_email.sql" with { type: "text" };
import sqlite0032 from "../migrations/sqlite/0032_feed_progress.sql" with { type: "text" };
import sqlite0034 from "../migrations/sqlite/0034_annotations.sql" with { type: "text" };
import sqlite0035 from "../migrations/sqlite/0035_verdicts.sql" with { type: "text" };
import sqlite0036 from "../migrations/sqlite/0036_shares.sql" with { type: "text" };
import sqlite0037 from "../migrations/sqlite/0037_provenance.sql" with { type: "text" };
import sqlite0039 from "../migrations/sqlite/0039_sets.sql" with { type: "text" };
import sqlite0040 from "../migrations/sqlite/0040_share_annotations.sql" with { type: "text" };
import sqlite0042 from "../migrations/sqlite/0042_review_queue.sql" with { type: "text" };
import sqlite0044 from "../migrations/sqlite/0044_event_text.sql" with { type: "text" };
import sqlite0045 from "../migrations/sqlite/0045_sign_in_links_for_tokens.sql" with { type: "text" };
import sqlite0046 from "../migrations/sqlite/0046_token_roles.sql" with { type: "text" };
import sqlite0047 from "../migrations/sqlite/0047_run_tokens.sql" with { type: "text" };
import sqlite0048 from "../migrations/sqlite/0048_pull_request_issues.sql" with { type: "text" };
import sqlite0050 from "../migrations/sqlite/0050_bundle_files.sql" with { type: "text" };
import sqlite0051 from "../migrations/sqlite/0051_token_agents.sql" with { type: "text" };
import sqlite0052 from "../migrations/sqlite/0052_repeats.sql" with { type: "text" };
import sqlite0053 from "../migrations/sqlite/0053_run_titles.sql" with { type: "text" };
import sqlite0054 from "../migrations/sqlite/0054_sign_in_email.sql" with { type: "text" };

export interface Migration {
  name: string;
  statements: string[];
  /** The table that it copies: SQLite needs space for that before it begins (rebuild-space.ts). */
  rebuilds?: string;
}

const secondStatement = (text: string): string => text.split("--> statement-breakpoint")[1] as string;

const migration = (name: string, text: string): Migration => ({
  name,
  statements: text.split("--> statement-breakpoint"),
});

export const migrations = {
  sqlite: [
    migration("0001_init", sqlite0001),
    migration("0002_memory", sqlite0002),
    migration("0003_audit", sqlite0003),
    migration("0004_nodes", sqlite0004),
    migration("0005_facets", sqlite0005),
    migration("0006_library", sqlite0006),
    migration("0007_packs", sqlite0007),
    migration("0008_facets_lane", sqlite0008),
    migration("0009_events_of_kind", sqlite0009),
    migration("0010_key_scopes", sqlite0010),
    migration("0011_sessions", sqlite0011),
    migration("0012_deployment", sqlite0012),
    migration("0013_audiences", sqlite0013),
    migration("0014_unpack", sqlite0014),
    migration("0015_task_filters", sqlite0015),
    migration("0016_recall_indexes", sqlite0016),
    migration("0017_sign_in_links", sqlite0017),
    migration("0018_resumable_uploads", sqlite0018),
    migration("0019_runs", sqlite0019),
    migration("0020_today", sqlite0020),
    migration("0021_decision_pages", sqlite0021),
    migration("0022_task_usage", sqlite0022),
    migration("0023_upload_parts", sqlite0023),
    migration("0024_text_languages", sqlite0024),
    migration("0025_telemetry", sqlite0025),
    migration("0026_forges", sqlite0026),
    migration("0027_runs_listed", sqlite0027),
    migration("0028_webhooks", sqlite0028),
    migration("0029_budgets", sqlite0029),
    migration("0030_review_requests", sqlite0030),
    migration("0031_inbox_email", sqlite0031),
    migration("0032_feed_progress", sqlite0032),
    migration("0034_annotations", sqlite0034),
    migration("0035_verdicts", sqlite0035),
    migration("0036_shares", sqlite0036),
    migration("0037_provenance", sqlite0037),
    migration("0039_sets", sqlite0039),
    migration("0040_share_annotations", sqlite0040),
    migration("0042_review_queue", sqlite0042),
    { ...migration("0044_event_text", sqlite0044), rebuilds: "events" },
    migration("0045_sign_in_links_for_tokens", sqlite0045),
    migration("0046_token_roles", sqlite0046),
    migration("0047_run_tokens", sqlite0047),
    migration("0048_pull_request_issues", sqlite0048),
    migration("0050_bundle_files", sqlite0050),
    migration("0051_token_agents", sqlite0051),
    migration("0052_repeats", sqlite0052),
    migration("0053_run_titles", sqlite0053),
    migration("0054_sign_in_email", sqlite0054),
  ],
  postgres: [
    migration("0001_init", postgres0001),
    migration("0002_memory", postgres0002),
    migration("0003_audit", postgres0003),
    migration("0004_nodes", postgres0004),
    migration("0005_facets", postgres0005),
    migration("0006_library", postgres0006),
    migration("0007_packs", postgres0007),
    migration("0008_facets_lane", postgres0008),
    migration("0009_events_of_kind", postgres0009),
    migration("0010_key_scopes", postgres0010),
    migration("0011_sessions", postgres0011),
    migration("0012_deployment", postgres0012),
    migration("0013_audiences", postgres0013),
    migration("0014_unpack", postgres0014),
    migration("0015_task_filters", postgres0015),
    migration("0016_recall_indexes", postgres0016),
    migration("0017_sign_in_links", postgres0017),
    migration("0018_resumable_uploads", postgres0018),
    migration("0019_runs", postgres0019),
    migration("0020_today", postgres0020),
    migration("0021_decision_pages", postgres0021),
    migration("0022_task_usage", postgres0022),
    migration("0023_upload_parts", postgres0023),
    migration("0024_text_languages", postgres0024),
    migration("0025_telemetry", postgres0025),
    migration("0026_forges", postgres0026),
    migration("0027_runs_listed", postgres0027),
    migration("0028_webhooks", postgres0028),
    migration("0029_budgets", postgres0029),
    migration("0030_review_requests", postgres0030),
    migration("0031_inbox_email", postgres0031),
    migration("0032_feed_progress", postgres0032),
    migration("0034_annotations", postgres0034),
    migration("0035_verdicts", postgres0035),
    migration("0036_shares", postgres0036),
    migration("0037_provenance", postgres0037),
    migration("0039_sets", postgres0039),
    migration("0040_share_annotations", postgres0040),
    migration("0042_review_queue", postgres0042),
    migration("0044_event_text", postgres0044),
    migration("0045_sign_in_links_for_tokens", postgres0045),
    migration("0046_token_roles", postgres0046),
    migration("0047_run_tokens", postgres0047),
    migration("0048_pull_request_issues", postgres0048),
    migration("0050_bundle_files", postgres0050),
    migration("0051_token_agents", postgres0051),
    migration("0052_repeats", postgres0052),
    migration("0053_run_titles", postgres0053),
    migration("0054_sign_in_email", postgres0054),
  ],
};

/** The statement that reduces published URLs of a local store to their paths; also run after a restore. */
export const stripPublicUrlOrigin = {
  sqlite: secondStatement(sqlite0012),
  postgres: secondStatement(postgres0012),
};

export const createMigrationsTable =
  "create table if not exists schema_migrations (name text not null primary key, applied_at bigint not null)";

/** The database cannot be opened. The message is the one line that the command prints. */
export class DatabaseError extends Error {
  override name = "DatabaseError";
}

/**
 * Returns the migrations that a database with `applied` still needs. Throws when it has one that this program
 * does not know. @param place names the database in the error, without credentials
 */
export function pendingMigrations(
  all: readonly Migration[],
  applied: readonly string[],
  place: string,
): Migration[] {
  const newer = applied.find((name) => !all.some((migration) => migration.name === name));
  if (newer !== undefined)
    throw new DatabaseError(
      `${place} is newer than this svc (it has migration ${newer}). Upgrade svc; the database was ` +
        "not changed.",
    );
  return all.filter(({ name }) => !applied.includes(name));
}
