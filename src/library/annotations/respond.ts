/** Responds to annotations as their author's colleague: an agent that made the changes, and says so. */

import { actorOf } from "../../core/auth/actor.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { readerOf } from "../../core/auth/reader.ts";
import { listWithAnd } from "../../core/lib/strings/word-list.ts";
import type { Micros } from "../../core/lib/time.ts";
import { badRequest, conflict, noAsset, notFound } from "../../core/problem.ts";
import { valuesOf } from "../../core/wire.ts";
import type { LibraryContext, LibraryRule } from "../context.ts";
import type { LibraryWrites } from "../port.ts";
import type { AssetRow } from "../rows.ts";
import { appendCommented, newRow, replyFields } from "./annotate.ts";
import { toAnnotation } from "./rendered-annotation.ts";
import type { RespondInput } from "./requests.ts";
import type { AnnotationChange, AnnotationRow } from "./rows.ts";
import { appendAnnotationEvent, isVisible, originOf, requireText } from "./rule.ts";
import type { AnnotationList } from "./schema.ts";

/**
 * Marks annotations as addressed in this version, or replies to one, or both. One event for all of them.
 * @returns the annotations as they are then, and the reply
 * @throws {Problem} 404 for an unknown asset or number, 409 for an annotation of this same file, or a settled
 *   one
 */
export const respond: LibraryRule<RespondInput, AnnotationList> = async (
  ctx,
  { id, n, state, reply, by },
  caller,
) => {
  const actor = actorOf(caller, by);
  const numbers = [...new Set(valuesOf(n))].toSorted((a, b) => a - b);
  if (numbers.length === 0) throw badRequest("n is empty. Name at least one annotation.");
  if (state === undefined && reply === undefined) throw badRequest("Give state, reply, or both.");
  if (reply !== undefined) requireText(reply, "reply");
  if (reply !== undefined && numbers.length > 1)
    throw badRequest("A reply belongs to one annotation. Name one, or leave out reply.");
  const rows = await ctx.data.atomically(async (writes) => {
    const asset = await writes.asset(caller.projects, id);
    if (!asset) throw noAsset(id);
    const found: AnnotationRow[] = [];
    for (const number of numbers) found.push(await requireNumber(writes, asset, number, caller));
    const changed = state === undefined ? found : await markAddressed(ctx, writes, asset, found, actor);
    if (reply === undefined) return changed;
    const thread = changed[0] as AnnotationRow; // safe because: there is one number
    const row = {
      ...(await newRow(writes, asset)),
      ...replyFields(thread),
      body: reply,
      by: actor,
      reader: readerOf(caller) ?? actor,
      origin: originOf(caller),
      state: "open" as const,
      created_at: ctx.now(),
    };
    await writes.addAnnotation(row);
    await appendCommented(ctx, writes, asset, row);
    return [...changed, row];
  });
  return { annotations: rows.map(toAnnotation), next_cursor: null };
};

async function requireNumber(
  writes: LibraryWrites,
  asset: AssetRow,
  n: number,
  caller: Caller,
): Promise<AnnotationRow> {
  const row = await writes.annotationByNumber(asset.root_id, n);
  if (row && isVisible(row, caller)) return row;
  throw notFound(`No annotation ${n} on asset '${asset.id}'. The open ones are listed with the asset.`);
}

async function markAddressed(
  ctx: LibraryContext,
  writes: LibraryWrites,
  asset: AssetRow,
  rows: AnnotationRow[],
  actor: string,
): Promise<AnnotationRow[]> {
  const at = ctx.now();
  const changes = rows.map((row) => ({ row, change: addressedChange(row, asset, actor, at) }));
  for (const { row, change } of changes) await writes.changeAnnotation(row, change);
  await appendAddressed(
    ctx,
    writes,
    asset,
    actor,
    rows.map(({ n }) => n),
  );
  return changes.map(({ row, change }) => ({ ...row, ...change }));
}

/** @throws {Problem} 409 if this version cannot address it */
export function addressedChange(
  row: AnnotationRow,
  version: AssetRow,
  actor: string,
  at: Micros,
): AnnotationChange {
  if (row.state === "draft")
    throw conflict(`Annotation ${row.n} is a draft. Only open ones can be addressed.`);
  if (row.state === "honoured" || row.state === "withdrawn")
    throw conflict(`Annotation ${row.n} is ${row.state}: there is nothing left to do.`);
  if (version.version <= row.version)
    throw conflict(
      `Annotation ${row.n} is about version ${row.version}. Upload a version that replaces it, and mark it ` +
        "addressed there.",
    );
  return { state: "addressed", state_by: actor, state_at: at, addressed_in: version.id, urgent_at: null };
}

/** Numbers in the summary of an event, which is one line. */
const numbersMax = 50;

/** Appends the event that tells which annotations were addressed. */
export function appendAddressed(
  ctx: LibraryContext,
  writes: LibraryWrites,
  asset: AssetRow,
  actor: string,
  numbers: number[],
): Promise<void> {
  const shown = numbers.slice(0, numbersMax).map(String);
  const more = numbers.length > numbersMax ? [`${numbers.length - numbersMax} more`] : [];
  const noun = numbers.length > 1 ? "annotations" : "annotation";
  const before = `Addressed ${noun} ${listWithAnd([...shown, ...more])} in`;
  return appendAnnotationEvent(ctx, writes, "asset.addressed", asset, actor, { before });
}
