/** Which projects refuse files that they have rejected. */
import { actorOf, eventActor } from "../../core/auth/actor.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { fromMicros } from "../../core/lib/time.ts";
import { requireProject } from "../../feed/projects/projects.ts";
import type { LibraryContext } from "../context.ts";
import type { RepeatPolicyRow } from "../rows.ts";
import type { RepeatPolicyInput, RepeatPolicyPath } from "./requests.ts";
import type { RepeatPolicy } from "./schema.ts";

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
export async function setRepeatPolicy(
  ctx: LibraryContext,
  { slug, refuse, by }: RepeatPolicyInput,
  caller: Caller,
): Promise<RepeatPolicy> {
  await requireProject(ctx.data, slug, caller);
  const row = { project: slug, changed_by: eventActor(actorOf(caller, by)), changed_at: ctx.now() };
  return ctx.data.atomically(async (writes) => {
    const before = await writes.repeatPolicy(slug);
    if (refuse && before === null) await writes.saveRepeatPolicy(row);
    if (!refuse) await writes.removeRepeatPolicy(slug);
    return toPolicy(slug, refuse ? (before ?? row) : null);
  });
}

const toPolicy = (project: string, row: RepeatPolicyRow | null): RepeatPolicy => ({
  project,
  refuse: row !== null,
  changed_by: row?.changed_by ?? null,
  changed_at: row && fromMicros(row.changed_at),
});
