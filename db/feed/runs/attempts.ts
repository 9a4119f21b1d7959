/** The runs before and after one on its task. */
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { RunRow } from "../../../src/feed/rows.ts";
import type { Direction } from "../../dialect/index-range.ts";
import type { Session } from "../../engine/session.ts";
import { runColumns, toRunRow } from "./columns.ts";
import { taskPositions } from "./task-positions.ts";

/** The runs before and after one on its task, by `listed_at`. */
export async function attempts(
  session: Session,
  run: RunRow,
): Promise<{ previous: RunRow | null; next: RunRow | null }> {
  const { runs } = session.t;
  const { project, pr, listed_at } = run;
  const issue = run.issue ?? run.issue_of_pr;
  const one = async (direction: Direction) => {
    const position = sql`${listed_at}`;
    const bounds = {
      before: direction === "newest first" ? position : undefined,
      after: direction === "oldest first" ? position : undefined,
    };
    if (issue !== null) {
      const [at] = await taskPositions(session, { issue, project }, bounds, direction, 1);
      return at === undefined ? null : runAt(session, eq(runs.listed_at, at));
    }
    const { where, order } = session.dialect.indexRange(
      { key: { column: runs.pr, value: sql`${pr}` }, isOnlyIndex: true, ts: runs.listed_at, ...bounds },
      direction,
    );
    return runAt(session, and(where, sql`${session.dialect.unindexed(runs.project)} = ${project}`), order);
  };
  if (issue === null && pr === null) return { previous: null, next: null };
  const [previous, next] = [await one("newest first"), await one("oldest first")];
  return { previous, next };
}

async function runAt(session: Session, where: SQL | undefined, order?: SQL): Promise<RunRow | null> {
  const query = session.db.select(runColumns(session)).from(session.t.runs).where(where).$dynamic();
  const [row] = await (order ? query.orderBy(order) : query).limit(1);
  return row ? toRunRow(row) : null;
}
