/** What the sender of an event says about its run, kept in the payload of the event's row. */
import { type Micros, parseMicros } from "../lib/time.ts";

export interface RunPayload {
  /** When it happened, by the sender's clock (RFC 3339). */
  ts?: string;
  /** The run that started this one. */
  parent_run_id?: string;
}

type Sent = { [F in keyof RunPayload]?: RunPayload[F] | null | undefined };

/** The payload of an event; null when the sender said neither. */
export function payloadOf({ ts, parent_run_id }: Sent): RunPayload | null {
  if (!ts && !parent_run_id) return null;
  return { ...(ts && { ts }), ...(parent_run_id && { parent_run_id }) };
}

/** Times beyond this are not exact as JavaScript numbers: the years 1684 and 2255. */
const latest = Number.MAX_SAFE_INTEGER;

/** Reads a stored payload. A webhook's payload can hold anything, so each field is checked. */
export function readPayload(payload: unknown): { at: Micros | null; parent: string | null } {
  if (typeof payload !== "object" || payload === null) return { at: null, parent: null };
  const { ts, parent_run_id: parent }: { ts?: unknown; parent_run_id?: unknown } = payload;
  const at = typeof ts === "string" ? parseMicros(ts) : null;
  return {
    at: at === null ? null : Math.max(-latest, Math.min(latest, at)),
    parent: typeof parent === "string" ? parent : null,
  };
}
