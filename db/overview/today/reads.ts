/** All reads of Today. */
import type { TodayReads } from "../../../src/overview/port.ts";
import type { Session } from "../../engine/session.ts";
import { dailyCostReads } from "./daily-costs.ts";
import { readMarkerReads } from "./read-markers.ts";
import { usualCostReads } from "./usual-costs.ts";

export const todayReads = (session: Session): TodayReads => ({
  ...readMarkerReads(session),
  ...dailyCostReads(session),
  ...usualCostReads(session),
});
