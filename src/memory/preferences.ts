/** Preferences: values by key, for one project or for all; a project's own value wins. */
import { actorOf, eventActor } from "../core/auth/actor.ts";
import type { Viewer } from "../core/auth/caller.ts";
import { fromMicros } from "../core/lib/time.ts";
import { badRequest } from "../core/problem.ts";
import { requireProject } from "../feed/projects/projects.ts";
import type { MemoryContext, MemoryRule } from "./context.ts";
import { summaryOf } from "./decisions.ts";
import type { PreferenceList, PreferencesQuery } from "./list-schemas.ts";
import { preferencesOf } from "./preferences-of-project.ts";
import type { Preference, PreferInput } from "./schema.ts";

/** Sets a preference and appends its event in one transaction. Setting the same value again is no event. */
export const prefer: MemoryRule<PreferInput, Preference> = async (
  ctx,
  { by, project = null, ...input },
  caller,
) => {
  if (project !== null) await requireProject(ctx.data, project, caller);
  else if (caller.projects !== null)
    throw badRequest(
      `project is required: this token can set preferences only for ${caller.projects.join(", ")}.`,
    );
  const { key, value, source = "mcp", source_ref = null } = input;
  const actor = eventActor(actorOf(caller, by));
  const { preference, changed } = await ctx.data.atomically(async (writes) => {
    const result = await writes.setPreference({
      project,
      key,
      value,
      source,
      source_ref,
      actor,
      valid_from: ctx.now(),
    });
    if (result.changed)
      await writes.append([
        { kind: "preference.set", actor, project, summary: summaryOf(`${key} = ${value}`) },
      ]);
    return result;
  });
  const { id: _, ...row } = preference;
  return { ...row, valid_from: fromMicros(row.valid_from), changed };
};

/**
 * The preferences that apply to a project, or the global ones. Throws a 404 problem if the caller may not see
 * the project.
 */
export async function listPreferences(
  { data }: Pick<MemoryContext, "data">,
  { project }: PreferencesQuery,
  caller: Viewer,
): Promise<PreferenceList> {
  if (project !== undefined) await requireProject(data, project, caller);
  const rows = project === undefined ? await data.preferences(null) : await preferencesOf(data, project);
  const preferences = rows.map(({ id: _, valid_from, ...row }) => ({
    ...row,
    valid_from: fromMicros(valid_from),
  }));
  return { preferences, count: preferences.length };
}
