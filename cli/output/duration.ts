/**
 * Parses a flag such as `90s`, `15m`, `1h`, `7d` or `2w`.
 *
 * @returns microseconds
 * @throws UsageError
 */
import { type Micros, parseTime, secondMicros, toMicros } from "../../src/core/lib/time.ts";
import { UsageError } from "../command.ts";

const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** A duration such as `90s`, in microseconds. @throws UsageError that names the flag */
export function parseDuration(flag: string, text: string): Micros {
  const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  if (!count || !unit)
    throw new UsageError(`--${flag} must be a duration such as 90s, 15m, 1h, 7d or 2w, not "${text}".`);
  return Number(count) * (unitSeconds[unit] as number) * secondMicros;
}

/** Parses `--since`: a timestamp, or a duration before now. */
export function sinceOf(text: string): (now: number) => number {
  if (/^\d+[a-z]$/.test(text)) {
    const before = parseDuration("since", text);
    return (now) => now - before;
  }
  if (parseTime(text) === null)
    throw new UsageError("--since must be an RFC 3339 timestamp, or a duration such as 7d.");
  return () => toMicros(text);
}
