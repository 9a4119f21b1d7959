/** A long text is shown in parts, so that a page of it stays under 100 KB: each is a link away. */
import { urlWith } from "../../view.ts";

/** Query parameter: a line of the part that is shown, from 1. */
export const lineParameter = "line";

export interface TextPart {
  /** Its first and last line. */
  from: number;
  to: number;
  /** Lines of the whole text. */
  count: number;
  /** Null for a part at an end of the text. */
  previous: string | null;
  next: string | null;
}

/** Compressed, the lines of a part are at most about 40 KB (test/web/desk-weight.test.ts). */
const [linesMax, charactersMax] = [1_000, 48_000];

/** The first lines of the parts of a text. @param canStart whether a part may start at a line, by its index */
function startsOf(lines: readonly string[], canStart: (index: number) => boolean): number[] {
  const starts = [0];
  let characters = 0;
  for (const [index, line] of lines.entries()) {
    const from = starts.at(-1) as number;
    const isFull = index - from >= linesMax || characters + line.length > charactersMax;
    if (index > from && isFull && canStart(index)) {
      starts.push(index);
      characters = 0;
    }
    characters += line.length + 1;
  }
  return starts;
}

/** The part with the line that the URL names, or else the first. */
export function partOf(
  lines: readonly string[],
  url: URL,
  canStart: (index: number) => boolean = () => true,
): TextPart {
  const starts = startsOf(lines, canStart);
  const line = Math.trunc(Number(url.searchParams.get(lineParameter))) || 1;
  const at = Math.max(
    0,
    starts.findLastIndex((start) => start < line),
  );
  const hrefOf = (start: number | undefined) =>
    start === undefined ? null : urlWith(url, { [lineParameter]: start === 0 ? null : `${start + 1}` });
  return {
    from: (starts[at] ?? 0) + 1,
    to: starts[at + 1] ?? lines.length,
    count: lines.length,
    previous: at > 0 ? hrefOf(starts[at - 1]) : null,
    next: hrefOf(starts[at + 1]),
  };
}

/** Where a part of Markdown may start: after an empty line that is not within a block of code. */
export function markdownStarts(lines: readonly string[]): (index: number) => boolean {
  const starts = new Set<number>();
  let fence = "";
  for (const [index, line] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === "" && /^\S/.test(line) && lines[index - 1]?.trim() === "") starts.add(index);
    if (mark && fence === "") fence = mark;
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = "";
  }
  return (index) => starts.has(index);
}

/** Lines that give the URLs of links by name, which any part may use. */
export const linkDefinitions = (lines: readonly string[]): string =>
  lines.filter((line) => /^ {0,3}\[[^\]\s][^\]]*\]:\s+\S/.test(line)).join("\n");
