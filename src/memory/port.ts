/** The reads of decisions, preferences, and what consolidation has summarized. Part of the data port. */

import type { Micros } from "../core/lib/time.ts";
import type { TransactionOptions } from "../core/port.ts";
import type { Projects } from "../core/rows.ts";
import type { FeedData, FeedReads, FeedWrites } from "../feed/port.ts";
import type { UsageRow } from "../feed/rows.ts";
import type { AnchorInput } from "./anchor-schema.ts";
import type { Check } from "./checks/schema.ts";
import type {
  AnchoredRow,
  ConfirmedDecision,
  DecisionHistoryRow,
  DecisionRow,
  DigestRow,
  GuidanceRow,
  GuidanceSection,
  HeldRow,
  Match,
  ModelRow,
  NewDecision,
  NewNote,
  NewPreference,
  PreferenceRow,
  SearchHit,
  SearchQuery,
} from "./rows.ts";
import type { DecisionPosition, DecisionStatus, MemoryKind } from "./schema.ts";

/** What a search of memory reads. */
export type RecallReads = Pick<
  MemoryReads,
  | "countMatches"
  | "decisions"
  | "feed"
  | "findSimilarWords"
  | "preferences"
  | "project"
  | "search"
  | "textLanguages"
>;

export interface MemoryReads extends FeedReads {
  models(): Promise<ModelRow[]>;
  /** Guidance sections of a model, sorted by source, in document order. */
  guidance(model: string, limit: number): Promise<GuidanceRow[]>;
  /**
   * Full-text search: the best matches by the database's own ranking, or the newest. Of events, those are
   * found that were appended before the last `countMatches`, which comes first.
   */
  search(projects: Projects, kind: MemoryKind, query: SearchQuery): Promise<SearchHit[]>;
  /** For each match, the number of visible rows of each kind that it finds, counted up to `max`. */
  countMatches(projects: Projects, matches: Match[], max: number): Promise<Record<MemoryKind, number>[]>;
  /** For each match, the number of decisions of the project that have it, counted up to `max`. */
  countDecisions(project: string, matches: Match[], max: number): Promise<number[]>;
  /** The languages apart from English that searchable texts are written in (ISO 639-1). */
  textLanguages(): Promise<string[]>;
  /**
   * Typo candidates: visible words that share trigrams with `grams`, those that share most first. As
   * `search`, it follows `countMatches`.
   */
  findSimilarWords(projects: Projects, grams: string[], limit: number): Promise<string[]>;

  /** Decisions that are neither superseded nor retired, newest first. */
  currentDecisions(project: string, limit: number): Promise<DecisionRow[]>;
  /** Those of them that stand, apart from rejections. */
  confirmedDecisions(project: string, limit: number): Promise<ConfirmedDecision[]>;
  /** With the status at `asOf`, or now; newest first. Keyset page after `after`. */
  decisions(
    projects: Projects,
    page: { status: DecisionStatus; asOf?: Micros; limit: number; after?: DecisionPosition },
  ): Promise<DecisionHistoryRow[]>;
  /** Null when the decision does not exist or the caller may not read it. */
  decision(projects: Projects, id: number): Promise<DecisionHistoryRow | null>;
  /** Those of these that the caller may read. */
  decisionsById(projects: Projects, ids: readonly number[]): Promise<DecisionHistoryRow[]>;
  /** Current decisions that agents proposed, newest first. */
  proposedDecisions(projects: Projects, limit: number): Promise<DecisionRow[]>;
  /** Current, confirmed decisions with checks, newest first. */
  checkedDecisions(project: string, limit: number): Promise<DecisionRow[]>;
  /**
   * Confirmed decisions that an agent alone ended, and since when; their checks are in force. Newest first.
   */
  heldDecisions(projects: Projects, limit: number): Promise<HeldRow[]>;
  /** The decision that replaced this one. */
  decisionReplacing(id: number): Promise<DecisionHistoryRow | null>;
  /** Decisions that a current one replaced directly; `by` is the id of the current one. */
  supersededDecisions(project: string): Promise<(DecisionRow & { by: number })[]>;
  /** The current decision of the project with exactly this text. Notes of reviews are not considered. */
  decisionByText(project: string, text: string): Promise<DecisionRow | null>;
  /** Current decisions of the project that contradict others, newest first, and the ids of those. */
  contradictions(project: string, limit: number): Promise<{ id: number; contradicts: string }[]>;
  /** Current decisions of the project with anchors, newest first: the anchors as JSON. */
  anchors(project: string, limit: number): Promise<AnchoredRow[]>;
  /** Current, confirmed decisions that speak of nothing that is left, the one that lost it last first. */
  goneDecisions(projects: Projects, limit: number): Promise<(DecisionRow & AnchoredRow)[]>;
  /** Current preferences of the project and global ones, sorted by key; the project's own value first. */
  preferences(project: string | null): Promise<PreferenceRow[]>;
  /** Usage that has been summarized into memory, newest day first. */
  rollups(project: string, limit: number): Promise<UsageRow[]>;
  /** Summarized usage, added up per UTC day: the newest days before `before`, or all. */
  digests(project: string, page: { before?: string; limit: number }): Promise<DigestRow[]>;
}

export interface MemoryWrites extends MemoryReads, FeedWrites {
  /** Null when `supersedes` is not a current decision of the project. */
  addDecision(decision: NewDecision): Promise<DecisionRow | null>;
  /** What a decision speaks of, also if it is not current. */
  decisionAnchors(id: number): Promise<AnchorInput[]>;
  /** Replaces the anchors of a decision: JSON, or null for none. Nothing is known of the new ones. */
  setAnchors(id: number, anchors: string | null): Promise<void>;
  /** Stores what was reported of the anchors of a decision. */
  setGone(id: number, reported: Pick<AnchoredRow, "anchors_at" | "gone_at">): Promise<void>;
  /** Confirms a proposed decision. */
  confirmDecision(id: number): Promise<void>;
  /** Keeps the checks of an ended decision in force since a time; null: no longer. */
  setHeld(id: number, since: Micros | null): Promise<void>;
  /** Replaces the checks of a decision. */
  setChecks(id: number, checks: Check[]): Promise<void>;
  /** Adds to how often the checks of a decision stopped something. @returns how often by now */
  countStops(id: number, added: number): Promise<number>;
  /**
   * Ends a current decision of the project, or those from a source, without replacing them; they stay in the
   * history. @returns how many
   */
  retireDecisions(
    project: string,
    which: Pick<DecisionRow, "id"> | Pick<DecisionRow, "source" | "source_ref">,
    at: Micros,
  ): Promise<number>;
  /** Sets a preference and ends the previous value. An equal value changes nothing. */
  setPreference(preference: NewPreference): Promise<{ preference: PreferenceRow; changed: boolean }>;
  addNote(note: NewNote): Promise<void>;
  /** Ends the notes of approving reviews of this asset. */
  retireNotes(asset: string, at: Micros): Promise<void>;
  saveModel(model: ModelRow): Promise<void>;
  /** Replaces the guidance of a model from one source, and updates the model's counts and refresh time. */
  saveGuidance(model: string, source: string, sections: GuidanceSection[], at: Micros): Promise<void>;
  /** Copies usage rows that changed since they were last summarized. @returns how many, at most `limit` */
  summarizeUsage(project: string, limit: number): Promise<number>;
  /** Stores how many of the project's events have been summarized into memory. */
  setDigestedCount(project: string, events: number): Promise<void>;
}

export interface MemoryData extends MemoryReads, FeedData {
  atomically<T>(work: (writes: MemoryWrites) => Promise<T>, options?: TransactionOptions): Promise<T>;
}
