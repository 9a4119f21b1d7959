/**
 * What follows from the days of a range for each project: a process remembers it until an event of the
 * project, so that a report looks up one value for each, not one for each day.
 */
import type { Session } from "../../engine/session.ts";
import { readFeedHead } from "../head.ts";
import type { RangeKind, RangeValues } from "./day-cache.ts";
import { dropChanged } from "./remembered-days.ts";

export interface RememberedRanges<Kind extends RangeKind> {
  /** Projects that have something. */
  found: ReadonlyMap<string, RangeValues[Kind]>;
  /** Whether events are pending that they lack. */
  isPending: boolean;
}

/**
 * @param name of the range, and of what else distinguishes values of it
 * @param read reads the values of projects that are not remembered
 */
export async function readRememberedRanges<Kind extends RangeKind>(
  session: Session,
  kind: Kind,
  slugs: readonly string[],
  name: string,
  read: (slugs: string[]) => Promise<ReadonlyMap<string, RangeValues[Kind]>>,
  none: RangeValues[Kind],
): Promise<RememberedRanges<Kind>> {
  const { daySums } = session;
  const head = await readFeedHead(session);
  const version = await dropChanged(session, head);
  const found = new Map<string, RangeValues[Kind]>();
  const missing: string[] = [];
  for (const slug of slugs) {
    const value = version ? daySums.rangeOf(kind, slug, name) : undefined;
    if (value === undefined) missing.push(slug);
    else if (value !== none) found.set(slug, value);
  }
  if (missing.length > 0) {
    const values = await read(missing);
    const isCurrent = version !== null && daySums.version === version;
    for (const slug of missing) {
      const value = values.get(slug) ?? none;
      if (isCurrent) daySums.setRange(kind, slug, name, value);
      if (value !== none) found.set(slug, value);
    }
  }
  return { found, isPending: head.derived < head.id };
}
