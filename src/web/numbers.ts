/** Numbers and times for people. Times of the pages are UTC: the server does not know where its reader is. */
import { dayMicros, type Micros, toMicros } from "../time.ts";

/** 950, 18.2k, 1.4M */
export function short(count: number): string {
  return new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(count).replace("K", "k");
}

/** 340 bytes, 25.5 kB, 1.4 MB */
export function bytes(count: number): string {
  if (count < 1000) return `${count} bytes`;
  const unit = Math.min(3, Math.floor(Math.log10(count) / 3));
  return `${Number((count / 1000 ** unit).toPrecision(3)).toLocaleString("en")} ${["", "kB", "MB", "GB"][unit]}`;
}

/** $0.042, $1.20, $1,204 */
export const cost = (usd: number): string =>
  `$${usd.toLocaleString("en", { minimumFractionDigits: usd < 1000 ? 2 : 0, maximumFractionDigits: usd < 0.1 ? 3 : usd < 1000 ? 2 : 0 })}`;

/** 340 ms, 12 s, 3 min, 2 h 5 min */
export function lasting(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h${minutes % 60 ? ` ${minutes % 60} min` : ""}`;
}

/** 14:03:44 */
export const clock = (ts: string): string => ts.slice(11, 19);

/** Friday, 20 November 2026 */
export const longDay = (day: string): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString("en-GB", {
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });

/** 20 Nov 2026 */
export const shortDay = (ts: string): string =>
  new Date(ts).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

/** 20 Nov 2026, 14:03 UTC */
export const longTime = (ts: string): string => `${shortDay(ts)}, ${ts.slice(11, 16)} UTC`;

/** today, yesterday, 12 days ago, 5 months ago */
export function age(ts: string, now: Micros): string {
  const days = Math.floor((now - toMicros(ts)) / dayMicros);
  if (days < 1) return "today";
  if (days === 1) return "yesterday";
  return days < 60 ? `${days} days ago` : days < 730 ? `${Math.floor(days / 30.4)} months ago` : `${Math.floor(days / 365.25)} years ago`;
}

/** 1 section, 2 sections */
export const counted = (count: number, name: string): string => `${count} ${name}${count === 1 ? "" : "s"}`;
