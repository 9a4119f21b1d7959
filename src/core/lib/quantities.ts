/**
 * Quantities and times as people write them. Times are UTC, because the server does not know the reader's
 * time zone. `Intl` formatters are expensive to construct, so each is constructed once,
 * when it is first needed.
 */
import { lazy } from "./lazy.ts";

const currencyFormat = (least: number, most: number) =>
  lazy(() => new Intl.NumberFormat("en", { minimumFractionDigits: least, maximumFractionDigits: most }));
const [centsFormat, dollarsAndCentsFormat, dollarsFormat] = [
  currencyFormat(2, 3),
  currencyFormat(2, 2),
  currencyFormat(0, 0),
];
const days = (options: Intl.DateTimeFormatOptions) =>
  lazy(() => new Intl.DateTimeFormat("en-GB", { ...options, year: "numeric", timeZone: "UTC" }));
const [longDateFormat, dateFormat] = [
  days({ weekday: "long", day: "numeric", month: "long" }),
  days({ day: "numeric", month: "short" }),
];

/** $0.042, $1.20, $1,204 */
export const formatCost = (usd: number): string =>
  `$${(usd < 0.1 ? centsFormat : usd < 1000 ? dollarsAndCentsFormat : dollarsFormat)().format(usd)}`;

/** 340 ms, 12 s, 3 min, 2 h 5 min */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h${minutes % 60 ? ` ${minutes % 60} min` : ""}`;
}

/** Friday, 20 November 2026 */
export const formatLongDate = (day: string): string => longDateFormat().format(new Date(`${day}T00:00:00Z`));

/** 20 Nov 2026 */
export const formatDate = (ts: string): string => dateFormat().format(new Date(ts));

/** The names of months as `formatDate` has them: `Intl` takes longer than the row of a list that has a time. */
const monthNames = lazy(() =>
  Array.from(
    { length: 12 },
    (_, month) => formatDate(new Date(Date.UTC(2000, month)).toISOString()).split(" ")[1],
  ),
);

/** 20 Nov 2026, 14:03 UTC. @param ts in UTC */
export function formatDateTime(ts: string): string {
  const month = monthNames()[Number(ts.slice(5, 7)) - 1];
  return `${Number(ts.slice(8, 10))} ${month} ${ts.slice(0, 4)}, ${ts.slice(11, 16)} UTC`;
}

/** 1 section, 2 sections */
export const pluralize = (count: number, name: string, plural = `${name}s`): string =>
  `${count} ${count === 1 ? name : plural}`;
