/** Reads of the report of rejected versions. */
import type { OverviewReads } from "../../../src/overview/port.ts";
import type { Session } from "../../engine/session.ts";
import { confirmedMusts } from "./musts.ts";
import { rejectedVersions } from "./rejected.ts";

export const reportReads = (session: Session) =>
  ({
    confirmedMusts: (projects, query) => confirmedMusts(session, projects, query),
    rejectedVersions: (projects, query) => rejectedVersions(session, projects, query),
  }) satisfies Partial<OverviewReads>;
