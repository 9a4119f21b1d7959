/** Contradictions as the API returns them, and those that were found when decisions were recorded. */
import type { MemoryReads } from "../port.ts";
import type { DecisionRow } from "../rows.ts";
import type { Contradiction } from "../schema.ts";
import { idsIn, readMax } from "./contradicted-by.ts";
import { contradicts } from "./contradiction.ts";
import type { Contradicted } from "./find.ts";

export const toContradiction = ({
  decision: { id, text, actor },
  here,
  there,
}: Contradicted): Contradiction => ({
  id,
  text,
  actor,
  here,
  there,
});

/** What the author of a new decision should do; null if it contradicts none. */
export function adviceOn(found: readonly Contradiction[]): string | null {
  if (found.length === 0) return null;
  const ids = found.map(({ id }) => `#${id}`).join(" and ");
  const verb = found.length === 1 ? "says" : "say";
  return `${ids} ${verb} the opposite. If yours replaces one, record it again with its id as \`supersedes\`.`;
}

/** What a current decision contradicts, and what contradicts it, as long as both apply and say so. */
export async function contradictionsOf(
  data: MemoryReads,
  decision: Pick<DecisionRow, "id" | "project" | "text">,
): Promise<{ contradicts: Contradiction[]; contradicted_by: Contradiction[] }> {
  const rows = await data.contradictions(decision.project, readMax);
  const older = rows.filter(({ id }) => id === decision.id).flatMap((row) => idsIn(row.contradicts));
  const newer = rows.filter((row) => idsIn(row.contradicts).includes(decision.id)).map(({ id }) => id);
  const found = await data.decisionsById([decision.project], [...older, ...newer]);
  const described = found.flatMap(({ id, text, actor, valid_until }) => {
    const difference = valid_until === null ? contradicts(decision.text, text) : null;
    return difference ? [{ id, text, actor, ...difference }] : [];
  });
  return {
    contradicts: described.filter(({ id }) => older.includes(id)),
    contradicted_by: described.filter(({ id }) => newer.includes(id)),
  };
}
