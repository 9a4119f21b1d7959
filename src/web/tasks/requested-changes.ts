/** What reviewers asked of each attempt, and what became of it. */

import type { Annotation, AnnotationList } from "../../library/annotations/schema.ts";
import { listAnnotations } from "../../library/operations/annotations.ts";
import type { Attempt, AttemptChain } from "../../overview/tasks/attempts.ts";
import { callOperation, type View } from "../view.ts";

/** The annotations of a version by its id, without drafts and replies. */
export type RequestedChanges = ReadonlyMap<string, Annotation[]>;

/** The newest chains of versions are looked at, and the first annotations of each. */
const [chainsMax, annotationsMax] = [20, 200];

export async function loadChanges(view: View, chains: AttemptChain[]): Promise<RequestedChanges> {
  const newest = chains.slice(-chainsMax).flatMap(({ attempts }) => attempts.at(-1) ?? []);
  const lists = await Promise.all(
    newest.map(({ asset: { id } }) =>
      callOperation<AnnotationList>(view, listAnnotations, { id, scope: "chain", limit: annotationsMax }),
    ),
  );
  const shown = lists
    .flatMap(({ annotations }) => annotations)
    .filter(({ parent_id, state }) => parent_id === null && state !== "draft" && state !== "withdrawn");
  return Map.groupBy(shown, ({ asset_id }) => asset_id);
}

/** `ignored`: a later version came, and its maker does not say that it is done. */
export type Outcome = "honored" | "addressed" | "reopened" | "ignored" | "open";

export function outcomeOf({ state, reopened }: Annotation, { next }: Pick<Attempt, "next">): Outcome {
  if (state === "honoured") return "honored";
  if (state === "addressed") return state;
  if (reopened > 0) return "reopened";
  return next ? "ignored" : "open";
}

export interface ChangeCounts {
  all: number;
  honored: number;
  ignored: number;
}

export function countChanges(chains: AttemptChain[], changes: RequestedChanges): ChangeCounts {
  const outcomes = chains.flatMap(({ attempts }) =>
    attempts.flatMap((attempt) =>
      (changes.get(attempt.asset.id) ?? []).map((one) => outcomeOf(one, attempt)),
    ),
  );
  const count = (outcome: Outcome) => outcomes.filter((one) => one === outcome).length;
  return { all: outcomes.length, honored: count("honored"), ignored: count("ignored") };
}
