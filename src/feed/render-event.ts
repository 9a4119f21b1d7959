/** The JSON text of an event, and the source of its cost. */
import { fromMicros, type Micros } from "../core/lib/time.ts";
import { issueOnly, taskNumberOf } from "../core/task-key.ts";
import { asUri } from "../core/wire.ts";
import type { Event, EventRow } from "./schema.ts";

/** A cost without a source was named by its sender; an event without a cost has none. */
export const costSourceOf = ({ cost_equiv, cost_source }: Partial<EventRow>): string | null =>
  cost_source ?? (cost_equiv ? "reported" : null);

/**
 * Renders an event as JSON, once, when it is appended. The text is stored with the row and sent unchanged. It
 * has no `task` and no `run_id` when the sender gave none, no `cost_source` without a cost, and no unknown
 * `team` or `person`, like the events from before those fields.
 * @param row its fields are exactly those of an event, in the order of the wire
 */
export function renderEvent(row: EventRow): string {
  const event: Record<string, unknown> = { ...row };
  event.ts = fromMicros(row.ts);
  event.issue = issueOnly(row.issue);
  if (row.url !== null) event.url = asUri(row.url);
  // Not deleted: an object that has lost a field takes twice as long to write.
  if (row.task === null) event.task = undefined;
  if (row.run_id === null) event.run_id = undefined;
  if (row.cost_source === null) event.cost_source = undefined;
  if (row.team === null) event.team = undefined;
  if (row.person === null) event.person = undefined;
  return JSON.stringify(event);
}

/** Reads the fields of a stored event from its text, which has all of them. */
export function readEvent({ ts, wire }: { ts: Micros; wire: string }): EventRow {
  const event: Event = JSON.parse(wire);
  const { task = null, run_id = null, cost_source = null, team = null, person = null } = event;
  return {
    ...event,
    ts,
    issue: taskNumberOf({ issue: event.issue, task }),
    task,
    run_id,
    cost_source,
    team,
    person,
  };
}
