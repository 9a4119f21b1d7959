/** Decisions as the API returns them. */

import { fromMicros } from "../core/lib/time.ts";
import type { DecisionRow } from "./rows.ts";
import type { Decision } from "./schema.ts";

/** A decision as the API returns it, without its author. */
export const toDecision = ({ actor: _, ...decision }: DecisionRow): Decision => ({
  ...decision,
  valid_from: fromMicros(decision.valid_from),
});
