/** The part of the data port that holds annotations. */
import type { Micros } from "../../core/lib/time.ts";
import type { Projects } from "../../core/rows.ts";
import { type Target, type Weight, weights } from "../../files/probe/marks/schema.ts";
import type { AssetRow } from "../rows.ts";
import type { Annotation, Origin, State } from "./schema.ts";

export type AnnotationRow = Omit<
  Annotation,
  "created_at" | "state_at" | "target" | "text" | "origin" | "state" | "weight"
> & {
  project: string;
  /** Id of the asset's first version. */
  chain: string;
  weight: Weight;
  origin: Origin;
  state: State;
  target: Target | null;
  created_at: Micros;
  state_at: Micros | null;
  /** Who may see it while it is a draft: see `readerOf`. */
  reader: string;
  /** When it was reopened, while briefs put it first. */
  urgent_at: Micros | null;
};

/** What a change of state, or of a draft, can set. */
export type AnnotationChange = Partial<
  Pick<
    AnnotationRow,
    | "body"
    | "weight"
    | "target"
    | "state"
    | "state_by"
    | "state_at"
    | "addressed_in"
    | "reopened"
    | "honoured_version"
    | "urgent_at"
  >
>;

/** The version, or all versions, whose annotations are meant. */
export type AnnotationScope = Pick<AnnotationRow, "asset_id"> | Pick<AnnotationRow, "chain">;

/** An annotation with its asset. */
export type UrgentAnnotation = AnnotationRow & { urgent_at: Micros } & {
  asset: Pick<AssetRow, "id" | "title" | "version" | "status" | "issue" | "pr">;
};

/**
 * The place among the unsettled annotations of a chain: reopened ones come first, then those of greater
 * weight.
 */
export const rankOf = ({ reopened, weight }: Pick<AnnotationRow, "reopened" | "weight">): number =>
  (reopened > 0 ? 0 : weights.length) + weights.indexOf(weight);

export interface AnnotationReads {
  annotation(projects: Projects, id: string): Promise<AnnotationRow | null>;
  /** The annotation with this number in a chain, not its replies. */
  annotationByNumber(chain: string, n: number): Promise<AnnotationRow | null>;
  /**
   * Annotations and replies by number, each thread from its start; drafts only of this reader.
   * @param page `after` is the position of the last row of the page before
   */
  annotations(
    scope: AnnotationScope,
    reader: string | null,
    page: { limit: number; after?: Pick<AnnotationRow, "n" | "id"> },
  ): Promise<AnnotationRow[]>;
  /** The open and addressed annotations of all versions, without replies: sorted by rank and number. */
  unsettledAnnotations(
    chain: string,
    page: { limit: number; after?: { rank: number; n: number } },
  ): Promise<AnnotationRow[]>;
  countUnsettled(chain: string): Promise<number>;
  /** The newest replies to these annotations, oldest first. */
  annotationReplies(parents: readonly string[], limit: number): Promise<AnnotationRow[]>;
  /** Reopened annotations that briefs of the project put first, the newest first. */
  urgentAnnotations(project: string, limit: number): Promise<UrgentAnnotation[]>;
  /**
   * The annotations in the chains of these assets that rejections carry no longer: they were confirmed,
   * withdrawn, or reopened, which puts them first. `of` is the asset that was asked for.
   */
  retiredAnnotations(assets: readonly string[], limit: number): Promise<(AnnotationRow & { of: string })[]>;
}

export interface AnnotationWrites {
  addAnnotation(row: AnnotationRow): Promise<void>;
  changeAnnotation(row: AnnotationRow, change: AnnotationChange): Promise<void>;
  /** Only for drafts: what others have seen stays. */
  removeAnnotation(id: string): Promise<void>;
  /** How many annotations and replies a version has, and the highest number in its chain; 0 without any. */
  annotationCounts(version: Pick<AnnotationRow, "asset_id" | "chain">): Promise<{ count: number; n: number }>;
  /** Opens the drafts of this reader on a version. @returns how many */
  publishDrafts(assetId: string, reader: string, opened: { by: string; at: Micros }): Promise<number>;
  /** Ends that briefs put the reopened annotations of a chain first. */
  endUrgency(chain: string): Promise<void>;
}
