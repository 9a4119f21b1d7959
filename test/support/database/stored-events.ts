/** Rows of events, read and written apart from the data layer. */
import { readEvent, renderEvent } from "../../../src/feed/render-event.ts";
import type { EventRow } from "../../../src/feed/schema.ts";
import { rowsOf } from "./database.ts";

/** All events with the fields of their text, sorted by their idempotency keys. */
export async function storedEvents(url: string) {
  const rows = await rowsOf(url, "select ts, wire, dedupe_key, payload from events order by dedupe_key");
  return rows.map(({ ts, wire, dedupe_key, payload }) => ({
    ...readEvent({ ts: Number(ts), wire: String(wire) }),
    ...{ dedupe_key, payload },
  }));
}

/** An event with every field. */
export const eventRow = (fields: Pick<EventRow, "id" | "ts"> & Partial<EventRow>): EventRow => ({
  ...{ kind: "run.started", actor: "agent:codex", summary: "Run 7 started", project: null, repo: null },
  ...{ issue: null, pr: null, task: null, lane: null, model: null, subscription: null },
  ...{ tokens_in: 0, tokens_out: 0, cache_read: 0, cache_write: 0, cost_equiv: 0, cost_source: null },
  ...{ duration_ms: null, url: null, run_id: null, team: null, person: null },
  ...fields,
});

/** Inserts values of text and numbers into a table. */
export const insertRow = (url: string, table: string, row: Record<string, unknown>) =>
  rowsOf(
    url,
    `insert into ${table} (${Object.keys(row).join()}) values (${Object.values(row).map(literal).join()})`,
  );

const literal = (value: unknown): string =>
  value === null || typeof value === "number" ? String(value) : `'${String(value).replaceAll("'", "''")}'`;

/** Adds only the row of an event, as an older version beside this one leaves it to this one. */
export const insertEvent = (url: string, fields: Parameters<typeof eventRow>[0]) => {
  const row = eventRow(fields);
  const { id, ts, kind, actor, project } = row;
  return insertRow(url, "events", { id, ts, kind, actor, project, wire: renderEvent(row) });
};
