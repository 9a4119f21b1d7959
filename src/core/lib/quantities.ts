/**
 * Quantities and times as people write them. Times are UTC, because the server does not know the reader's
 * time zone. `Intl` formatters are expensive to construct, so each of numbers is constructed once,
 * when it is first needed. Dates use none: its calendars would take 7 ms of the first page of a process.
 */
import { lazy } from "./lazy.ts";

const currencyFormat = (least: number, most: number) =>
  lazy(() => new Intl.NumberFormat("en", { minimumFractionDigits: least, maximumFractionDigits: most }));
const [centsFormat, dollarsAndCentsFormat, dollarsFormat] = [
  currencyFormat(2, 3),
  currencyFormat(2, 2),
  currencyFormat(0, 0),
];

/** As `Intl` has them for en-GB. */
const monthNames = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
];
const shortMonthNames = monthNames.map((name) => (name === "September" ? "Sept" : name.slice(0, 3)));
const dayNames = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

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
export function formatLongDate(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  return `${dayNames[date.getUTCDay()]}, ${dateText(date, monthNames)}`;
}

/** 20 Nov 2026 */
export const formatDate = (ts: string): string => dateText(new Date(ts), shortMonthNames);

const dateText = (date: Date, months: readonly string[]): string =>
  `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;

/** Nov. @param ts in UTC */
export const shortMonthOf = (ts: string): string => shortMonthNames[Number(ts.slice(5, 7)) - 1] as string;

/** 20 Nov 2026, 14:03 UTC. @param ts in UTC */
export const formatDateTime = (ts: string): string =>
  `${Number(ts.slice(8, 10))} ${shortMonthOf(ts)} ${ts.slice(0, 4)}, ${ts.slice(11, 16)} UTC`;

/** 1 section, 2 sections */
export const pluralize = (count: number, name: string, plural = `${name}s`): string =>
  `${count} ${count === 1 ? name : plural}`;
