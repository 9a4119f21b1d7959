/** Reads of tasks: their pull requests, and which briefs carried which decisions. */

import { and, asc, eq, inArray } from "drizzle-orm";
import type { OverviewReads } from "../../../src/overview/port.ts";
import type { Session } from "../../engine/session.ts";
import { readIssuesOf } from "../../feed/tasks/pull-request-issues.ts";
import { taskBoard, taskKeys } from "./keys.ts";
import { taskOpenings, taskRows } from "./rows.ts";

export const taskReads = (session: Session) =>
  ({
    async issueOfPullRequest(project, pr) {
      const issueOf = await readIssuesOf(session, [{ project, pr }]);
      return issueOf({ project, pr });
    },
    taskKeys: (projects, query) => taskKeys(session, projects, query),
    taskBoard: (projects, query) => taskBoard(session, projects, query),
    taskRows: (tasks, lost) => taskRows(session, tasks, lost),
    taskOpenings: (tasks) => taskOpenings(session, tasks),
    async briefsOfRuns(project, runs, limit) {
      if (runs.length === 0) return [];
      const { db, t } = session;
      const { briefs, brief_decisions } = t;
      const given = await db
        .select({ id: briefs.id, run_id: briefs.run_id, hash: briefs.hash, at: briefs.at })
        .from(briefs)
        .where(and(inArray(briefs.run_id, [...runs]), eq(briefs.project, project)))
        .orderBy(asc(briefs.at), asc(briefs.id))
        .limit(limit);
      if (given.length === 0) return [];
      const ids = given.map(({ id }) => id);
      const carried = await db.select().from(brief_decisions).where(inArray(brief_decisions.brief, ids));
      const byBrief = Map.groupBy(carried, ({ brief }) => brief);
      return given.map(({ id, ...brief }) => ({
        ...brief,
        decisions: (byBrief.get(id) ?? []).map(({ decision }) => decision),
      }));
    },
  }) satisfies Partial<OverviewReads>;
