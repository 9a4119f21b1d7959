/** Formats numbers and times for pages. */
import { lazy } from "../core/lib/lazy.ts";
import { formatDate } from "../core/lib/quantities.ts";
import { countMax } from "../library/review-queue/items.ts";

export {
  formatCost,
  formatDate,
  formatDateTime,
  formatDuration,
  formatLongDate,
  pluralize,
} from "../core/lib/quantities.ts";

// The first formatter of a process takes 5 ms, and not every page has numbers.
const compactFormat = lazy(
  () => new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }),
);
const plainFormat = lazy(() => new Intl.NumberFormat("en"));

/** 950, 18.2k, 1.4M */
export function formatCount(count: number): string {
  return compactFormat().format(count).replace("K", "k");
}

/** 7, or 99+ where counting stopped. */
export const countText = (count: number): string => (count >= countMax ? `${countMax - 1}+` : String(count));

/** 340 bytes, 25.5 kB, 1.4 MB */
export function formatBytes(count: number): string {
  if (count < 1000) return `${count} bytes`;
  const unit = Math.min(3, Math.floor(Math.log10(count) / 3));
  return (
    `${plainFormat().format(Number((count / 1000 ** unit).toPrecision(3)))} ` +
    `${["", "kB", "MB", "GB"][unit]}`
  );
}

/** text, csv, parquet, octet-stream */
export const formatMimeType = (mime: string): string =>
  mime === "text/plain" ? "text" : mime.replace(/^.*[/.]/, "").replace(/^x-/, "");

/** 14:03:44 */
export const formatTime = (ts: string): string => ts.slice(11, 19);

/** 31 Oct 2026 to 29 Nov 2026; a single day alone */
export const formatDays = ({ from, to }: { from: string; to: string }): string =>
  from === to ? formatDate(from) : `${formatDate(from)} to ${formatDate(to)}`;

/** With a capital at its start, as a heading or a label has it. */
export const capitalize = (value: string): string => value.charAt(0).toUpperCase() + value.slice(1);
