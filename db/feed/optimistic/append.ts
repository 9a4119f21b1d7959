/**
 * Optimistic append: one statement that checks what the append expects of the database, so that the lock
 * that orders events is not held while the network carries anything. What is expected is known from the
 * appends before, or read without the lock. With Postgres 2 ms away, four nodes with a project each append
 * three times as many events as when they waited for each other's trips (`bun run bench append-nodes`).
 */

import type { Micros } from "../../../src/core/lib/time.ts";
import type { NewAudit } from "../../../src/core/rows.ts";
import type { AppendResult } from "../../../src/feed/port.ts";
import { renderAfterTime } from "../../../src/feed/render-event.ts";
import type { Appendable } from "../../../src/feed/rows.ts";
import { derivedRunId, derivedRunIdPrefix } from "../../../src/feed/runs/rule.ts";
import type { EventRow } from "../../../src/feed/schema.ts";
import { isRefused, isRetryable } from "../../engine/errors.ts";
import type { Session } from "../../engine/session.ts";
import { wellFormedJson } from "../../query/sql.ts";
import { type ExpectedSpending, expectedSpending } from "../budgets/record.ts";
import { eventColumns, toRow, valuesOf } from "../events.ts";
import { runEventOf } from "../runs/events-of.ts";
import { foldRuns } from "../runs/record.ts";
import type { KnownRun } from "../runs/run-cache.ts";
import { columnNames, toRow as toRunRow } from "../runs/states.ts";
import { type Eligible, eligible } from "./eligible.ts";
import { type Expected, readExpected, rememberRuns } from "./expected.ts";
import { runStatement, type Stored } from "./statement.ts";
import { auditColumns, expectedId, unassignedRunId } from "./statement-values.ts";
import { narrowForDurations, shiftTimes, type TimeWindow, windowFrom } from "./time-window.ts";

/** The second attempt reads the projects again, which another process may have appended to. */
const attemptsMax = 2;

/** Of events: their rows, with the times that are expected, and how they change runs. */
interface Plan extends Expected {
  added: EventRow[];
  window: TimeWindow;
  changed: KnownRun[];
  spending: ExpectedSpending[];
}

/**
 * Appends batches in order, outside of a transaction.
 * @param clock tells the current time of the machine
 * @param auditOf returns the rows for the audit log; ids and times of events may be others in the end
 * @returns null if it has to be done under the lock, by events.ts; nothing was appended then
 */
export async function appendOptimistically(
  session: Session,
  batches: readonly Appendable[][],
  clock: () => Micros,
  auditOf: (results: AppendResult[]) => NewAudit[],
): Promise<AppendResult[] | null> {
  const append = eligible(session, batches.flat());
  if (!append) return null;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const plan = await planAppend(session, append, clock);
    if (!plan) break;
    const results = split(batches, plan.added);
    const outcome = await send(session, append, plan, auditOf(results));
    if (outcome?.isStored) {
      complete(session, append, plan, outcome);
      return results;
    }
    session.projects.invalidate(append.projects.keys());
    if (outcome?.hasDuplicates) break;
  }
  session.projects.forget(append.projects.keys()); // runs that were changed in memory alone
  return null;
}

/** @returns null if it needs the lock */
async function planAppend(session: Session, append: Eligible, clock: () => Micros): Promise<Plan | null> {
  const { events } = append;
  const expected = await readExpected(session, append);
  if (!expected) return null;
  const { head, known } = expected;
  const start = Math.max(clock(), head.ts + 1);
  const added = events.map((event, index) => toRow(event, expectedId(index), start + index));
  const spending = await expectedSpending(session, head.budgets, added, start);
  const runEvents = added.map((row, index) => runEventOf(row, events[index]?.payload));
  const widest = windowFrom(start, known.runs.values(), runEvents, events);
  const { changed, begun } = await foldRuns(session, known, runEvents, start - 1, new Set());
  const window = narrowForDurations(widest, added.length, changed);
  if (begun.length > 0 || start + added.length > window.end) return null;
  return { ...expected, added, window, changed, spending };
}

/** @returns null if another process was faster by less than the wait for the lock */
function send(session: Session, append: Eligible, plan: Plan, audit: NewAudit[]) {
  const columns = eventColumns(session);
  const names = columnNames(session);
  const values = ({ index, row }: { index: number; row: EventRow }) => [
    ...valuesOf(columns, row, append.events[index] as Appendable, renderAfterTime(row)),
    append.facets[index] as number,
  ];
  const rowOf = (run: KnownRun) => {
    const row: Record<string, unknown> = toRunRow(run);
    return names.map((name) => row[name]);
  };
  const projects = [...append.projects].map(([slug, { count, last }]) => [
    slug,
    session.projects.events(slug),
    count,
    last,
  ]);
  return runStatement(session)({
    ...plan.window,
    count: plan.added.length,
    budgets: plan.head.budgets,
    keys: JSON.stringify(append.keys),
    deliveries: JSON.stringify(append.deliveries),
    projects: JSON.stringify(projects),
    issues: JSON.stringify(append.issues),
    pulls: JSON.stringify(append.pulls),
    events: wellFormedJson(plan.added.map((row, index) => values({ index, row }))),
    runs: wellFormedJson(plan.changed.map(rowOf)),
    spending: JSON.stringify(plan.spending),
    audit: wellFormedJson(audit.map((row) => auditColumns.map((name) => row[name]))),
  }).catch((error) => {
    if (isRefused(error) || isRetryable(error)) return null;
    throw error;
  });
}

/** Remembers what is stored now. */
function complete(session: Session, append: Eligible, plan: Plan, { id, ts, derived }: Stored): void {
  const { added, head, window } = plan;
  for (const [index, row] of added.entries()) {
    Object.assign(row, { id: id + 1 + index, ts: ts + index });
    session.pendingEvents.set(row.id, row);
  }
  for (const { state } of plan.changed) {
    if (ts !== window.start) shiftTimes(state, window, ts - window.start);
    if (state.id.startsWith(unassignedRunId))
      state.id = derivedRunId({ id: id - Number(state.id.slice(derivedRunIdPrefix.length)) });
  }
  const last = id + added.length;
  session.projects.head = { ...head, id: last, ts: ts + added.length - 1, derived };
  for (const [slug, { count }] of append.projects) session.projects.advance(slug, count);
  rememberRuns(session.projects, append, plan);
}

function split(batches: readonly Appendable[][], added: EventRow[]): AppendResult[] {
  let next = 0;
  return batches.map(({ length }) => ({ added: added.slice(next, (next += length)), duplicates: 0 }));
}
