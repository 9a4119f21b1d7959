/**
 * Schema migrations: plain SQL files, embedded in the program and applied in order. All pending ones run in
 * one transaction. A released migration is never edited.
 */
import fileNames from "../migrations/both/0056_file_names.sql" with { type: "text" };
import rejectionsOfReviewer from "../migrations/both/0059_rejections_of_a_reviewer.sql" with { type: "text" };
import namedUsage from "../migrations/both/0066_named_usage.sql" with { type: "text" };
import removalDetails from "../migrations/both/0068_removal_details.sql" with { type: "text" };
import decisionStanding from "../migrations/both/0076_decision_standing.sql" with { type: "text" };
import budgetOwners from "../migrations/both/0077_budget_owners.sql" with { type: "text" };
import shareRecipients from "../migrations/both/0078_share_recipients.sql" with { type: "text" };
import contradictions from "../migrations/both/0084_contradictions.sql" with { type: "text" };
import decisionAnchors from "../migrations/both/0085_decision_anchors.sql" with { type: "text" };
import taskKeys from "../migrations/both/0090_task_keys.sql" with { type: "text" };
import touchedFiles from "../migrations/both/0094_touched_files.sql" with { type: "text" };
import comparedFiles from "../migrations/both/0101_compared_files.sql" with { type: "text" };
import ownerFacets from "../migrations/both/0102_owner_facets.sql" with { type: "text" };
import runsOfIssue from "../migrations/both/0103_runs_of_issue.sql" with { type: "text" };
import thumbnailFormats from "../migrations/both/0104_thumbnail_formats.sql" with { type: "text" };
import postgresBaseline from "../migrations/postgres/0054_baseline.sql" with { type: "text" };
import postgresRepositoryNames from "../migrations/postgres/0055_repository_names.sql" with { type: "text" };
import postgresComparisons from "../migrations/postgres/0057_comparisons.sql" with { type: "text" };
import postgresIdentities from "../migrations/postgres/0058_identities.sql" with { type: "text" };
import postgresPeople from "../migrations/postgres/0060_people.sql" with { type: "text" };
import postgresRemovals from "../migrations/postgres/0061_removals.sql" with { type: "text" };
import postgresPersonUsage from "../migrations/postgres/0062_person_usage.sql" with { type: "text" };
import postgresUnmapped from "../migrations/postgres/0063_unmapped_identities.sql" with { type: "text" };
import postgresSavedViews from "../migrations/postgres/0064_saved_views.sql" with { type: "text" };
import postgresFailedComparisons from "../migrations/postgres/0065_failed_comparisons.sql" with {
  type: "text",
};
import postgresSessionDevices from "../migrations/postgres/0071_session_devices.sql" with { type: "text" };
import postgresShareSubjects from "../migrations/postgres/0072_share_subjects.sql" with { type: "text" };
import postgresFingerprints from "../migrations/postgres/0074_fingerprints.sql" with { type: "text" };
import postgresOwnerFacets from "../migrations/postgres/0081_owner_facets.sql" with { type: "text" };
import postgresDecisionChecks from "../migrations/postgres/0083_decision_checks.sql" with { type: "text" };
import postgresWaitingRuns from "../migrations/postgres/0086_waiting_runs.sql" with { type: "text" };
import postgresHeldChecks from "../migrations/postgres/0087_held_checks.sql" with { type: "text" };
import postgresReportedAnchors from "../migrations/postgres/0088_reported_anchors.sql" with { type: "text" };
import postgresTasks from "../migrations/postgres/0092_tasks.sql" with { type: "text" };
import postgresTaskCounts from "../migrations/postgres/0093_task_counts.sql" with { type: "text" };
import postgresClaims from "../migrations/postgres/0095_claims.sql" with { type: "text" };
import postgresAppendedEvents from "../migrations/postgres/0096_appended_events.sql" with { type: "text" };
import postgresPartitionedLog from "../migrations/postgres/partitioned_log.sql" with { type: "text" };
import postgresTakeOver from "../migrations/postgres/take_over.sql" with { type: "text" };
import sqliteBaseline from "../migrations/sqlite/0054_baseline.sql" with { type: "text" };
import sqliteRepositoryNames from "../migrations/sqlite/0055_repository_names.sql" with { type: "text" };
import sqliteComparisons from "../migrations/sqlite/0057_comparisons.sql" with { type: "text" };
import sqliteIdentities from "../migrations/sqlite/0058_identities.sql" with { type: "text" };
import sqlitePeople from "../migrations/sqlite/0060_people.sql" with { type: "text" };
import sqliteRemovals from "../migrations/sqlite/0061_removals.sql" with { type: "text" };
import sqlitePersonUsage from "../migrations/sqlite/0062_person_usage.sql" with { type: "text" };
import sqliteUnmapped from "../migrations/sqlite/0063_unmapped_identities.sql" with { type: "text" };
import sqliteSavedViews from "../migrations/sqlite/0064_saved_views.sql" with { type: "text" };
import sqliteFailedComparisons from "../migrations/sqlite/0065_failed_comparisons.sql" with { type: "text" };
import sqliteSessionDevices from "../migrations/sqlite/0071_session_devices.sql" with { type: "text" };
import sqliteShareSubjects from "../migrations/sqlite/0072_share_subjects.sql" with { type: "text" };
import sqliteFingerprints from "../migrations/sqlite/0074_fingerprints.sql" with { type: "text" };
import sqliteOwnerFacets from "../migrations/sqlite/0081_owner_facets.sql" with { type: "text" };
import sqliteDecisionChecks from "../migrations/sqlite/0083_decision_checks.sql" with { type: "text" };
import sqliteWaitingRuns from "../migrations/sqlite/0086_waiting_runs.sql" with { type: "text" };
import sqliteHeldChecks from "../migrations/sqlite/0087_held_checks.sql" with { type: "text" };
import sqliteReportedAnchors from "../migrations/sqlite/0088_reported_anchors.sql" with { type: "text" };
import sqliteTasks from "../migrations/sqlite/0092_tasks.sql" with { type: "text" };
import sqliteTaskCounts from "../migrations/sqlite/0093_task_counts.sql" with { type: "text" };
import sqliteClaims from "../migrations/sqlite/0095_claims.sql" with { type: "text" };
import sqliteAppendedEvents from "../migrations/sqlite/0096_appended_events.sql" with { type: "text" };
import sqliteTakeOver from "../migrations/sqlite/take_over.sql" with { type: "text" };

/** A migration as SQL for each database. */
export interface Migration {
  name: string;
  sqlite: string;
  postgres: string;
}

/** Gets each migration before it runs on a database that has rows: its name, its number, and how many there are. */
export type TellMigration = (name: string, number: number, count: number) => void;

const baseline = "0054_baseline";
/** The last of the migrations that the baseline replaces, and a commit that has all of them. */
const lastReplaced = "0054_sign_in_email";
const lastCommit = "6b936eed";

export const migrations: Migration[] = [
  { name: baseline, sqlite: sqliteBaseline, postgres: postgresBaseline },
  { name: "0055_repository_names", sqlite: sqliteRepositoryNames, postgres: postgresRepositoryNames },
  { name: "0056_file_names", sqlite: fileNames, postgres: fileNames },
  { name: "0057_comparisons", sqlite: sqliteComparisons, postgres: postgresComparisons },
  { name: "0058_identities", sqlite: sqliteIdentities, postgres: postgresIdentities },
  { name: "0059_rejections_of_a_reviewer", sqlite: rejectionsOfReviewer, postgres: rejectionsOfReviewer },
  { name: "0060_people", sqlite: sqlitePeople, postgres: postgresPeople },
  { name: "0061_removals", sqlite: sqliteRemovals, postgres: postgresRemovals },
  { name: "0062_person_usage", sqlite: sqlitePersonUsage, postgres: postgresPersonUsage },
  { name: "0063_unmapped_identities", sqlite: sqliteUnmapped, postgres: postgresUnmapped },
  { name: "0064_saved_views", sqlite: sqliteSavedViews, postgres: postgresSavedViews },
  { name: "0065_failed_comparisons", sqlite: sqliteFailedComparisons, postgres: postgresFailedComparisons },
  { name: "0066_named_usage", sqlite: namedUsage, postgres: namedUsage },
  { name: "0068_removal_details", sqlite: removalDetails, postgres: removalDetails },
  { name: "0071_session_devices", sqlite: sqliteSessionDevices, postgres: postgresSessionDevices },
  { name: "0072_share_subjects", sqlite: sqliteShareSubjects, postgres: postgresShareSubjects },
  { name: "0074_fingerprints", sqlite: sqliteFingerprints, postgres: postgresFingerprints },
  { name: "0076_decision_standing", sqlite: decisionStanding, postgres: decisionStanding },
  { name: "0077_budget_owners", sqlite: budgetOwners, postgres: budgetOwners },
  { name: "0078_share_recipients", sqlite: shareRecipients, postgres: shareRecipients },
  { name: "0081_owner_facets", sqlite: sqliteOwnerFacets, postgres: postgresOwnerFacets },
  { name: "0083_decision_checks", sqlite: sqliteDecisionChecks, postgres: postgresDecisionChecks },
  { name: "0084_contradictions", sqlite: contradictions, postgres: contradictions },
  { name: "0085_decision_anchors", sqlite: decisionAnchors, postgres: decisionAnchors },
  { name: "0086_waiting_runs", sqlite: sqliteWaitingRuns, postgres: postgresWaitingRuns },
  { name: "0087_held_checks", sqlite: sqliteHeldChecks, postgres: postgresHeldChecks },
  { name: "0088_reported_anchors", sqlite: sqliteReportedAnchors, postgres: postgresReportedAnchors },
  { name: "0090_task_keys", sqlite: taskKeys, postgres: taskKeys },
  { name: "0092_tasks", sqlite: sqliteTasks, postgres: postgresTasks },
  { name: "0093_task_counts", sqlite: sqliteTaskCounts, postgres: postgresTaskCounts },
  { name: "0094_touched_files", sqlite: touchedFiles, postgres: touchedFiles },
  { name: "0095_claims", sqlite: sqliteClaims, postgres: postgresClaims },
  { name: "0096_appended_events", sqlite: sqliteAppendedEvents, postgres: postgresAppendedEvents },
  { name: "0101_compared_files", sqlite: comparedFiles, postgres: comparedFiles },
  { name: "0102_owner_facets", sqlite: ownerFacets, postgres: ownerFacets },
  { name: "0103_runs_of_issue", sqlite: runsOfIssue, postgres: runsOfIssue },
  { name: "0104_thumbnail_formats", sqlite: thumbnailFormats, postgres: thumbnailFormats },
];

/** Instead of the baseline on a database that has all migrations that it replaces. */
const takeOver: Migration = { name: baseline, sqlite: sqliteTakeOver, postgres: postgresTakeOver };

/** After the migrations of a new Postgres database whose log is to have partitions. */
export const partitionedLog: string = postgresPartitionedLog;

export const createMigrationsTable =
  "create table if not exists schema_migrations (name text not null primary key, applied_at bigint not null)";

/** The database cannot be opened. The message is the one line that the command prints. */
export class DatabaseError extends Error {
  override name = "DatabaseError";
}

/**
 * Returns the migrations that a database with `applied` still needs.
 * @param place names the database in the error, without credentials
 * @throws DatabaseError if this program cannot use the database
 */
export function pendingMigrations(applied: readonly string[], place: string): Migration[] {
  const refusal = findRefusal(applied);
  if (refusal) throw new DatabaseError(`${place} ${refusal}. The database was not changed.`);
  const known = sinceBaseline(applied);
  const later = migrations.filter(({ name }) => !known.includes(name));
  return applied.includes(lastReplaced) ? [takeOver, ...later] : later;
}

/** Why this program cannot use a database or a backup with these migrations; null if it can. */
export function findRefusal(applied: readonly string[]): string | null {
  const unknown = sinceBaseline(applied).find((name) => !migrations.some((one) => one.name === name));
  if (unknown === undefined) return null;
  return unknown < baseline
    ? `is too old for this svc. Pass it through the svc of commit ${lastCommit} first`
    : `is newer than this svc (it has migration ${unknown}). Upgrade svc`;
}

/** The names that the database has once it was taken over. */
const sinceBaseline = (applied: readonly string[]): readonly string[] =>
  applied.includes(lastReplaced) ? [baseline, ...applied.filter((name) => name > lastReplaced)] : applied;
