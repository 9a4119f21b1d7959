/**
 * Every table, once, for both dialects. Instants are microseconds; columns that go out are named as on the
 * wire.
 */
import type { AssetKind, AssetStatus } from "../../src/assets/schema.ts";
import type { Scope } from "../../src/auth/scopes.ts";
import type { EventKind } from "../../src/feed/schema.ts";
import type { Via } from "../../src/rows.ts";
import { type ColumnKit, postgresColumns, sqliteColumns } from "./columns.ts";

function defineTables({ table, serial, int, real, text, flag, json }: ColumnKit) {
  const usage = () => ({
    tokens_in: int().notNull().default(0),
    tokens_out: int().notNull().default(0),
    cache_read: int().notNull().default(0),
    cache_write: int().notNull().default(0),
    cost_equiv: real().notNull().default(0),
  });
  const sums = () => ({
    project: text().notNull(),
    day: text().notNull(),
    lane: text().notNull(),
    model: text().notNull(),
    runs: int().notNull(),
    failures: int().notNull(),
    merges: int().notNull(),
    ...usage(),
  });
  return {
    /** Append-only. `ts` is the key, so the newest page is the end of the table itself. */
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
      duration_ms: int(),
      url: text(),
      dedupe_key: text(),
      delivery_id: text(),
      wire: text().notNull(),
      /** JSON text. A JSON column of Postgres refuses text that JSON allows. */
      payload: text(),
    }),
    /** What events are of, together; a project or lane that they do not name is "". */
    facets: table("facets", {
      id: serial(),
      project: text().notNull(),
      kind: text().$type<EventKind>().notNull(),
      actor: text().notNull(),
      lane: text().notNull(),
    }),
    /** Every event, in the list of its facet. */
    facet_events: table("facet_events", { facet: int().notNull(), ts: int().notNull() }),
    /** One row: the last event that is in the list of its facet. */
    listed: table("listed", { one: int().primaryKey(), id: int().notNull() }),
    /**
     * One row: the newest `ts` and the last `id` given out. Its lock on Postgres is the lock of all writers.
     */
    feed_head: table("feed_head", { one: int().primaryKey(), id: int().notNull(), ts: int().notNull() }),
    issues: table("issues", {
      project: text().notNull(),
      number: int().notNull(),
      ts: int().notNull(),
      open: flag().notNull(),
    }),
    usage: table("usage", sums()),
    /** What `svc consolidate` has folded of them into memory. */
    rollups: table("rollups", sums()),
    projects: table("projects", {
      slug: text().primaryKey(),
      repo: text().notNull(),
      /** At GitHub; null until a webhook names it. */
      repo_id: int(),
      stack: text(),
      summary: text(),
      check_cmd: text(),
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
      /** Set when it is superseded or retired. */
      valid_until: int(),
      supersedes: int(),
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
    /** What a review said that approved; the note of a rejection is a decision. */
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
    /** Sections of the vendors' own advice, in the order of their source. */
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
    /** Every word there is. */
    words: table("words", { form: text().primaryKey() }),
    /** Those of four letters and more, by their runs of three characters. */
    word_grams: table("word_grams", { gram: text().notNull(), form: text().notNull() }),
    /** Words by who may read the texts that have them: the callers of a project, or, by "", every caller. */
    project_words: table("project_words", { project: text().notNull(), form: text().notNull() }),
    settings: table("settings", { name: text().primaryKey(), value: text().notNull() }),
    tokens: table("tokens", {
      name: text().primaryKey(),
      hash: text().notNull(),
      scopes: json().$type<Scope[]>().notNull(),
      projects: json().$type<string[]>(),
      created_at: int().notNull(),
      expires_at: int(),
      revoked_at: int(),
      last_used_at: int(),
      previous_hash: text(),
      previous_until: int(),
    }),
    /**
     * Browsers that are signed in, by the hash of what their cookie holds. In no backup: who signed out must
     * not come back.
     */
    sessions: table("sessions", {
      hash: text().primaryKey(),
      actor: text().notNull(),
      /** Hash of the token that it was opened with, and ends with; null where it was opened without one. */
      token: text(),
      opened_at: int().notNull(),
      expires_at: int().notNull(),
    }),
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
      /** Refusals that have the same one are counted in one row. */
      slot: text(),
    }),
    /** The library: a row exists only when its bytes do. `root_id` names the chain. */
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
       * 1 while it is pending, else 0: the library is in the order of (waiting, created_at, id), backwards,
       * in every index.
       */
      waiting: int().notNull(),
      key: text(),
      has_thumb: flag().notNull(),
      bundle_index: text(),
      created_by: text().notNull(),
      created_at: int().notNull(),
      reviewed_by: text(),
      reviewed_at: int(),
      review_note: text(),
      public_url: text(),
      expires_at: int(),
      tags: json().$type<string[]>().notNull(),
      /** As it goes out, but for its signed addresses; null in a row from before there was this column. */
      wire: text(),
    }),
    uploads: table("uploads", {
      id: text().primaryKey(),
      project: text().notNull(),
      key: text().notNull(),
      content_type: text().notNull(),
      size: int(),
      sha256: text(),
      expires_at: int().notNull(),
    }),
    outbox: table("outbox", {
      id: serial(),
      marker: text().notNull(),
      repo: text().notNull(),
      number: int().notNull(),
      body: text().notNull(),
      attempts: int().notNull().default(0),
      due_at: int().notNull(),
      created_at: int().notNull(),
    }),
  };
}

export const sqliteTables = defineTables(sqliteColumns);
export const postgresTables = defineTables(postgresColumns);
export type Tables = typeof sqliteTables;
