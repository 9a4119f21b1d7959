/** What decisions speak of in the repository. Clients compare it with a checkout. */
import { fromMicros } from "../core/lib/time.ts";
import { type Anchor, type AnchorInput, reportedMax } from "./anchor-schema.ts";
import type { MemoryReads } from "./port.ts";
import type { DecisionRow } from "./rows.ts";

/** Decisions with anchors that are read: the newest of a project. */
export const anchoredMax = 500;

/**
 * The anchors of these decisions of a project, as far as they are current.
 * @param withGone also of those whose files are gone, for a checkout that may have them again
 */
export async function anchorsOf(
  data: Pick<MemoryReads, "anchors">,
  project: DecisionRow["project"],
  ids: readonly number[],
  withGone = false,
): Promise<Anchor[]> {
  const wanted = new Set(ids);
  const rows = await data.anchors(project, anchoredMax);
  return rows
    .filter(({ id, gone_at }) => wanted.has(id) || (withGone && gone_at !== null))
    .flatMap(({ id: decision, anchors, valid_from }) =>
      (JSON.parse(anchors) as AnchorInput[]).map(
        ({ path, symbol = null, blob = null }): Anchor => ({
          decision,
          path,
          symbol,
          blob,
          since: fromMicros(valid_from),
        }),
      ),
    )
    .slice(0, reportedMax);
}
