/** Where the runs of an issue are in lists: its own, and those that name only a pull request of it. */
import { and, type SQL, sql } from "drizzle-orm";
import type { Micros } from "../../../src/core/lib/time.ts";
import { type Direction, type IndexRange, sqlOrder } from "../../dialect/index-range.ts";
import type { Session } from "../../engine/session.ts";
import { allRows, literalCount, preparedShapes } from "../../query/statements.ts";
import { pullRequestsOf } from "../tasks/pull-request-issues.ts";

interface Issue {
  issue: number;
  project?: string | undefined;
}

export type ListBounds = Pick<IndexRange, "before" | "after">;

/** Whether an issue has pull requests, whose runs are its own too. */
export async function hasPullRequests(session: Session, { issue, project }: Issue): Promise<boolean> {
  const shape = project === undefined ? "anywhere" : "in a project";
  const found = await selectPullRequests(session, shape)({ issue, project, limit: 1 });
  return found.length > 0;
}

const selectPullRequests = preparedShapes(({ db, dialect }, shape: "anywhere" | "in a project") => {
  const project = shape === "anywhere" ? undefined : sql.placeholder("project");
  const query = db
    .select({ pr: sql<number>`pr` })
    .from(sql`(${pullRequestsOf(sql`${sql.placeholder("issue")}`, project)}) as pulls`)
    .limit(sql.placeholder("limit"));
  return dialect.reader<{ pr: number }>(db, query.prepare());
});

/** Positions in lists of the runs of an issue and of its pull requests. */
export async function taskPositions(
  session: Session,
  { issue, project }: Issue,
  bounds: ListBounds,
  direction: Direction,
  limit: number,
): Promise<Micros[]> {
  const { dialect } = session;
  const heads = (column: SQL, value: SQL, conditions: SQL[]) => {
    const range = { key: { column, value }, isOnlyIndex: true, ts: sql`one.listed_at`, ...bounds };
    const { where, order } = dialect.indexRange(range, direction);
    return sql`select one.listed_at from runs as one where ${and(where, ...conditions)}
      order by ${order} limit ${literalCount(limit)}`;
  };
  const inProject = project === undefined ? [] : [sql`${dialect.unindexed(sql`one.project`)} = ${project}`];
  const own = heads(sql`one.issue`, sql`${issue}`, inProject);
  const ofPullRequests = dialect.forEachRow(
    sql`(${pullRequestsOf(sql`${issue}`, project)}) as pulls`,
    ["listed_at"],
    heads(sql`one.pr`, sql`pulls.pr`, [
      sql`${dialect.unindexed(sql`one.issue`)} is null`,
      sql`${dialect.unindexed(sql`one.project`)} = pulls.project`,
    ]),
  );
  const rows = await allRows<{ listed_at: number | string }>(
    session,
    sql`select listed_at from (select listed_at from (${own}) as own
      union all select listed_at from (${ofPullRequests}) as of_pulls) as positions
      order by listed_at ${sqlOrder(direction)} limit ${literalCount(limit)}`,
  );
  return rows.map(({ listed_at }) => Number(listed_at));
}
