/** Whether a file repeats one that was rejected, and whether a project refuses those. */

import { actorOf, eventActor } from "../../core/auth/actor.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { fromMicros } from "../../core/lib/time.ts";
import { conflict } from "../../core/problem.ts";
import { requireProject } from "../../feed/projects/projects.ts";
import type { AnnotationRow } from "../annotations/rows.ts";
import { requireAsset } from "../assets/library.ts";
import type { LibraryContext, LibraryRule } from "../context.ts";
import type { LibraryReads } from "../port.ts";
import type { FileReview, RepeatPolicyRow } from "../rows.ts";
import type { RepeatPolicyInput, RepeatPolicyPath, RepeatQuery } from "./requests.ts";
import type { RepeatCheck, RepeatPolicy, Repeats } from "./schema.ts";
import { repeatDetails, repeatText } from "./text.ts";

const placesMax = 200;

interface ComparedFile {
  project: string;
  sha256: string;
  /** The first version of the asset that it replaces. */
  chain: string | null;
}

type RepeatData = LibraryReads;

/** Identical files count in the whole project, unless the newest review of one of them approved it. */
export async function findRepeat(
  data: RepeatData,
  { project, sha256, chain }: ComparedFile,
  reason: string | null,
): Promise<Repeats | null> {
  const last = await data.lastReview(project, sha256);
  if (!last?.isRejection) return null;
  const marks = await openMusts(data, chain ?? last.root_id);
  const places = marks.map((mark) => ({
    annotation: mark.id,
    state: mark.sha256 === sha256 ? ("unchanged" as const) : ("unknown" as const),
  }));
  return { ...toRepeat(last, "identical", places, marks), reason };
}

/** What is repeated of a version that was reviewed, and its marks with their states. */
export function toRepeat(
  { id, version, reviewed_by, review_note }: Omit<FileReview, "root_id" | "isRejection">,
  likeness: Repeats["likeness"],
  places: Repeats["places"],
  marks: AnnotationRow[],
): Omit<Repeats, "reason"> {
  const repeat = { id, version, by: reviewed_by, note: review_note, likeness, places };
  return { ...repeat, text: repeatDetails(repeat, marks) };
}

/** What has to change in a chain before it is approved. */
export const openMusts = async (data: RepeatData, chain: string): Promise<AnnotationRow[]> =>
  (await data.unsettledAnnotations(chain, { limit: placesMax })).filter(
    ({ weight, state }) => weight === "must" && state === "open",
  );

/** What an upload of the file would repeat. @throws {Problem} 404 for an unknown project or asset */
export const checkRepeat: LibraryRule<RepeatQuery, RepeatCheck> = async (
  ctx,
  { slug, sha256, replaces },
  caller,
) => {
  await requireProject(ctx.data, slug, caller);
  const parent = replaces === undefined ? null : await requireAsset(ctx, replaces, caller);
  const file = { project: slug, sha256, chain: parent?.root_id ?? null };
  const repeats = await findRepeat(ctx.data, file, null);
  return { repeats, refused: repeats !== null && (await ctx.data.repeatPolicy(slug)) !== null };
};

/** @throws {Problem} 409 if the project refuses such a file */
export async function requireAccepted(
  data: LibraryReads,
  project: string,
  repeats: Repeats | null,
): Promise<void> {
  if (repeats === null || (await data.repeatPolicy(project)) === null) return;
  throw conflict(
    `${repeatText(repeats)} ${project} refuses such files: change the file, or ask for another review of ` +
      `${repeats.id}.`,
  );
}

/** @throws {Problem} 404 for an unknown project */
export async function getRepeatPolicy(
  { data }: Pick<LibraryContext, "data">,
  { slug }: RepeatPolicyPath,
  caller: Caller,
): Promise<RepeatPolicy> {
  await requireProject(data, slug, caller);
  return toPolicy(slug, await data.repeatPolicy(slug));
}

/** It applies to the uploads that follow. @throws {Problem} 404 for an unknown project */
export const setRepeatPolicy: LibraryRule<RepeatPolicyInput, RepeatPolicy> = async (
  ctx,
  { slug, refuse, by },
  caller,
) => {
  await requireProject(ctx.data, slug, caller);
  const row = { project: slug, changed_by: eventActor(actorOf(caller, by)), changed_at: ctx.now() };
  return ctx.data.atomically(async (writes) => {
    const before = await writes.repeatPolicy(slug);
    if (refuse && before === null) await writes.saveRepeatPolicy(row);
    if (!refuse) await writes.removeRepeatPolicy(slug);
    return toPolicy(slug, refuse ? (before ?? row) : null);
  });
};

const toPolicy = (project: string, row: RepeatPolicyRow | null): RepeatPolicy => ({
  project,
  refuse: row !== null,
  changed_by: row?.changed_by ?? null,
  changed_at: row && fromMicros(row.changed_at),
});
