/** Timestamps: integer microseconds since the Unix epoch internally, RFC 3339 text on the wire. */

export type Micros = number;

const shape =
  /^\d{4}-\d\d-\d\d[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Nanoseconds since the epoch of a strict RFC 3339 timestamp (any offset, up to nanoseconds), or null. */
export function parseTime(text: string): bigint | null {
  if (!shape.test(text)) return null;
  try {
    return Temporal.Instant.from(text.toUpperCase()).epochNanoseconds;
  } catch {
    return null; // not a calendar date, such as February 30
  }
}

const floorToMicros = (ns: bigint): Micros => Number(ns >= 0n ? ns / 1000n : -((-ns + 999n) / 1000n));

/** Microseconds of a timestamp, rounded down. The text must have passed schema validation. */
export const toMicros = (text: string): Micros => floorToMicros(parseTime(text) as bigint);

/** Microseconds of any text, rounded down; null when it is no timestamp. */
export function parseMicros(text: string): Micros | null {
  const ns = parseTime(text);
  return ns === null ? null : floorToMicros(ns);
}

/** Microseconds of a timestamp, rounded up: `ts < ceilMicros(t)` means "strictly older than t". */
export const ceilMicros = (text: string): Micros => floorToMicros((parseTime(text) as bigint) + 999n);

/** The second of the last timestamp that was written, and its text: most are of the same second. */
const lastSecond = { at: Number.NaN, text: "" };

/** The timestamp as text, such as `2026-01-02T03:04:05.123456Z`. */
export function fromMicros(micros: Micros): string {
  const at = Math.floor(micros / 1_000_000);
  if (at !== lastSecond.at) {
    lastSecond.text = new Date(at * 1000).toISOString().slice(0, -4);
    lastSecond.at = at;
  }
  return `${lastSecond.text}${String(micros - at * 1_000_000).padStart(6, "0")}Z`;
}

export const secondMicros = 1_000_000;
export const minuteMicros = 60 * secondMicros;
export const dayMicros = 86_400 * secondMicros;

/** The UTC date of a timestamp, such as `2026-01-02`. */
export const dayOf = (micros: Micros): string =>
  new Date(Math.floor(micros / 1000)).toISOString().slice(0, 10);

/** A time to the minute, for people: `2026-01-02 03:04 UTC`. */
export const minuteOf = (micros: Micros): string => minuteText(fromMicros(micros));

/** The same of a timestamp of RFC 3339 in UTC. */
export const minuteText = (timestamp: string): string => `${timestamp.slice(0, 16).replace("T", " ")} UTC`;
