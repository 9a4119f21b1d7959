/** Decisions as the API returns them. */

import { fromMicros } from "../core/lib/time.ts";
import type { DecisionRow } from "./rows.ts";
import type { Decision } from "./schema.ts";

/** A decision as the API returns it, without its author and its checks. */
export const toDecision = ({ actor: _, checks: __, stops: ___, ...decision }: DecisionRow): Decision => ({
  ...decision,
  valid_from: fromMicros(decision.valid_from),
});
