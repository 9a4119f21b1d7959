/** Splits Markdown into sections at its headings. */
import { normalizeUnicode } from "../../core/lib/strings/nfc.ts";
import type { GuidanceSection } from "../rows.ts";

/** In characters. A longer section is split between paragraphs. */
const sectionMax = 2_000;

export interface SourceFile {
  /** Path relative to the given folder. */
  file: string;
  text: string;
}

/** Returns the sections of a Markdown file with the path of their headings. */
export function parseSections({ file, text }: SourceFile): GuidanceSection[] {
  const sections: GuidanceSection[] = [];
  const path: string[] = [];
  let lines: string[] = [];
  let fence: string | null = null;
  const endSection = () => {
    const headings = path.filter(Boolean);
    for (const part of splitSection(lines.join("\n").trim()))
      sections.push({ file, path: headings, text: part });
    lines = [];
  };
  for (const line of withoutFrontMatter(normalizeText(text)).split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    // In a code block, `#` starts a comment, not a heading.
    if (fence) fence = mark?.startsWith(fence) ? null : fence;
    else if (mark) fence = mark;
    const [, level, title] = (!fence && !mark && /^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$/.exec(line)) || [];
    if (level === undefined || title === undefined) {
      lines.push(line);
      continue;
    }
    endSection();
    path.length = level.length - 1;
    path[level.length - 1] = plainTitle(title);
  }
  endSection();
  return sections;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters on purpose
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

const normalizeText = (text: string): string =>
  normalizeUnicode(text.replaceAll("\r\n", "\n").replace(control, "").toWellFormed());

/** Keeps the front matter as text, without its `---` lines. */
const withoutFrontMatter = (text: string): string => text.replace(/^---\n([\s\S]*?)\n---(?:\n|$)/, "$1\n");

/** Strips Markdown from a heading: links become their text, emphasis is removed. */
const plainTitle = (title: string): string =>
  title
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*_`]/g, "")
    .trim()
    .slice(0, 200)
    .toWellFormed();

/** Splits a section into pieces of at most `sectionMax` characters, between paragraphs where possible. */
function splitSection(text: string): string[] {
  if (text === "") return [];
  const pieces = text.split(/\n{2,}/).flatMap(splitParagraph);
  const parts: string[] = [];
  for (const piece of pieces) {
    const last = parts.at(-1);
    if (last !== undefined && last.length + 2 + piece.length <= sectionMax)
      parts[parts.length - 1] = `${last}\n\n${piece}`;
    else parts.push(piece);
  }
  return parts;
}

function splitParagraph(paragraph: string): string[] {
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
