/** Adds annotations and replies. */
import { ulid } from "ulid";
import { actorOf } from "../../core/auth/actor.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { readerOf } from "../../core/auth/reader.ts";
import { badRequest, conflict, noAsset } from "../../core/problem.ts";
import type { LibraryContext, LibraryRule } from "../context.ts";
import type { LibraryWrites } from "../port.ts";
import type { AssetRow } from "../rows.ts";
import { toAnnotation } from "./rendered-annotation.ts";
import type { AnnotateInput } from "./requests.ts";
import type { AnnotationRow } from "./rows.ts";
import {
  appendAnnotationEvent,
  isVisible,
  noAnnotation,
  originOf,
  requireRoom,
  requireText,
} from "./rule.ts";
import type { Annotation } from "./schema.ts";
import { checkTarget } from "./target.ts";
import { annotationLine } from "./text.ts";

/**
 * Adds an annotation to a version, or a reply to a thread; with an event, unless it is a draft.
 * @throws {Problem} 400 for an impossible place or beyond 1,000 annotations, 404 for an unknown asset or
 *   thread, 409 if the asset has another file or was replaced
 */
export const annotate: LibraryRule<AnnotateInput, Annotation> = async (
  ctx,
  { id, draft = false, sha256, by, parent_id, ...given },
  caller,
) => {
  const author = actorOf(caller, by);
  requireText(given.body);
  const target = given.target === undefined ? null : checkTarget(given.target);
  const row = await ctx.data.atomically(async (writes) => {
    const asset = await writes.asset(caller.projects, id);
    if (!asset) throw noAsset(id);
    if (sha256 !== undefined && sha256 !== asset.sha256)
      throw conflict("The sha256 does not match this asset's file. Reload the asset and look at it again.");
    const common = {
      body: given.body,
      by: author,
      reader: readerOf(caller) ?? author,
      origin: originOf(caller),
    };
    const state = draft ? ("draft" as const) : ("open" as const);
    const added = { ...(await newRow(writes, asset)), ...common, state, created_at: ctx.now() };
    const row =
      parent_id === undefined
        ? { ...added, ...rootFields(asset, target, given.weight) }
        : { ...added, ...replyFields(await requireThread(writes, parent_id, asset, caller), target) };
    await writes.addAnnotation(row);
    if (!draft) await appendCommented(ctx, writes, asset, row);
    return row;
  });
  return toAnnotation(row);
};

/** Appends the event of an annotation or a reply that is no draft. */
export const appendCommented = (
  ctx: LibraryContext,
  writes: LibraryWrites,
  asset: AssetRow,
  row: AnnotationRow,
) =>
  appendAnnotationEvent(ctx, writes, "asset.commented", asset, row.by, {
    before: row.parent_id === null ? "Annotated" : "Replied on",
    after: `: ${annotationLine(row)}`,
  });

/** The columns that annotations and replies share. @throws {Problem} 400 if the version is full */
export async function newRow(writes: LibraryWrites, asset: AssetRow) {
  const last = await requireRoom(writes, asset);
  return {
    id: ulid(),
    n: last + 1,
    project: asset.project,
    chain: asset.root_id,
    asset_id: asset.id,
    version: asset.version,
    sha256: asset.sha256,
    parent_id: null,
    target: null,
    weight: "must" as const,
    state_by: null,
    state_at: null,
    addressed_in: null,
    honoured_version: null,
    reopened: 0,
    urgent_at: null,
  };
}

function rootFields(
  asset: AssetRow,
  target: AnnotationRow["target"],
  weight: AnnotationRow["weight"] = "must",
) {
  if (asset.status === "superseded")
    throw conflict("A newer version has replaced this one. Annotate the new version, or reply to a thread.");
  return { target, weight };
}

/** A reply has the number and weight of its thread. @throws {Problem} 400 with a place */
export function replyFields({ id, n, weight }: AnnotationRow, target: AnnotationRow["target"] = null) {
  if (target) throw badRequest("A reply has no target: it belongs to the place of its thread.");
  return { parent_id: id, n, weight };
}

async function requireThread(
  writes: LibraryWrites,
  id: string,
  asset: AssetRow,
  caller: Caller,
): Promise<AnnotationRow> {
  const found = await writes.annotation(caller.projects, id);
  if (!found || found.chain !== asset.root_id || !isVisible(found, caller)) throw noAnnotation(id);
  if (found.parent_id === null) return found;
  return (await writes.annotation(null, found.parent_id)) as AnnotationRow; // safe because: threads stay
}
