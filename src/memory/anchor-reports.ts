/** What checkouts report of the files that decisions speak of, and how a person changes those files. */
import { fromMicros, type Micros, toMicros } from "../core/lib/time.ts";
import { conflict } from "../core/problem.ts";
import { requireProject } from "../feed/projects/projects.ts";
import type { AnchorInput, AnchorReport, AnchorsInput, AnchorsReported } from "./anchor-schema.ts";
import { anchoredMax } from "./anchors.ts";
import type { MemoryRule } from "./context.ts";
import { requireDecision, toRecord } from "./decision-history.ts";
import type { DecisionRecord } from "./list-schemas.ts";
import type { AnchoredRow } from "./rows.ts";

const keyOf = ({ path, symbol }: { path: string; symbol?: string | null }): string =>
  JSON.stringify([path, symbol ?? null]);

/**
 * Remembers which decisions speak of nothing that is left on the default branch. A commit that is older than
 * the newest one reported, or than the decision, says nothing of it, nor does a part of its files.
 * @throws 404 for an unknown project
 */
export const reportAnchors: MemoryRule<AnchorReport, AnchorsReported> = async (
  ctx,
  { slug, at, repo = null, anchors },
  caller,
) => {
  const project = await requireProject(ctx.data, slug, caller);
  const none = { taken: 0, gone: [] };
  // Without a repository to compare, a report that finds nothing may come from another project's checkout.
  const isOther = repo !== null && project.repo.toLowerCase() !== repo.toLowerCase();
  if (isOther || (repo === null && anchors.every(({ blob }) => blob === null))) return none;
  const time = toMicros(at);
  if (time > ctx.now()) return none;
  const given = Map.groupBy(anchors, ({ decision }) => decision);
  return ctx.data.atomically(async (writes) => {
    const rows = await writes.anchors(slug, anchoredMax);
    const news = rows.flatMap((row) => judge(row, given.get(row.id) ?? [], time));
    for (const { id, gone_at } of news) await writes.setGone(id, { anchors_at: time, gone_at });
    const gone = news.filter(({ gone_at }) => gone_at !== null);
    return { taken: news.length, gone: gone.map(({ id }) => id) };
  });
};

function judge(
  { id, anchors, valid_from, anchors_at, gone_at }: AnchoredRow,
  given: AnchorReport["anchors"],
  time: Micros,
): { id: number; gone_at: Micros | null }[] {
  if (time <= valid_from || time <= (anchors_at ?? 0)) return [];
  const blobs = new Map(given.map((anchor) => [keyOf(anchor), anchor.blob]));
  const now = (JSON.parse(anchors) as AnchorInput[]).map((anchor) => blobs.get(keyOf(anchor)));
  if (now.includes(undefined)) return [];
  return [{ id, gone_at: now.every((blob) => blob === null) ? (gone_at ?? time) : null }];
}

/**
 * Replaces the files that a decision speaks of, as a person; none keeps it for what its words say.
 * @throws 404 for an unknown decision, 409 if it is not current
 */
export const setAnchors: MemoryRule<AnchorsInput, DecisionRecord> = async (ctx, { id, anchors }, caller) => {
  await requireDecision(ctx.data, id, caller);
  return ctx.data.atomically(async (writes) => {
    const row = await writes.decision(null, id);
    if (!row || row.valid_until !== null)
      throw conflict(`Decision ${id} is not current: it was already replaced or retired.`);
    await writes.setAnchors(id, anchors.length > 0 ? JSON.stringify(anchors) : null);
    return toRecord(row);
  });
};

/** Since when nothing is left of what a decision speaks of; null while something is. */
export const goneSince = ({ gone_at }: Pick<AnchoredRow, "gone_at">): string | null =>
  gone_at === null ? null : fromMicros(gone_at);
