/** Finds tasks: those of the newest runs, and those that wait for someone or something. */

import { and, type SQL, sql } from "drizzle-orm";
import type { Projects } from "../../../src/core/rows.ts";
import type { OverviewReads } from "../../../src/overview/port.ts";
import type { TaskKey } from "../../../src/overview/rows.ts";
import type { Session } from "../../engine/session.ts";
import { issueOfPullRequest } from "../../feed/tasks/pull-request-issues.ts";
import { allRows, elements, literalCount } from "../../query/sql.ts";

type Recent = Awaited<ReturnType<OverviewReads["recentTasks"]>>;

/** Runs that one page looks through, of a caller who may see few of them. */
const scanMax = 20_000;

/** Reads a bounded part of the index of runs by their position. */
export async function recentTasks(
  session: Session,
  projects: Projects,
  { project, before = Number.MAX_SAFE_INTEGER, runs }: Parameters<OverviewReads["recentTasks"]>[1],
): Promise<Recent> {
  const bounds = [
    isVisible(session, projects, project),
    sql`listed_at < ${before}`,
    sql`listed_at > coalesce((select listed_at from runs where listed_at < ${before}
      order by listed_at desc limit 1 offset ${literalCount(scanMax)}), 0)`,
  ];
  const rows = await allRows<StoredKey & { listed_at: number | string }>(
    session,
    sql`select project, ${issueOrZero("one")} as issue, pr, listed_at from (
        select project, issue, pr, listed_at from runs where ${and(...bounds)}
        order by listed_at desc limit ${literalCount(runs)}) as one order by listed_at desc`,
  );
  const last = rows.at(-1);
  return { tasks: toKeys(rows), next: last && rows.length === runs ? Number(last.listed_at) : null };
}

/** Each source is a bounded range of an index, but for open issues, of which there is one small row each. */
export async function unfinishedTasks(
  session: Session,
  projects: Projects,
  { project, limit }: Parameters<OverviewReads["unfinishedTasks"]>[1],
): Promise<TaskKey[]> {
  const visible = isVisible(session, projects, project);
  const max = literalCount(limit);
  const assets = (status: SQL) => sql`select project, issue, pr from (select project, issue, pr from assets
    where ${status} and ${visible} and (issue is not null or pr is not null)
    order by created_at desc limit ${max}) as made`;
  const rows = await allRows<StoredKey>(
    session,
    sql`select project, ${issueOrZero("one")} as issue, pr from (
      ${assets(sql`waiting = 1`)} union ${assets(sql`status = 'rejected' and waiting = 0`)}
      union select project, issue, pr from (select project, issue, pr from runs
        where status in ('running', 'waiting', 'idle') and ${visible}
        order by listed_at desc limit ${max}) as running
      union select project, number, null from (select project, number from issues
        where open and ${visible} order by ts desc limit ${max}) as requested) as one`,
  );
  return toKeys(rows);
}

interface StoredKey {
  project: string;
  /** 0 without one. */
  issue: number | string;
  pr: number | string | null;
}

/** Each task once, in the order of the rows; rows without a task are left out. */
function toKeys(rows: readonly StoredKey[]): TaskKey[] {
  const keys = rows.flatMap((row) => {
    const issue = Number(row.issue) || null;
    const pr = issue === null ? Number(row.pr) || null : null;
    return issue === null && pr === null ? [] : [{ project: row.project, issue, pr }];
  });
  return [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
}

/** The issue of a row, or that of its pull request. */
const issueOrZero = (of: string): SQL => {
  const row = sql.raw(of);
  return sql`coalesce(${row}.issue, case when ${row}.pr is not null then ${issueOfPullRequest(of)} end, 0)`;
};

function isVisible({ dialect }: Session, projects: Projects, project: string | undefined): SQL {
  if (project !== undefined) return sql`project = ${project}`;
  if (projects === null) return sql`1 = 1`;
  return sql`project in (select value from ${elements(dialect, projects)})`;
}
