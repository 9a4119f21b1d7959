/** Makes anew what follows from other rows. */
import { sql } from "drizzle-orm";
import { countedUsage, newestIssues } from "./discrepancies.ts";
import { reindex } from "./everything.ts";
import { allRows } from "./rows.ts";
import type { Session } from "./session.ts";

const sums = sql.raw("runs, failures, merges, tokens_in, tokens_out, cache_read, cache_write, cost_equiv");

/** Counters, open issues, sums, the head of the feed, the queue and the indexes of recall. Inside of a transaction under the lock. */
export async function recount(session: Session): Promise<void> {
  const run = (statement: ReturnType<typeof sql>) => allRows(session, statement);
  await run(sql`update feed_head set ts = (select max(ts) from events) where ts < (select max(ts) from events)`);
  await run(sql`update feed_head set id = (select max(id) from events) where id < (select max(id) from events)`);
  await run(sql`delete from issues`);
  await run(sql`insert into issues (project, number, ts, open) ${newestIssues}`);
  await run(sql`delete from usage`);
  await run(
    sql`insert into usage (project, day, lane, model, ${sums}) select project, day, lane, model, ${sums} from (${countedUsage(session)}) as counted
      where runs <> 0 or failures <> 0 or merges <> 0 or tokens_in <> 0 or tokens_out <> 0 or cache_read <> 0 or cache_write <> 0 or cost_equiv <> 0`,
  );
  await run(sql`update projects set
    events_count = (select count(*) from events where project = projects.slug),
    open_issues = (select count(*) from issues where project = projects.slug and open = (1 = 1)),
    decisions_count = (select count(*) from decisions where project = projects.slug and valid_until is null),
    last_activity = (select max(ts) from events where project = projects.slug)`);
  await run(sql`update assets set waiting = case when status = 'pending' then 1 else 0 end`);
  await reindex(session);
}
