/** Markdown, split where its headings are. */
import type { GuidanceSection } from "../rows.ts";

/** A longer section is split between its paragraphs. */
const sectionMax = 2_000;

export interface SourceFile {
  /** Below the folder that was given. */
  file: string;
  text: string;
}

export function sectionsOf({ file, text }: SourceFile): GuidanceSection[] {
  const sections: GuidanceSection[] = [];
  const path: string[] = [];
  let lines: string[] = [];
  let fence: string | null = null;
  const end = () => {
    const headings = path.filter(Boolean);
    for (const part of portions(lines.join("\n").trim())) sections.push({ file, path: headings, text: part });
    lines = [];
  };
  for (const line of withoutFrontMatter(tidy(text)).split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    // Inside of a code block `#` begins a comment.
    if (fence) fence = mark?.startsWith(fence) ? null : fence;
    else if (mark) fence = mark;
    const [, level, title] = (!fence && !mark && /^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$/.exec(line)) || [];
    if (level === undefined || title === undefined) {
      lines.push(line);
      continue;
    }
    end();
    path.length = level.length - 1;
    path[level.length - 1] = plain(title);
  }
  end();
  return sections;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

const tidy = (text: string): string =>
  text.replaceAll("\r\n", "\n").replace(control, "").toWellFormed().normalize("NFC");

/** The names and descriptions at the head of a file are text like any other, without their marks. */
const withoutFrontMatter = (text: string): string => text.replace(/^---\n([\s\S]*?)\n---(?:\n|$)/, "$1\n");

/** A heading without its marks: links as their words, no emphasis. */
const plain = (title: string): string =>
  title
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*_`]/g, "")
    .trim()
    .slice(0, 200)
    .toWellFormed();

/** Pieces of at most `sectionMax` characters, whole paragraphs where they are that short. */
function portions(text: string): string[] {
  if (text === "") return [];
  const pieces = text.split(/\n{2,}/).flatMap(bounded);
  const parts: string[] = [];
  for (const piece of pieces) {
    const last = parts.at(-1);
    if (last !== undefined && last.length + 2 + piece.length <= sectionMax)
      parts[parts.length - 1] = `${last}\n\n${piece}`;
    else parts.push(piece);
  }
  return parts;
}

function bounded(paragraph: string): string[] {
  const pieces: string[] = [];
  let rest = paragraph;
  while (rest.length > sectionMax) {
    const gap = rest.slice(0, sectionMax).search(/\s\S*$/);
    const length = gap > sectionMax / 2 ? gap : sectionMax;
    pieces.push(rest.slice(0, length).toWellFormed());
    rest = rest.slice(length).trimStart();
  }
  return [...pieces, rest].filter(Boolean);
}
