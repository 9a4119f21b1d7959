/** The rows of decisions, preferences, guidance, and search results, with times in microseconds. */

import type { Micros } from "../core/lib/time.ts";
import type { UsageRow } from "../feed/rows.ts";
import type { EventRow } from "../feed/schema.ts";
import type { Check } from "./checks/schema.ts";
import type { Decision, MemoryKind, Model, Standing } from "./schema.ts";

/** A decision with its author. `stops`: how often its checks stopped something. */
export type DecisionRow = Omit<Decision, "valid_from"> & {
  actor: string;
  valid_from: Micros;
  checks: Check[] | null;
  stops: number;
};

/** A decision that stands, as a brief shows it. */
export type ConfirmedDecision = Pick<DecisionRow, "id" | "valid_from" | "actor" | "text">;
export type DecisionHistoryRow = DecisionRow & { valid_until: Micros | null; supersedes: number | null };

/** A confirmed decision that an agent alone ended. */
export type HeldRow = DecisionHistoryRow & { held_at: Micros };

/** The files that a decision speaks of, as JSON, and what was reported of them. */
export interface AnchoredRow {
  id: number;
  anchors: string;
  valid_from: Micros;
  /** The time of the newest commit in which they were looked for. */
  anchors_at: Micros | null;
  /** Since when all of them are gone. */
  gone_at: Micros | null;
}

/** It is confirmed unless it says otherwise. */
export type NewDecision = Omit<DecisionRow, "id" | "run_id" | "standing" | "checks" | "stops"> & {
  supersedes?: number;
  run_id?: string;
  standing?: Standing;
  /** The ids of the decisions that it contradicts, separated by spaces. */
  contradicts?: string | null;
  checks?: Check[] | null;
  stops?: number;
  /** What it speaks of in the repository, as JSON. */
  anchors?: string | null;
};

/** The current value of a key; `project` is null for a global preference. */
export interface PreferenceRow {
  id: number;
  project: string | null;
  key: string;
  value: string;
  source: string;
  source_ref: string | null;
  actor: string;
  valid_from: Micros;
}

export type NewPreference = Omit<PreferenceRow, "id">;

/** The note of an approving review. */
export interface NewNote {
  project: string;
  asset: string;
  title: string;
  text: string;
  actor: string;
  valid_from: Micros;
}

/** A section of a vendor's guidance: the headings above it, and its text. */
export interface GuidanceSection {
  file: string;
  path: string[];
  text: string;
}

export type GuidanceRow = GuidanceSection & {
  id: number;
  model: string;
  source: string;
  refreshed_at: Micros;
};

/** A search expression: a term, a prefix, or a conjunction or disjunction of expressions. */
export type Match = { term: string; prefix?: true } | { all: Match[] } | { any: Match[] };

export interface SearchQuery {
  match: Match;
  /** Rows of this project and global ones. */
  project?: string;
  model?: string;
  /** Rows that were current at this time; absent: that are current now. */
  asOf?: Micros;
  /** Rows of this time: from the first to before the second. */
  from?: Micros;
  until?: Micros;
  /** Decisions only: true selects notes of rejections, false excludes them. */
  reviews?: boolean;
  /** "newest of few" returns the same as "newest", and says that few rows have the match. */
  order: "likeness" | "newest" | "newest of few";
  /** The part of `match` used for ranking, when its other terms are very frequent; absent: all of it. */
  rank?: Match;
  limit: number;
}

/** A search result of any kind. */
export interface SearchHit {
  kind: MemoryKind;
  id: number;
  project: string | null;
  /** The heading: a key, a path of headings, or a title. */
  head: string;
  /** For a rejection, further text of its asset: description, tags, issue. */
  about: string;
  text: string;
  source: string;
  source_ref: string | null;
  actor: string;
  valid_from: Micros;
  valid_until: Micros | null;
  /** Of a decision. */
  standing?: Standing;
  /** Of a decision: since when the files that it speaks of are gone. */
  gone_at?: Micros | null;
  /** Of an event: what it belongs to. */
  event?: Pick<EventRow, "issue" | "task" | "pr" | "run_id">;
}

export type ModelRow = Pick<Model, "id" | "provider" | "lanes" | "guidance_count" | "skill_count"> & {
  onboarded_at: Micros | null;
  refreshed_at: Micros | null;
};

/** The totals of one project and UTC day. */
export type DigestRow = Omit<UsageRow, "project" | "lane" | "model">;
