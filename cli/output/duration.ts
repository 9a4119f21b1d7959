/**
 * Parses a flag such as `90s`, `15m`, `1h`, `7d` or `2w`.
 *
 * @returns microseconds
 * @throws UsageError
 */
import { fromMicros, type Micros, parseTime, secondMicros } from "../../src/core/lib/time.ts";
import { UsageError } from "../command-errors.ts";

const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** A duration such as `90s`, in microseconds. @throws UsageError that names the flag */
export function parseDuration(flag: string, text: string): Micros {
  const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  if (!count || !unit)
    throw new UsageError(`--${flag} must be a duration such as 90s, 15m, 1h, 7d or 2w, not "${text}".`);
  return Number(count) * (unitSeconds[unit] as number) * secondMicros;
}

/** `--since` as a timestamp: it is one, or a duration before now. @throws UsageError */
export function instantOf(text: string): string {
  if (/^\d+[a-z]$/.test(text)) return fromMicros(Date.now() * 1_000 - parseDuration("since", text));
  if (parseTime(text) === null)
    throw new UsageError("--since must be an RFC 3339 timestamp, or a duration such as 7d.");
  return text;
}
