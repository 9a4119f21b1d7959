/**
 * Puts a block of lines that svc keeps into the text of a file, and leaves every other line as it is: line
 * endings, a byte order mark, and the end of the file included.
 */
import { beginLine, endLine } from "./rules-text.ts";

/** A line with its ending. */
export type Line = string;

/** A line without its ending, and without a byte order mark. */
export const bare = (line: Line): string => line.replace(/^\ufeff/, "").replace(/[ \t]*\r?\n?$/, "");

export const linesOf = (text: string): Line[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** The markers of a block are not what they should be, so its end is unknown. */
export class BrokenBlockError extends Error {}

interface Range {
  from: number;
  /** The index after its last line. */
  to: number;
}

/** The blocks of a project in lines without conflicts. @throws BrokenBlockError if one is not whole */
export function findBlocks(lines: readonly Line[], project: string): Range[] {
  const found: Range[] = [];
  const isCode = codeLines(lines);
  let from: number | null = null;
  for (const [at, line] of lines.entries()) {
    if (isCode(at)) continue;
    const isBegin = isBeginOf(line, project);
    const isEnd = bare(line) === endLine(project);
    if (isBegin ? from !== null : isEnd && from === null)
      throw isBegin ? withoutEnd(from ?? at) : withoutBegin(at);
    if (isBegin) from = at;
    if (isEnd && from !== null) {
      found.push({ from, to: at + 1 });
      from = null;
    }
  }
  if (from !== null) throw withoutEnd(from);
  return found;
}

const withoutEnd = (at: number) => new BrokenBlockError(`line ${at + 1} begins a block that does not end`);
const withoutBegin = (at: number) => new BrokenBlockError(`line ${at + 1} ends a block that does not begin`);

/** What follows the name of the project may change. */
const isBeginOf = (line: Line, project: string): boolean =>
  bare(line).startsWith(beginLine(project).slice(0, beginLine(project).indexOf(":") + 1)) &&
  bare(line).endsWith("-->");

/** Tells lines inside of fenced code (CommonMark 0.31, 4.5). A fence that is not closed is none here. */
function codeLines(lines: readonly Line[]): (at: number) => boolean {
  const ranges: Range[] = [];
  let open: { at: number; fence: string } | null = null;
  for (const [at, line] of lines.entries()) {
    const [, fence = "", info = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(bare(line)) ?? [];
    if (fence === "") continue;
    if (open === null) {
      if (!(fence.startsWith("`") && info.includes("`"))) open = { at, fence };
    } else if (fence.startsWith(open.fence) && info.trim() === "") {
      ranges.push({ from: open.at, to: at });
      open = null;
    }
  }
  return (at) => ranges.some(({ from, to }) => at > from && at < to);
}

/** The text with the block: in its place, else at the end. Null takes the block away. */
export function withBlock(text: string, project: string, block: readonly string[] | null): string {
  const lines = linesOf(text);
  const [first, ...copies] = findBlocks(lines, project);
  if (!first) return block ? appendBlock(text, block) : text;
  for (const { from, to } of copies.toReversed()) lines.splice(from, to - from);
  const isLast = first.to === lines.length && !lines.at(-1)?.endsWith("\n");
  const mark = lines[first.from]?.startsWith("\ufeff") ? "\ufeff" : "";
  if (block) {
    const rendered = mark + renderBlock(text, block);
    lines.splice(first.from, first.to - first.from, isLast ? rendered.replace(/\r?\n$/, "") : rendered);
    return lines.join("");
  }
  const gap = first.from > 0 && bare(lines[first.from - 1] ?? "") === "" ? 1 : 0;
  lines.splice(first.from - gap, first.to - first.from + gap);
  const rest = mark + lines.join("");
  return isLast ? rest.replace(/\r?\n$/, "") : rest;
}

/** After an empty line; a file without a final line break stays one. */
function appendBlock(text: string, block: readonly string[]): string {
  const rendered = renderBlock(text, block);
  if (text === "" || text === "\ufeff") return text + rendered;
  const eol = eolOf(text);
  return text.endsWith("\n") ? text + eol + rendered : text + eol + eol + rendered.slice(0, -eol.length);
}

const eolOf = (text: string): string => (/\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n");

export const renderBlock = (text: string, block: readonly string[]): string =>
  block.map((line) => line + eolOf(text)).join("");
