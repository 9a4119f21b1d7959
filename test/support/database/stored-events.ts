/** Rows of events, read apart from the data layer. */
import { readEvent } from "../../../src/feed/render-event.ts";
import { rowsOf } from "./database.ts";

/** All events with the fields of their text, sorted by their idempotency keys. */
export async function storedEvents(url: string) {
  const rows = await rowsOf(url, "select ts, wire, dedupe_key, payload from events order by dedupe_key");
  return rows.map(({ ts, wire, dedupe_key, payload }) => ({
    ...readEvent({ ts: Number(ts), wire: String(wire) }),
    ...{ dedupe_key, payload },
  }));
}
