/** Reports a recall index whose terms are not those of this version's analyzer. */
import { type Micros, secondMicros } from "../../core/lib/time.ts";
import type { RecallIndexState } from "../../core/maintenance.ts";
import { type Finding, ok, warning } from "./finding.ts";

/** A server retries a failed rebuild every minute; without progress for this long it is stuck. */
const stuckMicros = 600 * secondMicros;

export function checkRecallIndex({ state, share, changedAt }: RecallIndexState, now: Micros): Finding[] {
  if (state === "newer")
    return [
      warning(
        "recall index",
        "made by a newer svc, so recall may miss words: upgrade svc, or run svc doctor --fix",
      ),
    ];
  if (state === "current" || changedAt === null) return [];
  const progress = `${Math.floor(share * 100)}% done`;
  return now - changedAt > stuckMicros
    ? [
        warning(
          "recall index",
          `the rebuild after an upgrade has stopped at ${progress}: ` +
            'start svc serve, or look for "recall index" in its log',
        ),
      ]
    : [ok("recall index", `being rebuilt in the background after an upgrade, ${progress}`)];
}
