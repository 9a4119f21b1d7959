/** Loads the annotations that a page shows of one version. */

import type { Weight } from "../../files/probe/marks/schema.ts";
import { type Annotation, type AnnotationList, unsettledStates } from "../../library/annotations/schema.ts";
import type { Asset } from "../../library/assets/schema.ts";
import { listAnnotations } from "../../library/operations/annotations.ts";
import { callOperation, type View } from "../view.ts";

/** Who sends a form without a token. */
export interface Sender {
  /** The name that they typed last, if it is not fixed. */
  name: string;
  /** The link was made for this person, so no other name can be typed. */
  isFixed: boolean;
}

/** What the visitor may do, and where the forms are posted to: the desk, or a share link. */
export interface AnnotationForms {
  action: string;
  csrf: string | null;
  /** Chosen before another one is. */
  weight: Weight;
  /** For people without a token. */
  sender?: Sender;
  /** May add annotations: not to a version that was replaced. */
  canAdd: boolean;
  canReply: boolean;
  /** May honor, reopen and withdraw. */
  canDecide: boolean;
  canRedact: boolean;
}

/** The annotations of a version, and those of earlier ones that are open. */
export interface AssetAnnotations {
  annotations: Annotation[];
  /** Reopened ones first, then by weight. */
  earlier: Annotation[];
  /** By the id of what they reply to. */
  replies: ReadonlyMap<string, Annotation[]>;
}

/** The page size of the operation. */
const limit = 200;

/** All annotations of a version: at most 1,000, because its viewer draws them all. */
export async function loadAssetAnnotations(
  view: Pick<View, "ctx" | "visitor">,
  asset: Pick<Asset, "id" | "status" | "version">,
): Promise<AssetAnnotations> {
  const isNewest = asset.status !== "superseded";
  const [own, open] = await Promise.all([
    loadPages(view, asset.id),
    isNewest && asset.version > 1 ? loadPage(view, { id: asset.id, scope: "open" }) : null,
  ]);
  const isEarlier = ({ version }: Annotation) => version < asset.version;
  return groupThreads([...own, ...(open?.annotations.filter(isEarlier) ?? [])], asset);
}

/** @param all those of a version with open ones of earlier versions, and their replies */
export function groupThreads(all: Annotation[], { version }: Pick<Asset, "version">): AssetAnnotations {
  const isThread = ({ parent_id }: Annotation) => parent_id === null;
  const threads = all.filter(isThread);
  return {
    annotations: threads.filter((annotation) => annotation.version >= version),
    earlier: threads.filter((annotation) => annotation.version < version),
    replies: Map.groupBy(
      all.filter((annotation) => !isThread(annotation)),
      ({ parent_id }) => parent_id as string,
    ),
  };
}

const loadPage = (view: Pick<View, "ctx" | "visitor">, query: Record<string, unknown>) =>
  callOperation<AnnotationList>(view, listAnnotations, { limit, ...query });

async function loadPages(view: Pick<View, "ctx" | "visitor">, id: string): Promise<Annotation[]> {
  const all: Annotation[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: AnnotationList = await loadPage(view, { id, cursor });
    all.push(...page.annotations);
    cursor = page.next_cursor;
  }
  return all;
}

const unsettled: readonly string[] = unsettledStates;

/** How many annotations a review takes along. */
export interface SentAnnotations {
  /** The visitor's own, not visible to others. */
  drafts: number;
  open: number;
}

export function countSent({ annotations }: AssetAnnotations): SentAnnotations {
  const drafts = annotations.filter(({ state }) => state === "draft").length;
  return { drafts, open: annotations.filter(({ state }) => unsettled.includes(state)).length };
}
