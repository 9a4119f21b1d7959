/** Decisions with checks that an agent ended without a proposal in their place, for the people who review. */
import { isAllowed } from "../../../core/auth/authorization.ts";
import { currentReplacement } from "../../../memory/checks/held.ts";
import { summaryOf } from "../../../memory/decisions.ts";
import { type Candidate, candidatesMax, type Source } from "../candidate.ts";

/** How the id of an item begins; the id of its decision follows. */
export const endedPrefix = "ended-";

/** Those that a proposal replaced wait with it. */
export const endedDecisions: Source = async ({ data, config }, caller) => {
  if (!isAllowed(caller, "assets:review", config) || !isAllowed(caller, "memory:read", config)) return [];
  const rows = await data.heldDecisions(caller.projects, candidatesMax);
  const replacements = await Promise.all(rows.map(({ id }) => currentReplacement(data, id)));
  return rows.flatMap(({ id, text, project, held_at }, index): Candidate[] => {
    if (replacements[index]?.standing === "proposed") return [];
    return [
      {
        id: `${endedPrefix}${id}`,
        reason: "decision_ended",
        title: summaryOf(text),
        detail: "Its checks still apply.",
        path: `/memory/decisions/${id}`,
        project,
        at: held_at,
      },
    ];
  });
};
