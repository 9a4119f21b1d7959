/** Checklists: the current ones, older versions, and setting one. */

import { actorOf, eventActor } from "../../core/auth/actor.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { fromMicros } from "../../core/lib/time.ts";
import { notFound } from "../../core/problem.ts";
import { requireProject } from "../../feed/projects/projects.ts";
import { type AssetKind, assetKinds } from "../assets/schema.ts";
import type { LibraryContext, LibraryRule } from "../context.ts";
import type { LibraryReads } from "../port.ts";
import type { ChecklistRow } from "../rows.ts";
import { withIds } from "./items.ts";
import type { ChecklistInput, ChecklistQuery, ChecklistsPath } from "./requests.ts";
import type { Checklist, ChecklistList, ChecklistSet } from "./schema.ts";

/** The current checklist of a project and kind; null if there is none, or it was removed. */
export async function currentChecklist(
  data: LibraryReads,
  project: string,
  kind: AssetKind,
): Promise<ChecklistRow | null> {
  const newest = await data.checklist(project, kind);
  return newest && newest.items.length > 0 ? newest : null;
}

/** The current checklists of a project. @throws {Problem} 404 for an unknown project */
export async function listChecklists(
  { data }: Pick<LibraryContext, "data">,
  { slug }: ChecklistsPath,
  caller: Caller,
): Promise<ChecklistList> {
  await requireProject(data, slug, caller);
  const rows = await Promise.all(assetKinds.map((kind) => currentChecklist(data, slug, kind)));
  return { checklists: rows.filter((row) => row !== null).map(toChecklist) };
}

/** A version of a checklist, by default the current one. @throws {Problem} 404 if there is none */
export async function getChecklist(
  { data }: Pick<LibraryContext, "data">,
  { slug, kind, version }: ChecklistQuery,
  caller: Caller,
): Promise<Checklist> {
  await requireProject(data, slug, caller);
  const row = await (version === undefined
    ? currentChecklist(data, slug, kind)
    : data.checklist(slug, kind, version));
  if (row) return toChecklist(row);
  throw notFound(
    version === undefined
      ? `${slug} has no checklist for the kind ${kind}.`
      : `The checklist of ${slug} for the kind ${kind} has no version ${version}.`,
  );
}

/**
 * Sets the items of a checklist as a new version, unless it has them already. Without items it is removed,
 * and the verdicts on its versions stay.
 * @throws {Problem} 404 for an unknown project, 400 for an item that is there twice
 */
export const setChecklist: LibraryRule<ChecklistInput, ChecklistSet> = async (
  ctx,
  { slug, kind, items, by },
  caller,
) => {
  await requireProject(ctx.data, slug, caller);
  const changed_by = eventActor(actorOf(caller, by));
  return ctx.data.atomically(async (writes) => {
    const before = await writes.checklist(slug, kind);
    const named = withIds(items, before?.items ?? []);
    if (before && JSON.stringify(before.items) === JSON.stringify(named))
      return { ...toChecklist(before), changed: false };
    const version = (before?.version ?? 0) + 1;
    const row = { project: slug, kind, version, items: named, changed_by, changed_at: ctx.now() };
    await writes.addChecklist(row);
    return { ...toChecklist(row), changed: true };
  });
};

const toChecklist = ({ changed_at, ...row }: ChecklistRow): Checklist => ({
  ...row,
  changed_at: fromMicros(changed_at),
});
