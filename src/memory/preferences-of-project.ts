/** The preferences that apply to a project. */
import type { MemoryReads } from "./port.ts";
import type { PreferenceRow } from "./rows.ts";

/** The preferences of a project: its own values, and global values for the keys it has none for. */
export async function preferencesOf(
  data: Pick<MemoryReads, "preferences">,
  project: string,
): Promise<PreferenceRow[]> {
  const own = new Map<string, PreferenceRow>();
  for (const row of await data.preferences(project)) if (!own.has(row.key)) own.set(row.key, row);
  return [...own.values()];
}
