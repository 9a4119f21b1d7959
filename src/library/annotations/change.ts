/** Changes the state of an annotation, or a draft. */
import { actorOf } from "../../core/auth/actor.ts";
import { badRequest, conflict } from "../../core/problem.ts";
import type { LibraryContext, LibraryRule } from "../context.ts";
import type { LibraryWrites } from "../port.ts";
import type { AssetRow } from "../rows.ts";
import { appendCommented } from "./annotate.ts";
import { toAnnotation } from "./rendered-annotation.ts";
import type { AnnotationChangeInput } from "./requests.ts";
import { addressedChange, appendAddressed } from "./respond.ts";
import type { AnnotationChange, AnnotationRow } from "./rows.ts";
import { appendAnnotationEvent, isVisible, noAnnotation, requireText } from "./rule.ts";
import type { Annotation, State } from "./schema.ts";
import { checkTarget } from "./target.ts";
import { annotationLine } from "./text.ts";

/**
 * Changes an annotation as a reviewer: its state, and while it is a draft everything. The same state again
 * changes nothing.
 * @throws {Problem} 404 for an unknown one and for another's draft, 409 for text that others have seen and
 *   for a state that cannot follow
 */
export const changeAnnotation: LibraryRule<AnnotationChangeInput, Annotation> = async (
  ctx,
  { id, state, by, ...edited },
  caller,
) => {
  const actor = actorOf(caller, by);
  const edit = checkEdit(edited);
  if (state === undefined && Object.keys(edit).length === 0)
    throw badRequest("Nothing to change: give state, body, weight or target.");
  const row = await ctx.data.atomically(async (writes) => {
    const found = await writes.annotation(caller.projects, id);
    if (!found || !isVisible(found, caller)) throw noAnnotation(id);
    if (Object.keys(edit).length > 0) requireEditable(found, edit);
    const current = { ...found, ...edit };
    const change = state === undefined ? {} : await stateChange(ctx, writes, current, state, actor);
    if (change === null) {
      await writes.removeAnnotation(id);
      return { ...current, state: "withdrawn" as const, state_by: actor, state_at: ctx.now() };
    }
    if (Object.keys({ ...edit, ...change }).length > 0)
      await writes.changeAnnotation(found, { ...edit, ...change });
    return { ...current, ...change };
  });
  return toAnnotation(row);
};

type Edit = Partial<Pick<AnnotationRow, "body" | "weight" | "target">>;

function checkEdit({ body, weight, target }: Omit<AnnotationChangeInput, "id" | "state" | "by">): Edit {
  if (body !== undefined) requireText(body);
  return {
    ...(body !== undefined && { body }),
    ...(weight !== undefined && { weight }),
    ...(target !== undefined && { target: target && checkTarget(target) }),
  };
}

function requireEditable({ state, parent_id }: AnnotationRow, { weight, target }: Edit): void {
  if (state !== "draft")
    throw conflict("Only drafts can be edited. Withdraw this annotation and add a new one, or reply to it.");
  if (parent_id !== null && (weight !== undefined || target !== undefined))
    throw badRequest("A reply has no weight or target: those of its thread apply.");
}

/** The change of a state, with its event; null deletes a draft. @throws {Problem} 409 if it cannot follow */
async function stateChange(
  ctx: LibraryContext,
  writes: LibraryWrites,
  row: AnnotationRow,
  state: Exclude<State, "draft">,
  actor: string,
): Promise<AnnotationChange | null> {
  if (state === row.state && state !== "addressed") return {};
  const set = { state, state_by: actor, state_at: ctx.now() };
  // safe because: assets are never deleted
  const asset = (await writes.asset(null, row.asset_id)) as AssetRow;
  if (row.state === "draft") {
    if (state === "withdrawn") return null;
    if (state !== "open")
      throw conflict(`A draft is not ${state} before others have seen it. Open it first.`);
    await appendCommented(ctx, writes, asset, { ...row, state });
    return set;
  }
  if (row.parent_id !== null && (state === "addressed" || state === "honoured"))
    throw badRequest(`A reply is never ${state}: change the state of its thread.`);
  const versions = await writes.versions(row.chain);
  const newest = versions.at(-1) as AssetRow; // safe because: the chain has the annotated version
  if (state === "addressed") {
    const change = addressedChange(row, newest, actor, set.state_at);
    await appendAddressed(ctx, writes, newest, actor, [row.n]);
    return change;
  }
  if (state === "honoured") {
    const checked = versions.find(({ id }) => id === row.addressed_in) ?? newest;
    return { ...set, honoured_version: checked.version, urgent_at: null };
  }
  if (state === "withdrawn") return { ...set, urgent_at: null };
  if (row.state === "withdrawn") return set;
  const reopened = { ...set, reopened: row.reopened + 1, honoured_version: null, urgent_at: set.state_at };
  await appendAnnotationEvent(ctx, writes, "asset.commented", newest, actor, {
    before: "Reopened an annotation on",
    after: `: ${annotationLine({ ...row, ...reopened })}`,
  });
  return reopened;
}
