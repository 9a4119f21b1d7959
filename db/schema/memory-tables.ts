/** The tables of project memory: what is remembered, and the index of recall. */
import type { Check } from "../../src/memory/checks/schema.ts";
import type { MemoryKind, Standing } from "../../src/memory/schema.ts";
import type { ColumnKit } from "./columns.ts";

export const defineMemoryTables = ({ table, serial, int, text, json }: ColumnKit) => ({
  decisions: table("decisions", () => ({
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
    standing: text().$type<Standing>().notNull().default("confirmed"),
    contradicts: text(),
    checks: json().$type<Check[]>(),
    stops: int().notNull().default(0),
    anchors: text(),
    anchors_at: int(),
    gone_at: int(),
    held_at: int(),
  })),
  preferences: table("preferences", () => ({
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
  })),
  /** Notes of approving reviews; the note of a rejection becomes a decision. */
  notes: table("notes", () => ({
    id: serial(),
    project: text().notNull(),
    asset: text().notNull(),
    title: text().notNull(),
    text: text().notNull(),
    actor: text().notNull(),
    valid_from: int().notNull(),
    valid_until: int(),
  })),
  /** Sections of the vendors' guidance for their models; `place` is the order in the source. */
  guidance: table("guidance", () => ({
    id: serial(),
    model: text().notNull(),
    source: text().notNull(),
    file: text().notNull(),
    place: int().notNull(),
    path: json().$type<string[]>().notNull(),
    text: text().notNull(),
    refreshed_at: int().notNull(),
  })),
  models: table("models", () => ({
    id: text().primaryKey(),
    provider: text().notNull(),
    lanes: json().$type<string[]>().notNull(),
    onboarded_at: int(),
    refreshed_at: int(),
    guidance_count: int().notNull().default(0),
    skill_count: int().notNull().default(0),
  })),
  /** The analyzer version of each recall index; documents with ids below `pending` have older terms. */
  recall_indexes: table("recall_indexes", () => ({
    kind: text().$type<MemoryKind>().primaryKey(),
    analyzer: int(),
    pending: int(),
    changed_at: int().notNull(),
  })),
  /** The vocabulary of recall: every indexed word. */
  words: table("words", () => ({ form: text().primaryKey() })),
  /** Trigram index of words with four or more letters, for typo candidates. */
  word_grams: table("word_grams", () => ({ gram: text().notNull(), form: text().notNull() })),
  /** The words of each audience: readers of a project, or "" for all callers. */
  project_words: table("project_words", () => ({ project: text().notNull(), form: text().notNull() })),
  /** The languages apart from English that indexed texts are written in. */
  text_languages: table("text_languages", () => ({ code: text().primaryKey() })),
});
