/**
 * Whether stored events of the same actor and task follow events that are added to the past. When none do, as
 * when a log is imported in its order, they continue the newest run, and nothing has to be derived again.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Micros } from "../../../src/core/lib/time.ts";
import type { Appendable } from "../../../src/feed/rows.ts";
import type { Session } from "../../engine/session.ts";
import { allRows } from "../../query/sql.ts";

/** Events of one project, actor and task without a `run_id`, by the first of them. */
export interface PastGroup extends Pick<Appendable, "project" | "actor" | "issue" | "pr"> {
  key: string;
  ts: Micros;
}

/**
 * The keys of groups that no stored event follows. Those without a task are left out: only the index of
 * actors could tell, by all later events of the actor.
 */
export async function keysWithoutLater(
  session: Session,
  groups: readonly PastGroup[],
): Promise<ReadonlySet<string>> {
  const ofTask = groups.filter(({ issue, pr }) => issue != null || pr != null);
  if (ofTask.length === 0) return new Set();
  const { dialect } = session;
  const json = JSON.stringify(
    ofTask.map(({ key, project, actor, issue, pr, ts }) => [
      key,
      project,
      actor,
      issue ?? null,
      pr ?? null,
      ts,
    ]),
  );
  const number = (at: number): SQL => sql`cast(value ->> ${sql.raw(String(at))} as bigint)`;
  const follows = (isOfTask: SQL): SQL => sql`exists (select 1 from events as e where ${isOfTask}
    and e.ts >= ${number(5)} and e.project = value ->> 1
    and ${dialect.unindexed(sql`e.actor`)} = value ->> 2 and ${dialect.unindexed(sql`e.run_id`)} is null)`;
  const ofIssue = follows(sql`e.issue = ${number(3)}`);
  const ofPr = follows(sql`e.pr = ${number(4)} and e.issue is null`);
  const rows = await allRows<{ key: string }>(
    session,
    sql`select value ->> 0 as key from ${dialect.jsonElements(json)}
      where not (case when value ->> 3 is not null then ${ofIssue} else ${ofPr} end)`,
  );
  return new Set(rows.map(({ key }) => key));
}
