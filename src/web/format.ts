/**
 * Formats numbers and times for display. Times are UTC, because the server does not know the reader's time
 * zone. `Intl` formatters are expensive to construct, so each is constructed once.
 */
import { dayMicros, type Micros, toMicros } from "../lib/time.ts";

const compactFormat = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const plainFormat = new Intl.NumberFormat("en");
const currencyFormat = (least: number, most: number) =>
  new Intl.NumberFormat("en", { minimumFractionDigits: least, maximumFractionDigits: most });
const [centsFormat, dollarsAndCentsFormat, dollarsFormat] = [
  currencyFormat(2, 3),
  currencyFormat(2, 2),
  currencyFormat(0, 0),
];
const days = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat("en-GB", { ...options, year: "numeric", timeZone: "UTC" });
const [longDateFormat, dateFormat] = [
  days({ weekday: "long", day: "numeric", month: "long" }),
  days({ day: "numeric", month: "short" }),
];

/** 950, 18.2k, 1.4M */
export function formatCount(count: number): string {
  return compactFormat.format(count).replace("K", "k");
}

/** 340 bytes, 25.5 kB, 1.4 MB */
export function formatBytes(count: number): string {
  if (count < 1000) return `${count} bytes`;
  const unit = Math.min(3, Math.floor(Math.log10(count) / 3));
  return (
    `${plainFormat.format(Number((count / 1000 ** unit).toPrecision(3)))} ` +
    `${["", "kB", "MB", "GB"][unit]}`
  );
}

/** text, csv, parquet, octet-stream */
export const formatMimeType = (mime: string): string =>
  mime === "text/plain" ? "text" : mime.replace(/^.*[/.]/, "").replace(/^x-/, "");

/** $0.042, $1.20, $1,204 */
export const formatCost = (usd: number): string =>
  `$${(usd < 0.1 ? centsFormat : usd < 1000 ? dollarsAndCentsFormat : dollarsFormat).format(usd)}`;

/** 340 ms, 12 s, 3 min, 2 h 5 min */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h${minutes % 60 ? ` ${minutes % 60} min` : ""}`;
}

/** 14:03:44 */
export const formatTime = (ts: string): string => ts.slice(11, 19);

/** Friday, 20 November 2026 */
export const formatLongDate = (day: string): string => longDateFormat.format(new Date(`${day}T00:00:00Z`));

/** 20 Nov 2026 */
export const formatDate = (ts: string): string => dateFormat.format(new Date(ts));

/** 20 Nov 2026, 14:03 UTC */
export const formatDateTime = (ts: string): string => `${formatDate(ts)}, ${ts.slice(11, 16)} UTC`;

/** today, yesterday, 12 days ago, 5 months ago */
export function formatAge(ts: string, now: Micros): string {
  const days = Math.floor((now - toMicros(ts)) / dayMicros);
  if (days < 1) return "today";
  if (days === 1) return "yesterday";
  return days < 60
    ? `${days} days ago`
    : days < 730
      ? `${Math.floor(days / 30.4)} months ago`
      : `${Math.floor(days / 365.25)} years ago`;
}

/** 1 section, 2 sections */
export const pluralize = (count: number, name: string, plural = `${name}s`): string =>
  `${count} ${count === 1 ? name : plural}`;
