/** Rebuilds runs from the events, and compares the two. */
import { and, asc, type SQL, sql } from "drizzle-orm";
import type { RunEvent, RunState } from "../../../src/feed/runs/fold.ts";
import { derivedRunIdPrefix } from "../../../src/feed/runs/rule.ts";
import type { Session } from "../../engine/session.ts";
import { allRows, tuple } from "../../query/statements.ts";
import { type TellShare, WrongRows } from "../../query/wrong-rows.ts";
import { derivePipelines, deriveRuns } from "./derive.ts";
import { readRunsOf } from "./known-runs.ts";
import { isPipelineId } from "./pipelines.ts";
import { recordRuns } from "./record.ts";
import { type Stored, toState } from "./states.ts";

/** Folds the next events of a log that is read from its beginning, in the order of the feed. */
export async function recordFromLog(session: Session, events: readonly RunEvent[]): Promise<void> {
  const known = await readRunsOf(session, events);
  const { begun } = await recordRuns(session, known, events, Number.NEGATIVE_INFINITY, new Set());
  await derivePipelines(session, begun, events.at(-1)?.ts);
}

/** Deletes all runs, before they are rebuilt from their events. */
export const clearRuns = (session: Session): Promise<unknown> => allRows(session, sql`delete from runs`);

const runsPerPage = 200;

/** The ids of runs that differ from their events, of those without events, and of those that are missing. */
export async function findWrongRuns(session: Session, tellShare: TellShare): Promise<WrongRows> {
  const wrong = new WrongRows();
  await wrong.addFrom(session, sql`${missingNamed} union ${missingDerived}`);
  const [counted] = await allRows<{ count: number }>(session, sql`select count(*) as count from runs`);
  let runsSoFar = 0;
  for await (const states of pagesOfStates(session)) {
    const derived = await deriveRuns(session, states);
    for (const [index, state] of states.entries()) {
      const own = derived[index];
      if (!own || !isSame(state, own)) wrong.add(state.id);
    }
    runsSoFar += states.length;
    tellShare(runsSoFar / (Number(counted?.count) || 1));
  }
  return wrong;
}

const missingNamed: SQL = sql`select run_id as name from events as e
  where run_id is not null and project is not null
    and (not ${isPipelineId(sql`e.run_id`)} or kind in ('run.started', 'run.finished', 'run.failed'))
    and not exists (select 1 from runs as r where r.id = e.run_id and r.project = e.project)`;

const derivedId: SQL = sql`${sql.raw(`'${derivedRunIdPrefix}'`)} || e.id`;
const missingDerived: SQL = sql`select ${derivedId} as name from events as e
  where kind = 'run.started' and run_id is null and project is not null
    and not exists (select 1 from runs as r where r.id = ${derivedId} and r.project = e.project)`;

async function* pagesOfStates({ db, t: { runs } }: Session): AsyncGenerator<RunState[]> {
  for (let last: Stored | undefined; ; ) {
    const page = await db
      .select()
      .from(runs)
      .where(and(last && sql`${tuple([runs.id, runs.project])} > ${tuple([last.id, last.project])}`))
      .orderBy(asc(runs.id), asc(runs.project))
      .limit(runsPerPage);
    yield page.map(toState);
    if (page.length < runsPerPage) return;
    last = page.at(-1);
  }
}

/** Floating-point sums depend on the order of their addends. */
const isClose = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-6 * (1 + Math.abs(b));

function isSame({ cost_equiv: stored, ...a }: RunState, { cost_equiv: derived, ...b }: RunState): boolean {
  return isClose(stored, derived) && Bun.deepEquals(a, b);
}
