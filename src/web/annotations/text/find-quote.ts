/** Finds a quote in a text, as the W3C's TextQuoteSelector describes: what it says, then what is around it. */
import type { Target } from "../../../files/probe/marks/schema.ts";

export type Quote = NonNullable<Target["quote"]>;
/** Offsets in the text, in UTF-16 units; the end is exclusive. */
export interface TextRange {
  start: number;
  end: number;
}

/** More places than these are not compared, so that one letter as a quote costs nothing. */
const placesMax = 200;

/** Tags that do not end a word. */
const inlineTag = /^<\/?(a|abbr|b|bdi|cite|code|em|i|kbd|label|mark|q|s|small|span|strong|sub|sup|time|u)\b/i;
const entities: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&apos;": "'",
  "&nbsp;": " ",
};
const parts = { text: /\s+|\S+/g, html: /<!--[\s\S]*?(?:-->|$)|<[^<>]*>|&#?\w{1,8};|\s+|[^\s<&]+|[<&]/g };

/** What a part of HTML says to a reader. */
const readerText = (part: string): string =>
  entities[part] ?? (!part.startsWith("<") || part === "<" ? part : inlineTag.test(part) ? "" : " ");

/** A text with every run of white space as one space, as quotes are stored. */
export class SearchableText {
  private readonly oneLine: string;
  /** Where each unit of `oneLine` starts and ends in the text. */
  private readonly starts: Uint32Array;
  private readonly ends: Uint32Array;

  /** @param format `html` searches what a page says, without its tags */
  constructor(text: string, format: "text" | "html" = "text") {
    const [starts, ends] = [new Uint32Array(text.length), new Uint32Array(text.length)];
    let length = 0;
    const shown: string[] = [];
    for (const { 0: part, index } of text.matchAll(parts[format])) {
      const words = (format === "html" ? readerText(part) : part).replace(/\s+/g, " ");
      if (words === "" || (words === " " && shown.at(-1) === " ")) continue;
      shown.push(words);
      for (let at = 0; at < words.length; at++) {
        starts[length] = index + at;
        ends[length++] = words.length === part.length ? index + at + 1 : index + part.length;
      }
    }
    this.oneLine = shown.join("");
    this.starts = starts.subarray(0, length);
    this.ends = ends.subarray(0, length);
  }

  /**
   * The place of a quote: of several, that with the most of the prefix and suffix around it.
   * @param near is searched first, since this is faster than the whole text
   * @returns null if the text does not contain it
   */
  find(quote: Quote, near?: TextRange): TextRange | null {
    const wanted = normalize(quote.exact);
    if (!wanted) return null;
    const around = [normalize(quote.prefix ?? ""), normalize(quote.suffix ?? "")] as const;
    const start =
      (near && this.best(wanted, around, this.unitAt(near.start), this.unitAt(near.end))) ??
      this.best(wanted, around, 0, this.oneLine.length);
    if (start === undefined) return null;
    const end = this.ends[start + wanted.length - 1] as number;
    return { start: this.starts[start] as number, end };
  }

  /** The best of the places that start in a part of `oneLine`. */
  private best(wanted: string, around: readonly [string, string], from: number, to: number) {
    let best: { start: number; score: number } | undefined;
    const part = this.oneLine.slice(from, to + wanted.length - 1);
    let at = part.indexOf(wanted);
    for (let count = 0; at >= 0 && count < placesMax; count++) {
      const score = this.context(from + at, wanted.length, ...around);
      if (!best || score > best.score) best = { start: from + at, score };
      at = part.indexOf(wanted, at + 1);
    }
    return best?.start;
  }

  /** The first unit at or after an offset of the text, by bisection. */
  private unitAt(offset: number): number {
    let [low, high] = [0, this.starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.starts[middle] as number) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** How many characters before and after a place agree with the quote. */
  private context(start: number, length: number, before: string, after: string): number {
    const left = this.oneLine.slice(Math.max(0, start - before.length - 1), start).trimEnd();
    const right = this.oneLine.slice(start + length, start + length + after.length + 1).trimStart();
    let score = 0;
    while (score < before.length && left.at(-1 - score) === before.at(-1 - score)) score++;
    for (let at = 0; at < after.length && right[at] === after[at]; at++) score++;
    return score;
  }
}

const normalize = (text: string): string => text.replace(/\s+/g, " ").trim();
