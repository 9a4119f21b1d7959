/** Preferences: a key and its value, for one project or for all; the project's own wins. */
import { actorOf, eventActor } from "../auth/actor.ts";
import type { Caller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import type { Data } from "../data.ts";
import { fromMicros } from "../lib/time.ts";
import { badRequest } from "../problem.ts";
import { requireProject } from "../projects/projects.ts";
import type { PreferenceRow } from "../rows.ts";
import { summaryOf } from "./decisions.ts";
import type { Preference, PreferInput } from "./schema.ts";

/** Sets a preference and writes its event, in one transaction. The value it has already is no event. */
export async function prefer(
  ctx: Context,
  { by, project = null, ...said }: PreferInput,
  caller: Caller,
): Promise<Preference> {
  if (project !== null) await requireProject(ctx.data, project, caller);
  else if (caller.projects !== null)
    throw badRequest(
      `project is required: this token sets preferences of ${caller.projects.join(", ")} only.`,
    );
  const { key, value, source = "mcp", source_ref = null } = said;
  const actor = eventActor(actorOf(caller, by));
  const { preference, changed } = await ctx.data.atomically(async (writes) => {
    const set = await writes.setPreference({
      project,
      key,
      value,
      source,
      source_ref,
      actor,
      valid_from: ctx.now(),
    });
    if (set.changed)
      await writes.append([
        { kind: "preference.set", actor, project, summary: summaryOf(`${key} = ${value}`) },
      ]);
    return set;
  });
  const { id: _, ...row } = preference;
  return { ...row, valid_from: fromMicros(row.valid_from), changed };
}

/** What holds for a project: its own values, and those for all of the keys that it has none of. */
export async function preferencesOf(
  data: Pick<Data, "preferences">,
  project: string,
): Promise<PreferenceRow[]> {
  const own = new Map<string, PreferenceRow>();
  for (const row of await data.preferences(project)) if (!own.has(row.key)) own.set(row.key, row);
  return [...own.values()];
}
