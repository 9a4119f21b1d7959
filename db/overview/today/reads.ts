/** All reads of Today. */
import type { OverviewReads } from "../../../src/overview/port.ts";
import type { Session } from "../../engine/session.ts";
import { dailyCostReads } from "./daily-costs.ts";
import { readMarkerReads } from "./read-markers.ts";
import { usualCostReads } from "./usual-costs.ts";

export const todayReads = (session: Session) =>
  ({
    ...readMarkerReads(session),
    ...dailyCostReads(session),
    ...usualCostReads(session),
  }) satisfies Partial<OverviewReads>;
