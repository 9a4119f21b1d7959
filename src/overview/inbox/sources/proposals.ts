/** What agents decided, for the people who review. */
import { isAllowed } from "../../../core/auth/authorization.ts";
import { summaryOf } from "../../../memory/decisions.ts";
import { type Candidate, candidatesMax, type Source } from "../candidate.ts";

/** How the id of an item begins; the id of its decision follows. */
export const proposalPrefix = "decision-";

/** Decisions that no person has confirmed or dropped. */
export const proposals: Source = async ({ data, config }, caller) => {
  if (!isAllowed(caller, "assets:review", config) || !isAllowed(caller, "memory:read", config)) return [];
  const rows = await data.proposedDecisions(caller.projects, candidatesMax);
  return rows.map(({ id, text, project, valid_from }): Candidate => {
    const title = summaryOf(text);
    return {
      id: `${proposalPrefix}${id}`,
      reason: "decision_proposed",
      title,
      detail: text.trim() === title ? null : text,
      path: `/memory/decisions/${id}`,
      project,
      at: valid_from,
    };
  });
};
