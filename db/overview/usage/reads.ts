/** Reads of the report of rejected versions. */
import { type SQL, sql } from "drizzle-orm";
import { dayMicros, toMicros } from "../../../src/core/lib/time.ts";
import type { Projects } from "../../../src/core/rows.ts";
import type { UsageRange } from "../../../src/feed/rows.ts";
import { usageFields } from "../../../src/feed/usage/schema.ts";
import type { OverviewReads } from "../../../src/overview/port.ts";
import type { RejectedVersion } from "../../../src/overview/rows.ts";
import type { Session } from "../../engine/session.ts";
import { followFeed } from "../../feed/follow-feed.ts";
import { issueOfPullRequest } from "../../feed/tasks/pull-request-issues.ts";
import { withTaskKeys } from "../../feed/tasks/task-keys.ts";
import { visibleSlugs } from "../../feed/usage/slugs.ts";
import { isOfSet, setOfDecision } from "../../memory/set-ref.ts";
import { allRows, elements } from "../../query/statements.ts";

export const reportReads = (session: Session) =>
  ({
    confirmedMusts: (projects, query) => confirmedMusts(session, projects, query),
    rejectedVersions: (projects, query) => rejectedVersions(session, projects, query),
  }) satisfies Partial<OverviewReads>;

/** Literals: a partial index serves only conditions that are known when the query is planned. */
const isConfirmedMust = sql.raw("n.state = 'honoured' and n.weight = 'must' and n.parent_id is null");

/** Confirmed musts of a range of days, counted by the number of versions that each took. */
async function confirmedMusts(
  session: Session,
  projects: Projects,
  { from, to, project }: UsageRange & { project?: string },
): Promise<{ attempts: number; count: number }[]> {
  const { dialect } = session;
  const slugs = await visibleSlugs(session, projects, project);
  const isVisible = dialect.isIn(sql`n.project`, sql`select value from ${elements(dialect, slugs)}`);
  const rows = await allRows<Record<"attempts" | "count", number | string>>(
    session,
    sql`select n.honoured_version - n.version as attempts, count(*) as count from annotations as n
      where ${isConfirmedMust} and ${isVisible} and n.state_at >= ${toMicros(`${from}T00:00:00Z`)}
        and n.state_at < ${toMicros(`${to}T00:00:00Z`) + dayMicros}
      group by n.honoured_version - n.version`,
  );
  return rows.map(({ attempts, count }) => ({ attempts: Number(attempts), count: Number(count) }));
}

/**
 * Versions that were rejected, and the runs that each of them took. A rejection is a decision that names the
 * asset or its variant set; a later review of the same version has another time, so a version approved after
 * all is not found.
 *
 * The runs of a version: its own `run_id` or, without one, the runs that its author started on its task after
 * the version before it and until it was added. The task is the issue, its own or that of its pull request,
 * or else the pull request.
 */
type Query = UsageRange & { project?: string };

/** Versions rejected in a range of days, with the runs that made them, oldest first. */
async function rejectedVersions(
  session: Session,
  projects: Projects,
  query: Query,
): Promise<RejectedVersion[]> {
  const { rejected } = session;
  const slugs = await visibleSlugs(session, projects, query.project);
  const version = await followFeed(session, rejected);
  const range = `${query.from} ${query.to}`;
  const known = new Map(slugs.map((slug) => [slug, rejected.get(slug, range)]));
  const missing = slugs.filter((slug) => known.get(slug) === undefined);
  const read = await readRejected(session, missing, query);
  const isCurrent = version !== null && rejected.version === version;
  const readOf = Map.groupBy(read, ({ project }) => project);
  if (isCurrent) for (const slug of missing) rejected.set(slug, range, readOf.get(slug) ?? []);
  // Sorted here: to avoid a sort, Postgres would read the decisions of all sources by time.
  return [...read, ...slugs.flatMap((slug) => known.get(slug) ?? [])].sort(
    (a, b) => a.rejected_at - b.rejected_at || (a.asset < b.asset ? -1 : 1),
  );
}

async function readRejected(
  session: Session,
  slugs: string[],
  range: UsageRange,
): Promise<RejectedVersion[]> {
  if (slugs.length === 0) return [];
  const versions = await allRows<VersionRow>(session, rejectedIn(session, slugs, range));
  if (versions.length === 0) return [];
  const runsOf = await readRunsOf(session, versions);
  const keyed = await withTaskKeys(
    session,
    versions.map((row) => ({ ...row, issue: toNumber(row.issue) })),
  );
  return keyed.map((row) => ({
    asset: row.asset,
    title: row.title,
    project: row.project,
    version: Number(row.version),
    issue: row.issue,
    task: row.task,
    pr: toNumber(row.pr),
    rejected_at: Number(row.rejected_at),
    runs: runsOf(row),
  }));
}

/** Postgres returns the bigints of a raw statement as strings. */
type Int = number | string;

const toNumber = (value: Int | null): number | null => (value === null ? null : Number(value));

type VersionRow = Pick<RejectedVersion, "asset" | "title" | "project"> & { created_by: string } & Record<
    "version" | "rejected_at" | "created_at",
    Int
  > &
  Record<"issue" | "pr" | "previous_at", Int | null> & { run_id: string | null };

type Run = RejectedVersion["runs"][number];

const { runs: _, failures: __, merges: ___, ...spent } = usageFields;
/** Cast, as Postgres returns the bigints of a raw statement as strings. */
const runColumns = sql.raw(
  [
    ...["r.id", "r.project"],
    ...Object.keys(spent).map((name) => `cast(r.${name} as double precision) as ${name}`),
  ].join(", "),
);

/** Returns a function that tells the runs of one of these versions. */
async function readRunsOf(
  session: Session,
  versions: readonly VersionRow[],
): Promise<(version: VersionRow) => Run[]> {
  const [naming, others] = [true, false].map((names) =>
    versions.filter(({ run_id }) => (run_id !== null) === names),
  ) as [VersionRow[], VersionRow[]];
  const [named, found] = await Promise.all([readRunsById(session, naming), readRunsByTask(session, others)]);
  const runById = new Map(named.map((run) => [`${run.project} ${run.id}`, run]));
  const runsByAsset = Map.groupBy(found, ({ asset }) => asset);
  return ({ asset, project, run_id }) => {
    if (run_id === null) return runsByAsset.get(asset) ?? [];
    const run = runById.get(`${project} ${run_id}`);
    return run ? [run] : [];
  };
}

async function readRunsById(session: Session, versions: readonly VersionRow[]): Promise<Run[]> {
  if (versions.length === 0) return [];
  const list = session.dialect.jsonElements(
    JSON.stringify(versions.map(({ run_id, project }) => [run_id, project])),
  );
  return allRows(
    session,
    sql`select ${runColumns} from runs as r
      where (r.id, r.project) in (select value ->> 0, value ->> 1 from ${list})`,
  );
}

/** The source of the decisions is a literal: SQLite uses a partial index only by its literal condition. */
function rejectedIn({ dialect }: Session, slugs: string[], { from, to }: UsageRange): SQL {
  const after = toMicros(`${from}T00:00:00Z`);
  const before = toMicros(`${to}T00:00:00Z`) + dayMicros;
  const isVisible = dialect.isIn(sql`d.project`, sql`select value from ${elements(dialect, slugs)}`);
  const rejectedBy = (isRejected: SQL) =>
    sql`select a.id as asset, a.title, a.version, a.project,
      coalesce(a.issue, ${issueOfPullRequest("a")}) as issue, a.pr, a.run_id, a.created_by,
      a.created_at, p.created_at as previous_at, d.valid_from as rejected_at
    from decisions as d
    join assets as a on ${isRejected} and a.reviewed_at = d.valid_from
    left join assets as p on p.id = a.parent_id
    where d.source = 'review' and ${isVisible} and d.valid_from >= ${after} and d.valid_from < ${before}`;
  const ofAsset = sql`a.id = d.source_ref`;
  const ofItsSet = sql`${isOfSet("d")} and a."set" = ${setOfDecision("d")} and a.project = d.project`;
  // A variant with annotations also has a decision of its own: `union` keeps one row.
  return sql`${rejectedBy(ofAsset)} union ${rejectedBy(ofItsSet)}`;
}

/** One query for each index of runs: by issue, by pull requests of the issue, and by pull request. */
async function readRunsByTask(
  session: Session,
  versions: readonly VersionRow[],
): Promise<(Run & { asset: string })[]> {
  if (versions.length === 0) return [];
  const list = JSON.stringify(
    versions.map(({ asset, project, created_by, issue, pr, created_at, previous_at }) => [
      ...[asset, project, created_by],
      ...[issue, pr, created_at, previous_at].map(toNumber),
    ]),
  );
  const [texts, numbers] = [
    ["asset", "project", "created_by"].map((name, at) => `value ->> ${at} as ${name}`),
    ["issue", "pr", "created_at", "previous_at"].map(
      (name, at) => `cast(value ->> ${3 + at} as bigint) as ${name}`,
    ),
  ];
  const issue = sql`coalesce(r.issue, ${issueOfPullRequest("r")})`;
  const hasMade = sql`r.project = v.project and r.actor = v.created_by and r.started_at <= v.created_at
    and (v.previous_at is null or r.started_at > v.previous_at)`;
  const conditions = [
    sql`r.issue = v.issue and ${hasMade}`,
    sql`v.issue is null and r.issue is null and r.pr = v.pr and ${hasMade}`,
  ];
  // Cross joins, whose order SQLite keeps: it would read all runs, and look up their few versions.
  const found = conditions.map(
    (condition) => sql`select v.asset, ${runColumns} from v cross join runs as r where ${condition}`,
  );
  found.push(sql`select v.asset, ${runColumns} from v cross join pulls cross join runs as r
    where pulls.asset = v.asset and r.pr = pulls.pr and r.issue is null and ${issue} = v.issue
      and ${hasMade}`);
  // Materialized: the few versions are read first, whatever the planner knows of the runs.
  return allRows(
    session,
    sql`with v as materialized (select ${sql.raw([...texts, ...numbers].join(", "))}
        from ${session.dialect.jsonElements(list)}),
      pulls as materialized (select v.asset, p.pr from v
        cross join pull_request_issues as p where p.issue = v.issue and p.project = v.project
      union select v.asset, named.pr from v
        cross join runs as named
        where named.issue = v.issue and named.project = v.project and named.pr is not null)
    select * from (${sql.join(found, sql` union all `)}) as found order by asset, id`,
  );
}
