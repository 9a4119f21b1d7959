/** The JSON text of an event, and the source of its cost. */
import { fromMicros } from "../lib/time.ts";
import { asUri } from "../wire.ts";
import { type EventRow, eventFields } from "./schema.ts";

/** A cost without a source was named by its sender; an event without a cost has none. */
export const costSourceOf = ({ cost_equiv, cost_source }: Partial<EventRow>): string | null =>
  cost_source ?? (cost_equiv ? "reported" : null);

/**
 * Renders an event as JSON, once, when it is appended. The text is stored with the row and sent unchanged. It
 * has no `run_id` when the sender gave none, and no `cost_source` without a cost, like the events from before
 * those fields.
 */
export function renderEvent(row: EventRow): string {
  const event: Record<string, unknown> = {};
  for (const field of eventFields) event[field] = row[field];
  if (row.run_id === null) delete event.run_id;
  if (row.cost_source === null) delete event.cost_source;
  event.ts = fromMicros(row.ts);
  if (row.url !== null) event.url = asUri(row.url);
  return JSON.stringify(event);
}
