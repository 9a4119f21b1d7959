/** What decisions speak of in the repository. Clients compare it with a checkout. */
import { fromMicros } from "../core/lib/time.ts";
import type { Anchor, AnchorInput } from "./anchor-schema.ts";
import type { MemoryReads } from "./port.ts";
import type { DecisionRow } from "./rows.ts";

/** Decisions with anchors that are read: the newest of a project. */
const readMax = 500;
/** Anchors that a brief names. */
const briefMax = 100;

/** The anchors of these decisions of a project, as far as they are current. */
export async function anchorsOf(
  data: MemoryReads,
  project: DecisionRow["project"],
  ids: readonly number[],
): Promise<Anchor[]> {
  const wanted = new Set(ids);
  const rows = await data.anchors(project, readMax);
  return rows
    .filter(({ id }) => wanted.has(id))
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
    .slice(0, briefMax);
}
