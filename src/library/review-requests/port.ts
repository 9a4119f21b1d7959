/** The part of the data port that holds review requests. */
import type { Micros } from "../../core/lib/time.ts";
import type { Projects } from "../../core/rows.ts";
import type { AssetRow } from "../rows.ts";

/** An open review request: it is deleted when its asset is reviewed or replaced. */
export interface ReviewRequestRow {
  /** The id of the asset. */
  asset: string;
  project: string;
  /** Hash of the file that the reviewers are asked about. */
  sha256: string;
  asked_by: string;
  /** Names of tokens and roles; empty: everyone who can review. */
  reviewers: string[];
  question: string | null;
  due_at: Micros | null;
  created_at: Micros;
  /** When the next reminder is due; null when there are no more. */
  remind_at: Micros | null;
  /** How many reminders there have been. */
  reminders: number;
  reminded_at: Micros | null;
}

/** A request with its asset. */
export type ListedReviewRequest = ReviewRequestRow & Pick<AssetRow, "title" | "version" | "set">;

/** The review of an asset. */
export type ReviewState = Pick<
  AssetRow,
  "id" | "project" | "kind" | "status" | "sha256" | "reviewed_by" | "reviewed_at"
> & {
  note: string | null;
  /** The current decision that its rejection became. */
  decision_id: number | null;
};

export interface ReviewRequestReads {
  /** The reviews of these assets, in any order, without those that the caller may not read. */
  reviewStates(projects: Projects, ids: readonly string[]): Promise<ReviewState[]>;
  /** The open request of an asset; null when there is none. */
  reviewRequest(asset: string): Promise<ReviewRequestRow | null>;
  /**
   * Open requests for pending assets, the one due first at the front and those without a due time at the end.
   * @param of only those that ask one of these reviewers or everyone
   * @param dueBefore only those that are due before
   */
  reviewRequests(
    projects: Projects,
    query: { of?: readonly string[]; dueBefore?: Micros; limit: number },
  ): Promise<ListedReviewRequest[]>;
  /** Requests with a reminder that is due at `now`, oldest first. */
  dueReviewReminders(now: Micros, limit: number): Promise<ReviewRequestRow[]>;
}

export interface ReviewRequestWrites {
  /** Adds the request of an asset, or replaces it. */
  saveReviewRequest(request: ReviewRequestRow): Promise<void>;
  /** Ends the request of an asset, if there is one. */
  removeReviewRequest(asset: string): Promise<void>;
  /** Counts a reminder, and sets when the next one is due. */
  recordReviewReminder(asset: string, at: Micros, next: Micros | null): Promise<void>;
}
