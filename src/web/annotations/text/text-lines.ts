/** The lines of a text with the quotes of annotations where they stand, highlighted. */
import type { Annotation } from "../../../library/annotations/schema.ts";
import type { Language, TokenKind } from "../../desk/text/languages.ts";
import { type Token, tokensOf } from "../../desk/text/tokens.ts";
import { type Quote, SearchableText, type TextRange } from "./find-quote.ts";

/** A part of a line; quoted parts name the newest annotation that quotes them. */
export interface LinePart {
  pieces: LinePiece[];
  annotation?: Annotation | undefined;
}

export interface LinePiece {
  text: string;
  token?: TokenKind;
}

export interface ShownLines {
  text: string;
  /** Whether quotes may be of what the page says, without tags. */
  isHtml: boolean;
  /** Null for a text that is not highlighted. */
  language: Language | null;
  /** The first and the last line to return. */
  part: { from: number; to: number };
}

export const wholeText = { from: 1, to: Number.POSITIVE_INFINITY };

export interface TextLine {
  /** From 1. */
  number: number;
  parts: LinePart[];
  /** The annotations that begin on it. */
  pins: Annotation[];
}

interface Quoted extends TextRange {
  annotation: Annotation;
}

export function textLines(
  { text, isHtml, language, part }: ShownLines,
  annotations: Annotation[],
): TextLine[] {
  const lines = text.replace(/\n$/, "").split("\n");
  const starts = [0];
  for (const line of lines) starts.push((starts.at(-1) as number) + line.length + 1);
  const lineAt = (offset: number) => lineOf(starts, offset);
  const quoted = findQuotes(text, annotations, starts, isHtml);
  const [quotedIn, pins] = [new Map<number, Quoted[]>(), new Map<number, Annotation[]>()];
  const tokensIn = new Map<number, Token[]>();
  const addTo = <R extends TextRange>(lists: Map<number, R[]>, ranges: R[]) => {
    for (const one of ranges)
      for (let line = lineAt(one.start); line <= lineAt(one.end - 1); line++) add(lists, line, one);
  };
  addTo(quotedIn, quoted);
  const [first, end] = [starts[part.from - 1] ?? 0, starts[part.to] ?? text.length];
  if (language) addTo(tokensIn, tokensOf(text.slice(first, end), language).map(movedBy(first)));
  const found = new Map(quoted.map(({ annotation, start }) => [annotation, lineAt(start)]));
  for (const annotation of annotations) {
    const line = found.get(annotation) ?? annotation.target?.lines?.from;
    if (line !== undefined) add(pins, line, annotation);
  }
  return lines.slice(part.from - 1, part.to).map((line, index) => {
    const number = part.from + index;
    return {
      number,
      parts: partsOf(line, starts[number - 1] as number, quotedIn.get(number), tokensIn.get(number)),
      pins: pins.get(number) ?? [],
    };
  });
}

const movedBy =
  (offset: number) =>
  (token: Token): Token => ({ ...token, start: token.start + offset, end: token.end + offset });

const add = <T>(lists: Map<number, T[]>, key: number, value: T): void => {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
};

/** Searching blocks the event loop, so quotes that are not found after this many ms are not marked. */
const timeoutMs = 150;

/** The quotes that the text contains, on the lines that are named or else anywhere. */
function findQuotes(text: string, annotations: Annotation[], starts: number[], isHtml: boolean): Quoted[] {
  const quoting = annotations.filter(({ target }) => target?.quote);
  if (quoting.length === 0) return [];
  const source = new SearchableText(text);
  let page: SearchableText | undefined;
  const findOnPage = (quote: Quote) => (page ??= new SearchableText(text, "html")).find(quote);
  const end = performance.now() + timeoutMs;
  return quoting.flatMap((annotation) => {
    const { quote, lines } = annotation.target ?? {};
    if (!quote || performance.now() > end) return [];
    const [first, afterLast] = lines ? [starts[lines.from - 1], starts[lines.to]] : [];
    const near = first !== undefined && { start: first, end: afterLast ?? text.length };
    const range = source.find(quote, near || undefined) ?? (isHtml ? findOnPage(quote) : null);
    return range ? [{ annotation, ...range }] : [];
  });
}

/** The number of the line that an offset is in, by bisection. */
function lineOf(starts: number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] as number) <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}

function partsOf(line: string, start: number, quoted: Quoted[] = [], tokens: Token[] = []): LinePart[] {
  const inLine = <R extends TextRange>(range: R): R => ({
    ...range,
    start: Math.min(line.length, Math.max(0, range.start - start)),
    end: Math.min(line.length, Math.max(0, range.end - start)),
  });
  const [quotes, colored] = [quoted.map(inLine), tokens.map(inLine)];
  const edges = new Set([0, line.length, ...quotes.flatMap((one) => [one.start, one.end])]);
  const cuts = [...edges].toSorted((a, b) => a - b);
  return cuts.slice(0, -1).map((from, index) => {
    const to = cuts[index + 1] as number;
    return {
      pieces: piecesOf(line, from, to, colored),
      annotation: quotes.findLast((one) => one.start <= from && to <= one.end)?.annotation,
    };
  });
}

/** @param tokens of the line, which do not overlap */
function piecesOf(line: string, from: number, to: number, tokens: Token[]): LinePiece[] {
  const pieces: LinePiece[] = [];
  let at = from;
  for (const { kind, start, end } of tokens) {
    if (end <= at || start >= to) continue;
    if (start > at) pieces.push({ text: line.slice(at, start) });
    pieces.push({ text: line.slice(Math.max(at, start), Math.min(to, end)), token: kind });
    at = Math.min(to, end);
  }
  if (at < to) pieces.push({ text: line.slice(at, to) });
  return pieces;
}
