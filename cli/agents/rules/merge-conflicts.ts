/**
 * A file with a merge conflict in or around the block: the block is written again, once. The other lines of
 * both sides stay in conflict.
 */
import { bare, findBlocks, type Line, linesOf, renderBlock } from "./managed-block.ts";

interface Hunk {
  /** The lines `<<<<<<<`, `|||||||` if there is one, `=======` and `>>>>>>>`. */
  marks: Line[];
  /** The lines of our side, of the base if there is one, and of their side. */
  sides: Line[][];
}

type Part = { line: Line } | Hunk;

const isHunk = (part: Part): part is Hunk => "marks" in part;

/**
 * Repairs the block, null taking it away.
 * @returns null if no conflict touches it
 * @throws BrokenBlockError if a side has half of a block
 */
export function repairConflict(
  text: string,
  project: string,
  block: readonly string[] | null,
): string | null {
  const parts = partsOf(linesOf(text));
  const count = Math.max(0, ...parts.map((part) => (isHunk(part) ? part.sides.length : 0)));
  // Whole files, as fenced code around the block can begin before the conflict.
  const versions = Array.from({ length: count }, (_, side) => {
    const lines = parts.flatMap((part, at) =>
      (isHunk(part) ? sideOf(part, side, count) : [part.line]).map((line) => ({ line, at })),
    );
    return {
      lines,
      blocks: findBlocks(
        lines.map(({ line }) => line),
        project,
      ),
    };
  });
  const touched = versions.flatMap(({ lines, blocks }) =>
    blocks.flatMap(({ from, to }) => [from, to - 1].flatMap((index) => lines[index]?.at ?? [])),
  );
  const [from, to] = [Math.min(...touched), Math.max(...touched) + 1];
  const hunk = parts.slice(from, to).find(isHunk);
  if (touched.length === 0 || !hunk) return null;
  const others = versions.map(({ lines, blocks }) =>
    lines.flatMap(({ line, at }, index) =>
      at >= from && at < to && !blocks.some((block) => index >= block.from && index < block.to) ? [line] : [],
    ),
  );
  const sides = hunk.sides.length === count ? others : others.filter((_, side) => side % (count - 1) === 0);
  return [
    ...parts.slice(0, from).flatMap(writtenLines),
    ...(block ? [renderBlock(text, block)] : []),
    ...merge(hunk.marks, sides),
    ...parts.slice(to).flatMap(writtenLines),
  ].join("");
}

/** Hunks with and without a base can stand in one file: ours is first and theirs last in both. */
function sideOf({ sides }: Hunk, at: number, count: number): Line[] {
  if (at === 0) return sides[0] ?? [];
  if (at === count - 1) return sides.at(-1) ?? [];
  return sides.length === count ? (sides[at] ?? []) : [];
}

/** Sides that agree are one; else what they share at the start and the end is outside of the conflict. */
function merge(marks: readonly Line[], sides: readonly Line[][]): Line[] {
  const [ours = [], theirs = []] = [sides[0], sides.at(-1)];
  if (ours.join("") === theirs.join("")) return [...ours];
  const max = Math.min(...sides.map(({ length }) => length));
  const isShared = (at: (side: readonly Line[]) => Line | undefined) =>
    sides.every((side) => at(side) === at(ours));
  let start = 0;
  while (start < max && isShared((side) => side[start])) start++;
  let end = 0;
  while (end < max - start && isShared((side) => side[side.length - 1 - end])) end++;
  const rest = sides.flatMap((side, at) => [marks[at] ?? "", ...side.slice(start, side.length - end)]);
  return [...ours.slice(0, start), ...rest, marks.at(-1) ?? "", ...ours.slice(ours.length - end)];
}

const writtenLines = (part: Part): Line[] =>
  isHunk(part)
    ? [...part.sides.flatMap((side, at) => [part.marks[at] ?? "", ...side]), part.marks.at(-1) ?? ""]
    : [part.line];

/** Lines and conflicts; marks that do not make a whole conflict are lines. */
function partsOf(lines: readonly Line[]): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < lines.length; ) {
    const hunk = isMark(lines[at], "<") ? readHunk(lines, at) : null;
    if (hunk) parts.push(hunk);
    else parts.push({ line: lines[at] ?? "" });
    at += hunk ? hunk.marks.length + hunk.sides.flat().length : 1;
  }
  return parts;
}

function readHunk(lines: readonly Line[], from: number): Hunk | null {
  const marks = [lines[from] ?? ""];
  const sides: Line[][] = [[]];
  for (const line of lines.slice(from + 1)) {
    if (isMark(line, "<")) return null;
    if (isMark(line, ">")) return isMark(marks.at(-1), "=") ? { marks: [...marks, line], sides } : null;
    if (isMark(line, "=") || (isMark(line, "|") && marks.length === 1)) {
      if (isMark(marks.at(-1), "=")) return null;
      marks.push(line);
      sides.push([]);
    } else sides.at(-1)?.push(line);
  }
  return null;
}

/** Seven of a character, then the end of the line or a label. */
const isMark = (line: Line | undefined, char: string): boolean => {
  const text = bare(line ?? "");
  return text === char.repeat(7) || text.startsWith(`${char.repeat(7)} `);
};
