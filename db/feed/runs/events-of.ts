/** The events of a run: those that name it or, by the rule, those of its actor and task in its time. */
import { and, eq, gte, isNull, lte, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { readEvent } from "../../../src/feed/render-event.ts";
import type { RunRow } from "../../../src/feed/rows.ts";
import type { RunEvent } from "../../../src/feed/runs/fold.ts";
import { emptyPayload, readPayload } from "../../../src/feed/runs/payload.ts";
import type { EventRow } from "../../../src/feed/schema.ts";
import type { Session } from "../../engine/session.ts";

/** What identifies the events of a run. A derived run has no event after `last_event_at`. */
export type EventsOfRun = Pick<
  RunRow,
  "id" | "project" | "rule_key" | "actor" | "issue" | "pr" | "started_at" | "last_event_at"
>;

/** The condition for the events of a run: by its ID or, without one, by the rule of `src/feed/runs/rule.ts`. */
export function eventsOf(session: Session, run: EventsOfRun): SQL | undefined {
  const { events } = session.t;
  const inProject = sql`${session.dialect.unindexed(events.project)} = ${run.project}`;
  if (run.rule_key === null) return and(eq(events.run_id, run.id), inProject);
  return and(
    eq(events.actor, run.actor),
    gte(events.ts, run.started_at),
    lte(events.ts, run.last_event_at),
    inProject,
    isNull(events.run_id),
    taskOf(session, run, events),
  );
}

/** The condition that a row is of the run's task: its issue or, without one, its pull request. */
export function taskOf(
  { dialect }: Session,
  run: Pick<RunRow, "issue" | "pr">,
  { issue, pr }: Record<"issue" | "pr", SQLWrapper>,
): SQL {
  const plain = (column: SQLWrapper) => dialect.unindexed(column);
  if (run.issue !== null) return sql`${plain(issue)} = ${run.issue}`;
  return run.pr !== null
    ? sql`${plain(issue)} is null and ${plain(pr)} = ${run.pr}`
    : sql`${plain(issue)} is null and ${plain(pr)} is null`;
}

export type StoredEvent = Session["t"]["events"]["$inferSelect"];

/** A stored event as the fold takes it. */
export const toRunEvent = (row: Pick<StoredEvent, "ts" | "wire" | "payload">): RunEvent =>
  runEventOf(readEvent(row), row.payload === null ? null : JSON.parse(row.payload));

/** By the rule, the order of the feed counts, not the sender's clock. */
export function runEventOf(row: EventRow, payload: unknown): RunEvent {
  const isNamed = row.run_id !== null;
  const read = readPayload(payload);
  const { at, ...fields } = isNamed || row.kind === "run.started" ? read : emptyPayload;
  return { ...row, ...fields, isCorrection: read.isCorrection, at: isNamed ? (at ?? row.ts) : row.ts };
}
