/** Consistency checks between rows, for `svc doctor`. All of them query the same snapshot. */
import { type SQL, sql } from "drizzle-orm";
import { formatDuration } from "../../src/core/lib/quantities.ts";
import { dayMicros } from "../../src/core/lib/time.ts";
import { consistencyChecks, type Inconsistency } from "../../src/core/maintenance.ts";
import { analyzerVersion } from "../../src/core/text/tokenizer.ts";
import { memoryKinds } from "../../src/memory/schema.ts";
import type { Session } from "../engine/session.ts";
import { findWrongBudgets } from "../feed/budgets/rebuild.ts";
import { areDerived } from "../feed/head.ts";
import { findWrongRuns } from "../feed/runs/rebuild.ts";
import { wrongPullRequestIssues } from "../feed/tasks/pull-request-issues.ts";
import { usageTableNames } from "../feed/usage/sums.ts";
import { findDisarmedRules } from "../memory/disarmed-rules.ts";
import { anyAudience } from "../memory/recall/audience.ts";
import { matchCondition, matchExpression } from "../memory/recall/match.ts";
import { searchableEvents } from "../memory/recall/searchable-events.ts";
import { indexOf } from "../memory/recall/term-index.ts";
import { setRefOf } from "../memory/set-ref.ts";
import { findWrongTasks } from "../overview/tasks/check.ts";
import { allRows } from "../query/statements.ts";
import { type TellShare, WrongRows } from "../query/wrong-rows.ts";
import { findWrongUsage } from "./usage.ts";

const issueKinds = sql`('issue.opened', 'issue.closed')`;

/**
 * The counters of all projects as their rows should say. Each table is read once: Postgres does not look a slug up in
 * the index of a project, whose collation is another.
 */
export const countedProjects = sql`select slug, coalesce(events, 0) as events_count, newest as last_activity,
    coalesce(issues, 0) as open_issues, coalesce(decisions, 0) as decisions_count from projects
  left join (select project, count(*) as events, max(ts) as newest from events group by project) as e
    on e.project = slug
  left join (select project, count(*) as issues from issues where open = (1 = 1) group by project) as i
    on i.project = slug
  left join (select project, count(*) as decisions from decisions where valid_until is null group by project) as d
    on d.project = slug`;

/** The newest opened or closed event of each issue. */
export const newestIssues = sql`select e.project, e.issue as number, e.ts, e.kind = 'issue.opened' as open from events as e
  join (select project, issue, max(ts) as ts from events
    where project is not null and issue is not null and kind in ${issueKinds} group by project, issue) as newest on newest.ts = e.ts`;

const hasChild = sql`exists (select 1 from assets as child where child.parent_id = a.id)`;

/** Checks that compute rows again, or read a large table in parts. */
const computed = {
  usage: async (session, tellShare) =>
    findWrongUsage(session, (await isInErasure(session)) ? ["usage"] : usageTableNames, tellShare),
  runs: findWrongRuns,
  tasks: findWrongTasks,
  budgets: findWrongBudgets,
  rules: findDisarmedRules,
} satisfies Partial<
  Record<Inconsistency["kind"], (session: Session, tellShare: TellShare) => Promise<WrongRows>>
>;
const isComputed = (kind: Inconsistency["kind"]): kind is keyof typeof computed => kind in computed;

/** One query per check; each returns the names of the rows that fail it. */
function checkQueries(
  session: Session,
  now: number,
): Record<Exclude<Inconsistency["kind"], keyof typeof computed>, SQL> {
  const indexed = {
    decision: sql`select count(*) from decisions`,
    preference: sql`select count(*) from preferences`,
    note: sql`select count(*) from notes`,
    guidance: sql`select count(*) from guidance`,
    event: sql`select count(*) from events where ${searchableEvents(session)} and ${areDerived(session)}`,
  };
  return {
    counters: sql`select slug as name from projects as p join (${countedProjects}) as counted using (slug)
      where p.events_count <> counted.events_count or p.open_issues <> counted.open_issues
      or p.decisions_count <> counted.decisions_count
      or coalesce(p.last_activity, 0) <> coalesce(counted.last_activity, 0)`,
    issues: sql`select project || ' ' || number as name from (${newestIssues}) as newest where not exists
      (select 1 from issues as i where i.project = newest.project and i.number = newest.number and i.ts = newest.ts and i.open = newest.open)`,
    pulls: wrongPullRequestIssues,
    head: sql`select 'feed' as name from feed_head where ts < (select max(ts) from events) or id < (select max(id) from events)`,
    chains: sql`select root_id as name from assets group by root_id having count(*) <> max(version) or min(version) <> 1
      union select root_id from assets as a where not ${hasChild} group by root_id having count(*) > 1
      union select a.root_id from assets as a left join assets as p on p.id = a.parent_id
        where (a.version = 1 and (a.parent_id is not null or a.root_id <> a.id))
        or (a.version > 1 and (p.id is null or p.root_id <> a.root_id or p.version <> a.version - 1))
      union select a.root_id from assets as a where (a.status = 'superseded') <> ${hasChild}`,
    published: sql`select id as name from assets where status = 'published' and public_url is null`,
    removals: sql`select a.id as name from assets as a join removals as r on r.subject = a.id
      where a.public_url is not null or (r.kind = 'file' and a.key is not null)`,
    queue: sql`select id as name from assets where waiting <> case when status = 'pending' then 1 else 0 end`,
    reviews: sql`select a.id as name from assets as a where a.status = 'rejected'
        and not exists (select 1 from decisions where source = 'review' and source_ref = a.id)
        and not exists (select 1 from decisions where source = 'review' and project = a.project and source_ref = ${setRefOf("a")})
        and not exists (select 1 from removals where kind = 'file' and subject = a.id)
      union select a.id from assets as a join decisions as d on d.source = 'review' and d.source_ref = a.id and d.valid_until is null
        where a.status in ('pending', 'approved', 'published')`,
    uploaded: sql`select project as name from assets as a group by project having count(*) >
      (select count(*) from events as e where e.project = a.project and e.kind = 'asset.uploaded')`,
    outbox: sql`select repo || '#' || number as name from outbox where due_at < ${now - 600_000_000} or attempts >= 6`,
    unswept: sql`select id as name from uploads where expires_at < ${now - dayMicros - 3_600_000_000}
      union select id from assets where key is not null and expires_at < ${now - 3_600_000_000}
      union select subject from removals where finished_at is null and removed_at < ${now - 3_600_000_000}`,
    index: sql.join(
      [
        ...memoryKinds.map((kind) => {
          const all = sql`select count(*) from ${indexOf(kind)}`;
          // Limited callers do not find documents without an audience.
          const owned = kind === "event" ? sql`${indexed.event} and project is not null` : indexed[kind];
          const found = sql`${all} where ${matchCondition(session, kind, sql`${matchExpression(anyAudience, session.dialect)}`)}`;
          return sql`select ${sql.raw(`'${kind}s'`)} as name where (${indexed[kind]}) <> (${all}) or (${owned}) <> (${found})`;
        }),
        sql`select 'analyzer' as name from recall_indexes where analyzer > ${sql.raw(String(analyzerVersion))}`,
        sql`select 'facets' as name where (select count(*) from events) <> (select count(*) from facet_events)`,
      ],
      sql` union `,
    ),
  };
}

/** The sums of a person follow their events in the last steps of an erasure; `unswept` finds one that stopped. */
const isErasing = sql`exists (select 1 from removals where kind = 'person' and finished_at is null)`;

const isInErasure = async (session: Session): Promise<boolean> =>
  (await allRows(session, sql`select 1 where ${isErasing}`)).length > 0;

async function namedBy(session: Session, query: SQL): Promise<WrongRows> {
  const found = new WrongRows();
  await found.addFrom(session, query);
  return found;
}

/** Less of a check says little about the rest of it. */
const shareMin = 0.02;

/** Tells how far a check is, and how long the rest takes if it goes on like this. */
function shareTeller(step: string, tell: (text: string) => void): TellShare {
  const startedAt = performance.now();
  return (share) => {
    const left = ((performance.now() - startedAt) / share) * (1 - share);
    const rest = share < shareMin ? "" : `, about ${formatDuration(Math.ceil(left))} left`;
    tell(`${step}: ${Math.floor(share * 100)}%${rest}`);
  };
}

/** Runs all checks. @param now in microseconds @param tell gets each check that begins, and how far it is @returns those that failed */
export async function findInconsistencies(
  session: Session,
  now: number,
  tell: (check: string) => void = () => {},
): Promise<Inconsistency[]> {
  const found: Inconsistency[] = [];
  const queries = checkQueries(session, now);
  for (const [index, kind] of consistencyChecks.entries()) {
    const step = `${kind}, ${index + 1} of ${consistencyChecks.length}`;
    tell(step);
    // Budgets are compared with usage, and wrong usage says nothing about them.
    if (kind === "budgets" && (found.some((one) => one.kind === "usage") || (await isInErasure(session))))
      continue;
    const wrong = isComputed(kind)
      ? await computed[kind](session, shareTeller(step, tell))
      : await namedBy(session, queries[kind]);
    if (wrong.count > 0) found.push({ kind, names: wrong.names, count: wrong.count });
  }
  return found;
}
