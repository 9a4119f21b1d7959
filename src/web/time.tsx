/**
 * Points in time, rendered in UTC. One rule on every page: a script shows how long ago, up to seven days, and
 * the date after that, with the exact time in the viewer's time zone and in UTC on hover.
 */
import { formatDateTime, formatTime } from "./format.ts";

/** A timestamp as the value of `datetime`: HTML allows three digits of a fraction of a second. */
export const htmlTime = (ts: string): string => ts.replace(/(?<=\.\d{3})\d+/, "");

interface TimeProps {
  /** An RFC 3339 timestamp in UTC. */
  ts: string;
  /** `clock`: below a heading that has the day. `exact`: after "since" and "until". */
  as?: "age" | "clock" | "exact";
}

export const Time = ({ ts, as = "age" }: TimeProps) => (
  <time dateTime={htmlTime(ts)} data-format={as}>
    {as === "clock" ? formatTime(ts) : formatDateTime(ts)}
  </time>
);
