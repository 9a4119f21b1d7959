/** @jsxImportSource preact */
/** Points in time, rendered in UTC. A script shows them in the viewer's time zone, with UTC on hover. */
import type { Micros } from "../core/lib/time.ts";
import { formatAge, formatDate, formatDateTime, formatTime } from "./format.ts";

const formats = {
  /** 14:03:44 */
  time: formatTime,
  /** 20 Nov 2026 */
  date: formatDate,
  /** 20 Nov 14:03 */
  short: (ts: string): string => `${formatDate(ts).slice(0, -5)} ${ts.slice(11, 16)}`,
  /** 20 Nov 2026, 14:03 UTC */
  "date-time": formatDateTime,
};

/** A timestamp as the value of `datetime`: HTML allows three digits of a fraction of a second. */
export const htmlTime = (ts: string): string => ts.replace(/(?<=\.\d{3})\d+/, "");

/** @param ts an RFC 3339 timestamp in UTC */
export const Time = ({ ts, as = "date" }: { ts: string; as?: keyof typeof formats }) => (
  <time dateTime={htmlTime(ts)} data-format={as}>
    {formats[as](ts)}
  </time>
);

/** How long ago, in days, months, or years; the time on hover. */
export const Age = ({ ts, now }: { ts: string; now: Micros }) => (
  <time dateTime={htmlTime(ts)} title={formatDateTime(ts)}>
    {formatAge(ts, now)}
  </time>
);
