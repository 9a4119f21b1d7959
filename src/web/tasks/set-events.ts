/** The events of a task, with those about the variants of one set as one. */

import type { Event } from "../../feed/schema.ts";
import { assetIdOf } from "../../library/assets/page-url.ts";
import type { Asset } from "../../library/assets/schema.ts";
import { waitingSetText } from "../../library/review-queue/text.ts";
import { groupBySet } from "../../library/variant-sets/group.ts";
import { decisionOf } from "../../library/verdicts/text.ts";
import { setPath } from "../../memory/set-ref.ts";
import type { ListedEvent } from "../feed/event-rows.tsx";

/**
 * Events of one kind, and reviews with one verdict, about several variants of a set become one, at the place
 * of the newest.
 * @param events newest first
 * @param assets of the task
 */
export function foldSetEvents(events: readonly Event[], assets: readonly Asset[]): ListedEvent[] {
  const setOf = new Map(groupBySet(assets).sets.flatMap((of) => of.variants.map(({ id }) => [id, of])));
  const groups = Map.groupBy(events, (event) => {
    const set = setOf.get(assetIdOf(event.url) ?? "")?.set;
    return JSON.stringify(set === undefined ? event.id : [set, event.kind, decisionOf(event)]);
  });
  return [...groups.values()].flatMap(([newest, ...older]) => {
    const of = setOf.get(assetIdOf(newest?.url ?? null) ?? "");
    if (!newest || !of || older.length === 0) return newest ?? [];
    const count = new Set([newest, ...older].map(({ url }) => url)).size;
    const verdict = decisionOf(newest);
    const summary = `${waitingSetText({ set: of.set, count })}${verdict ? ` ${verdict}` : ""}`;
    return { ...newest, summary, page: setPath(of.project, of.set) };
  });
}
