/** JSON and XML that a program wrote on one line, with line breaks and indents for people. */

import { type Language, languages } from "./languages.ts";

/** Texts with longer lines, on average, are formatted. */
const denseCharacters = 240;

export const isDense = (text: string): boolean => text.length / text.split("\n").length > denseCharacters;

/** Formatting blocks the event loop, and indents make a deep text many times as long: the rest is left out. */
const [linesMax, tokensMax, charactersMax] = [5_000, 40_000, 200_000];

export interface FormattedText {
  text: string;
  /** Whether the file has more. */
  isCut: boolean;
}

/** JSON or XML as it is, unless its lines are long. */
export const formatIfDense = (text: string, language: Language | null): FormattedText =>
  isDense(text) ? formatData(text, language) : { text, isCut: false };

export const formatData = (text: string, language: Language | null): FormattedText =>
  language === languages.json ? formatJson(text) : formatXml(text);

const indent = (depth: number): string => `\n${"  ".repeat(Math.max(0, Math.min(depth, 40)))}`;

const jsonToken = /"(?:\\.|[^"\\])*"?|[{}[\],:]|[^\s{}[\],:"]+/gy;
const space = /\s*/y;

/** Every token of the text stays as it is: numbers keep their digits, and a broken text is shown as far as it goes. */
export function formatJson(whole: string): FormattedText {
  const text = whole.slice(0, charactersMax);
  const parts: string[] = [];
  let [depth, lines, tokens] = [0, 1, 0];
  const breakLine = () => {
    lines++;
    parts.push(indent(depth));
  };
  let token = next(text, 0);
  for (; token && lines < linesMax && tokens < tokensMax; token = next(text, token.end)) {
    const { value, end } = token;
    const isEmpty = /[{[]/.test(parts.at(-1) ?? "");
    tokens++;
    if (value === "}" || value === "]") {
      depth--;
      if (!isEmpty) breakLine();
    } else if (isEmpty) breakLine();
    parts.push(value);
    if (value === "{" || value === "[") depth++;
    else if (value === ",") breakLine();
    else if (value === ":") parts.push(" ");
    if (depth === 0 && (value === "}" || value === "]") && hasMore(text, end)) breakLine();
  }
  return { text: parts.join(""), isCut: token !== null || text.length < whole.length };
}

function hasMore(text: string, from: number): boolean {
  space.lastIndex = from;
  space.exec(text);
  return space.lastIndex < text.length;
}

function next(text: string, from: number): { value: string; end: number } | null {
  space.lastIndex = from;
  space.exec(text);
  jsonToken.lastIndex = space.lastIndex;
  const value = jsonToken.exec(text)?.[0];
  return value ? { value, end: jsonToken.lastIndex } : null;
}

const [endTag, startTag] = [/<\//g, /<[A-Za-z_][^<>]*(?<!\/)>/g];

/** Breaks lines between two tags that touch: text beside a tag may mean its spaces. */
export function formatXml(text: string): FormattedText {
  const lines: string[] = [];
  let [depth, at] = [0, 0];
  while (at < text.length && lines.length < linesMax) {
    const touching = text.indexOf("><", at);
    const end = touching < 0 ? text.length : touching + 1;
    const part = text.slice(at, end);
    lines.push(indent(part.startsWith("</") ? depth - 1 : depth) + part);
    depth += (part.match(startTag)?.length ?? 0) - (part.match(endTag)?.length ?? 0);
    at = end;
  }
  return { text: lines.join("").trimStart(), isCut: at < text.length };
}
