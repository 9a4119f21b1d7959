/** Reads of the report of rejected versions. */
import type { ReportReads } from "../../../src/overview/port.ts";
import type { Session } from "../../engine/session.ts";
import { confirmedMusts } from "./musts.ts";
import { rejectedVersions } from "./rejected.ts";

export const reportReads = (session: Session): ReportReads => ({
  confirmedMusts: (projects, query) => confirmedMusts(session, projects, query),
  rejectedVersions: (projects, query) => rejectedVersions(session, projects, query),
});
