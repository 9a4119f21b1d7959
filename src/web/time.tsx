/** @jsxImportSource preact */
/** Points in time, rendered in UTC. A script shows them in the viewer's time zone, with UTC on hover. */
import type { Micros } from "../lib/time.ts";
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

/** @param ts an RFC 3339 timestamp in UTC */
export const Time = ({ ts, as = "date" }: { ts: string; as?: keyof typeof formats }) => (
  <time dateTime={ts} data-format={as}>
    {formats[as](ts)}
  </time>
);

/** How long ago, in days, months, or years; the time on hover. */
export const Age = ({ ts, now }: { ts: string; now: Micros }) => (
  <time dateTime={ts} title={formatDateTime(ts)}>
    {formatAge(ts, now)}
  </time>
);
