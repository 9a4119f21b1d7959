/** Text in columns, by what the terminal shows and not by the length of strings. */

/** Cut to `width` columns, never inside a character; the ellipsis tells. */
export function fit(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text;
  if (width < 1) return "";
  let kept = "";
  let used = 1;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += Bun.stringWidth(segment);
    if (used > width) break;
    kept += segment;
  }
  return `${kept}…`;
}

export const pad = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - Bun.stringWidth(text)));

/** Rows under their heads, aligned, two spaces between. */
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

/** 950, 18.2k, 1.4M */
export function short(count: number): string {
  if (count < 1_000) return String(count);
  const [divisor, unit] =
    count < 999_950 ? [1_000, "k"] : count < 999_950_000 ? [1_000_000, "M"] : [1_000_000_000, "G"];
  const value = count / (divisor as number);
  return `${value < 100 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}${unit}`;
}

/** 340ms, 12s, 3m12s, 2h05m, 4d3h */
export function lasting(ms: number): string {
  if (ms < 1_000) return `${ms}ms`;
  const seconds = Math.floor(ms / 1_000);
  const two = (value: number) => String(value).padStart(2, "0");
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m${two(seconds % 60)}s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h${two(Math.floor((seconds % 3_600) / 60))}m`;
  return `${Math.floor(seconds / 86_400)}d${Math.floor((seconds % 86_400) / 3_600)}h`;
}

/** now, 12s ago, 3m ago, 4d ago */
export const ago = (ms: number): string =>
  ms < 1_000 ? "now" : `${lasting(ms).replace(/(?<=\d[mhd]).+/, "")} ago`;
