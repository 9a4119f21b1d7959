/** Counts on decisions what their checks stopped: kept in the spool, and sent when the server answers. */
import type { CheckInForce } from "../../src/memory/checks/schema.ts";
import { addToSpool, type SpoolItem } from "../agents/spool/spool.ts";

export interface Stop {
  check: CheckInForce;
  /** What was stopped, and where: the same is counted once. It does not leave the machine. */
  what: string;
}

/** @returns whether there is something to send */
export function reportStops(
  to: Pick<SpoolItem, "server" | "connection">,
  stops: readonly Stop[],
  who: { by?: string; run_id?: string },
): boolean {
  for (const { check, what } of stops) {
    const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify([check.rule, what])).digest("hex");
    const stop = { id: check.decision, key: hash.slice(0, 32), ...who };
    try {
      addToSpool({ ...to, branch: null, report: { stop } });
    } catch {} // a full disk costs the count, not the check
  }
  return stops.length > 0;
}
