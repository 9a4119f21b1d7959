/** Which failures are repaired; the rule is in src/feed/runs/repaired.ts. */
import { type SQL, sql } from "drizzle-orm";
import type { Micros } from "../../../src/core/lib/time.ts";
import type { Session } from "../../engine/session.ts";
import { allRows, elements, literalCount } from "../../query/statements.ts";
import { followFeed } from "../follow-feed.ts";
import { isPipelineId } from "./pipelines.ts";

/** Runs of a task after a failure that are read. */
const laterRunsMax = 50;

/** Events of a pull request after a failure that are read. */
const laterEventsMax = 100;

/** Of these `ts` of failures, those that are repaired. Those known to be open are not looked up. */
export async function repairedSince(
  session: Session,
  failures: readonly Micros[],
): Promise<ReadonlySet<Micros>> {
  if (failures.length === 0) return new Set();
  const { openFailures } = session;
  const version = await followFeed(session, openFailures);
  const unknown = failures.filter((ts) => !openFailures.get(ts));
  if (unknown.length === 0) return new Set();
  const rows = await allRows<Row>(session, repairedSql(session, unknown));
  const isCurrent = version !== null && openFailures.version === version;
  if (isCurrent)
    for (const { ts, project, repaired } of rows) if (!repaired) openFailures.set(Number(ts), project, true);
  return new Set(rows.filter(({ repaired }) => repaired).map(({ ts }) => Number(ts)));
}

interface Row {
  ts: number | string;
  project: string | null;
  repaired: boolean | number | null;
}

/** Finished, and not by being canceled or skipped. */
const hasSucceeded = sql`status = 'finished'
  and summary not like '%cancel%ed' and summary not like '%: skipped'`;

function repairedSql({ dialect }: Session, failures: readonly Micros[]): SQL {
  const times = sql`select cast(value as bigint) from ${elements(dialect, failures)}`;
  const laterRunOf = (task: "issue" | "pr") => {
    const column = sql.raw(task);
    return sql`exists (select 1 from (select project, lane, status, summary from runs
      where ${column} = failed.${column} and listed_at > failed.ts
      order by listed_at limit ${literalCount(laterRunsMax)}) as later
      where project = failed.project and ${hasSucceeded}
        and coalesce(lane, '') = coalesce(failed.lane, ''))`;
  };
  return sql`select ts, project, (
    (select ${hasSucceeded} from runs where project = failed.project and id = failed.run_id)
    or (select not open from issues where project = failed.project and number = failed.issue)
    or exists (select 1 from (select project, kind from events as e
      where e.pr = failed.pr and e.ts > failed.ts
      order by e.ts limit ${literalCount(laterEventsMax)}) as later
      where later.project = failed.project and later.kind in ('pr.merged', 'pr.closed'))
    or (not ${isPipelineId(sql`failed.run_id`)} and (${laterRunOf("issue")} or ${laterRunOf("pr")}))
    ) as repaired from events as failed where ${dialect.isIn(sql`ts`, times)}`;
}
