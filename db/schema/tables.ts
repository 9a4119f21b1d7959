/**
 * All tables, defined once for both dialects. Timestamps are microseconds; columns that the API returns have
 * the API's names.
 */
import type { AssetKind, AssetStatus } from "../../src/assets/schema.ts";
import type { Via } from "../../src/auth/caller.ts";
import type { EventKind } from "../../src/feed/schema.ts";
import type { MemoryKind } from "../../src/memory/schema.ts";
import { defineAnnotationTables } from "./annotation-tables.ts";
import { defineAuthTables } from "./auth-tables.ts";
import { defineBudgetTables } from "./budget-tables.ts";
import { type ColumnKit, postgresColumns, sqliteColumns } from "./columns.ts";
import { defineFacetTables } from "./facet-tables.ts";
import { defineOutbox, repositoryPlace } from "./forge-tables.ts";
import { defineInboxTables } from "./inbox-tables.ts";
import { defineProvenanceTables } from "./provenance-tables.ts";
import { defineReviewTables } from "./review-tables.ts";
import { defineRunTables } from "./run-tables.ts";
import { defineShareTables } from "./share-tables.ts";
import { defineTelemetryTables } from "./telemetry-tables.ts";
import { defineVerdictTables } from "./verdict-tables.ts";
import { defineWebhookTables } from "./webhook-tables.ts";

function defineTables(kit: ColumnKit) {
  const { table, serial, int, real, text, flag, json } = kit;
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
    /** Append-only. The primary key is `ts`, so the newest page is the end of the table. */
    events: table("events", {
      ts: int().primaryKey(),
      id: int().notNull(),
      kind: text().$type<EventKind>().notNull(),
      actor: text().notNull(),
      summary: text().notNull(),
      project: text(),
      repo: text(),
      issue: int(),
      pr: int(),
      lane: text(),
      model: text(),
      subscription: text(),
      ...usage(),
      cost_source: text(),
      duration_ms: int(),
      url: text(),
      run_id: text(),
      dedupe_key: text(),
      delivery_id: text(),
      wire: text().notNull(),
      /** JSON text, since a Postgres `jsonb` column rejects valid JSON such as `\u0000`. */
      payload: text(),
    }),
    ...defineFacetTables(kit),
    /**
     * One row: the newest `ts` and the last assigned `id`. On Postgres its row lock is the write lock that
     * all processes share.
     */
    feed_head: table("feed_head", {
      one: int().primaryKey(),
      id: int().notNull(),
      ts: int().notNull(),
      /** The id of the last event that this version appended; an older one does not move it. */
      listed: int().notNull(),
      /** The id of the last event in the rows that are derived behind appends; see feed/derived-rows.ts. */
      derived: int().notNull(),
      /** Changes with the budgets; 0 while there never were any. */
      budgets: int().notNull(),
    }),
    issues: table("issues", {
      project: text().notNull(),
      number: int().notNull(),
      ts: int().notNull(),
      open: flag().notNull(),
    }),
    usage: table("usage", sums()),
    /** The same usage by actor and task: an issue or, without one, a pull request; 0 for neither. */
    task_usage: table("task_usage", {
      ...{ ...daily(), actor: text().notNull(), issue: int().notNull(), pr: int().notNull() },
      ...counts(),
    }),
    /** Copies of `usage` rows that `svc consolidate` has summarized into memory. */
    rollups: table("rollups", sums()),
    projects: table("projects", {
      slug: text().primaryKey(),
      ...repositoryPlace(kit),
      /** The forge's id of the repository; null until a webhook reports it. */
      repo_id: int(),
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
    decisions: table("decisions", {
      id: serial(),
      project: text().notNull(),
      text: text().notNull(),
      source: text().notNull(),
      source_ref: text(),
      actor: text().notNull(),
      valid_from: int().notNull(),
      /** Set when the decision is superseded or retired. */
      valid_until: int(),
      supersedes: int(),
      run_id: text(),
    }),
    preferences: table("preferences", {
      id: serial(),
      project: text(),
      key: text().notNull(),
      value: text().notNull(),
      source: text().notNull(),
      source_ref: text(),
      actor: text().notNull(),
      valid_from: int().notNull(),
      valid_until: int(),
      supersedes: int(),
    }),
    /** Notes of approving reviews; the note of a rejection becomes a decision. */
    notes: table("notes", {
      id: serial(),
      project: text().notNull(),
      asset: text().notNull(),
      title: text().notNull(),
      text: text().notNull(),
      actor: text().notNull(),
      valid_from: int().notNull(),
      valid_until: int(),
    }),
    /** Sections of the vendors' guidance for their models; `place` is the order in the source. */
    guidance: table("guidance", {
      id: serial(),
      model: text().notNull(),
      source: text().notNull(),
      file: text().notNull(),
      place: int().notNull(),
      path: json().$type<string[]>().notNull(),
      text: text().notNull(),
      refreshed_at: int().notNull(),
    }),
    models: table("models", {
      id: text().primaryKey(),
      provider: text().notNull(),
      lanes: json().$type<string[]>().notNull(),
      onboarded_at: int(),
      refreshed_at: int(),
      guidance_count: int().notNull().default(0),
      skill_count: int().notNull().default(0),
    }),
    /** The analyzer version of each recall index; documents with ids below `pending` have older terms. */
    recall_indexes: table("recall_indexes", {
      kind: text().$type<MemoryKind>().primaryKey(),
      analyzer: int(),
      pending: int(),
      changed_at: int().notNull(),
    }),
    /** The vocabulary of recall: every indexed word. */
    words: table("words", { form: text().primaryKey() }),
    /** Trigram index of words with four or more letters, for typo candidates. */
    word_grams: table("word_grams", { gram: text().notNull(), form: text().notNull() }),
    /** The words of each audience: readers of a project, or "" for all callers. */
    project_words: table("project_words", { project: text().notNull(), form: text().notNull() }),
    /** The languages apart from English that indexed texts are written in. */
    text_languages: table("text_languages", { code: text().primaryKey() }),
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
    /** The asset library. A row exists only when its file does; `root_id` is the id of version 1. */
    assets: table("assets", {
      id: text().primaryKey(),
      project: text().notNull(),
      issue: int(),
      pr: int(),
      title: text().notNull(),
      description: text(),
      kind: text().$type<AssetKind>().notNull(),
      mime: text().notNull(),
      size: int().notNull(),
      sha256: text().notNull(),
      width: int(),
      height: int(),
      duration_ms: int(),
      version: int().notNull(),
      root_id: text().notNull(),
      parent_id: text(),
      status: text().$type<AssetStatus>().notNull(),
      /**
       * 1 while pending, else 0: the list is sorted by (waiting, created_at, id), descending, and every index
       * has that order.
       */
      waiting: int().notNull(),
      key: text(),
      has_thumb: flag().notNull(),
      bundle_index: text(),
      created_by: text().notNull(),
      /** The voter that uploaded it; null in rows older than this column. */
      uploader: text(),
      /** The variant set, by its name within the project. */
      set: text(),
      created_at: int().notNull(),
      reviewed_by: text(),
      reviewed_at: int(),
      review_note: text(),
      public_url: text(),
      expires_at: int(),
      tags: json().$type<string[]>().notNull(),
      run_id: text(),
      /** The asset as the API returns it, without signed URLs; null in rows older than this column. */
      wire: text(),
    }),
    ...defineRunTables(kit),
    ...defineBudgetTables(kit),
    ...defineTelemetryTables(kit),
    ...defineWebhookTables(kit),
    ...defineReviewTables(kit),
    ...defineShareTables(kit),
    ...defineAnnotationTables(kit),
    ...defineVerdictTables(kit),
    ...defineProvenanceTables(kit),
    uploads: table("uploads", {
      id: text().primaryKey(),
      project: text().notNull(),
      key: text().notNull(),
      content_type: text().notNull(),
      size: int(),
      sha256: text(),
      expires_at: int().notNull(),
      length: int(),
      token: text(),
      multipart_id: text(),
      is_final: flag().notNull().default(false),
    }),
    upload_segments: table("upload_segments", {
      upload_id: text().notNull(),
      position: int().notNull(),
      size: int().notNull(),
      name: text().notNull(),
      sha256: text().notNull(),
    }),
    outbox: defineOutbox(kit),
  };
}

export const sqliteTables = defineTables(sqliteColumns);
export const postgresTables = defineTables(postgresColumns);
export type Tables = typeof sqliteTables;
