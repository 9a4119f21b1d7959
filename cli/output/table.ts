/** Text in columns, measured by display width instead of string length. */

/** Truncates text to `width` columns with an ellipsis, at a grapheme boundary. */
export function truncate(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text;
  if (width < 1) return "";
  let head = "";
  let used = 1;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += Bun.stringWidth(segment);
    if (used > width) break;
    head += segment;
  }
  return `${head}…`;
}

/** Pads text with spaces to `width` columns. */
export const pad = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - Bun.stringWidth(text)));

/** Formats aligned columns under headings, two spaces apart. */
export function table(heads: string[], rows: string[][]): string {
  const widths = heads.map((head, column) =>
    Math.max(...[head, ...rows.map((row) => row[column] ?? "")].map((cell) => Bun.stringWidth(cell))),
  );
  return [heads, ...rows]
    .map((row) =>
      row
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Formats a count with its noun: 1 event, 2 events. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Formats a count: 950, 18.2k, 1.4M. */
export function formatCount(count: number): string {
  if (count < 1_000) return String(count);
  const [divisor, unit] =
    count < 999_950 ? [1_000, "k"] : count < 999_950_000 ? [1_000_000, "M"] : [1_000_000_000, "G"];
  const value = count / (divisor as number);
  return `${value < 100 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}${unit}`;
}

/** Formats a duration in milliseconds: 340ms, 12s, 3m12s, 2h05m, 4d3h. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${ms}ms`;
  const seconds = Math.floor(ms / 1_000);
  const twoDigits = (value: number) => String(value).padStart(2, "0");
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m${twoDigits(seconds % 60)}s`;
  if (seconds < 86_400)
    return `${Math.floor(seconds / 3_600)}h${twoDigits(Math.floor((seconds % 3_600) / 60))}m`;
  return `${Math.floor(seconds / 86_400)}d${Math.floor((seconds % 86_400) / 3_600)}h`;
}

/** Formats an age in milliseconds: now, 12s ago, 3m ago, 4d ago. */
export const formatAge = (ms: number): string =>
  ms < 1_000 ? "now" : `${formatDuration(ms).replace(/(?<=\d[mhd]).+/, "")} ago`;
