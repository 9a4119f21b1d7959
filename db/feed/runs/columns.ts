/** The columns of a run as the port returns it. */
import { getTableColumns, sql } from "drizzle-orm";
import type { RunOutline, RunRow } from "../../../src/feed/rows.ts";
import type { Session } from "../../engine/session.ts";
import { issueOfPullRequest } from "../tasks/pull-request-issues.ts";
import { readTaskKeys } from "../tasks/task-keys.ts";

/** The columns of an outline that every run has. */
const outlineNames = [
  ...(["id", "project", "issue", "pr", "actor", "lane", "branch", "summary"] as const),
  ...(["started_at", "last_event_at", "listed_at", "cost_equiv", "assets", "decisions"] as const),
] as const;

type Stored = Session["t"]["runs"]["$inferSelect"];
interface NewestBrief {
  brief_hash: string | null;
  brief_at: number | null;
  brief_chars: number | null;
}

/** The newest opening of its task, as JSON; the conditions on `kind` are those of partial indexes. */
const openedTask = sql<string | null>`coalesce(
  (select wire from events as opened where opened.project = runs.project and opened.issue = runs.issue
    and opened.kind = 'issue.opened' order by opened.ts desc limit 1),
  (select wire from events as opened where opened.project = runs.project and opened.pr = runs.pr
    and opened.kind = 'pr.opened' order by opened.ts desc limit 1))`;

/** The columns of a RunOutline. */
export function outlineColumns({ t: { runs } }: Session) {
  const columns = Object.fromEntries(outlineNames.map((name) => [name, runs[name]])) as Pick<
    typeof runs,
    (typeof outlineNames)[number]
  >;
  return { ...columns, ...taskColumns() };
}

const taskColumns = () => ({
  issue_of_pr: sql<number | null>`case when runs.issue is null and runs.pr is not null
    then ${issueOfPullRequest("runs")} end`.as("issue_of_pr"),
  opened_task: openedTask.as("opened_task"),
});

/** The columns of a RunRow, with those of its newest brief. */
export function runColumns({ t: { runs } }: Session) {
  const { marks: _, token: __, files: ___, ...columns } = getTableColumns(runs);
  // Qualified by hand: in a select from one table, drizzle leaves the table out of the names of columns.
  const newest = <T>(name: "hash" | "at" | "chars") =>
    sql<T>`(select ${sql.identifier(name)} from briefs as one where one.run_id = runs.id
      and one.project = runs.project order by one.id desc limit 1)`.as(`brief_${name}`);
  return {
    ...columns,
    ...taskColumns(),
    brief_hash: newest<string | null>("hash"),
    brief_at: newest<number | null>("at"),
    brief_chars: newest<number | null>("chars"),
  };
}

export type ReadOutline = Omit<RunOutline, "task">;
export type ReadRun = Omit<Stored, "marks" | "token" | "files"> &
  NewestBrief &
  Pick<RunRow, "issue_of_pr" | "opened_task">;

const toRunRow = ({
  models,
  brief_hash: hash,
  brief_at: at,
  brief_chars: chars,
  issue_of_pr,
  ...row
}: ReadRun): RunRow => ({
  ...row,
  task: null,
  models: JSON.parse(models),
  issue_of_pr: numberOf(issue_of_pr),
  brief: hash === null ? null : { hash, at: Number(at), chars: Number(chars) },
});

/** Postgres returns the bigints of an expression as strings. */
const numberOf = (value: number | null): number | null => (value === null ? null : Number(value));

/** Runs as the port returns them, with the keys of their tasks. */
export const toRunRows = (session: Session, rows: readonly ReadRun[]): Promise<RunRow[]> =>
  withKeys(session, rows.map(toRunRow));

export const toOutlines = (session: Session, rows: readonly ReadOutline[]): Promise<RunOutline[]> =>
  withKeys(
    session,
    rows.map((row) => Object.assign(row, { issue_of_pr: numberOf(row.issue_of_pr) })),
  );

/** Adds them to the rows themselves: to copy the hundreds of an inbox would take as long as to read them. */
async function withKeys<Row extends Pick<RunRow, "project" | "issue" | "issue_of_pr">>(
  session: Session,
  rows: readonly Row[],
): Promise<(Row & Pick<RunRow, "task">)[]> {
  const places = rows.map(({ project, issue, issue_of_pr }) => ({ project, issue: issue ?? issue_of_pr }));
  const keyOf = await readTaskKeys(session, places);
  return rows.map((row, index) =>
    Object.assign(row, { task: keyOf(places[index] as (typeof places)[number]) }),
  );
}

export async function toOneRunRow(session: Session, row: ReadRun | undefined): Promise<RunRow | null> {
  const [run] = row ? await toRunRows(session, [row]) : [];
  return run ?? null;
}
