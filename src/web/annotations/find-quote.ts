/** Finds a quote in a text, as the W3C's TextQuoteSelector describes: what it says, then what is around it. */
import type { Target } from "../../annotations/schema.ts";

export type Quote = NonNullable<Target["quote"]>;
/** Offsets in the text, in UTF-16 units; the end is exclusive. */
export interface TextRange {
  start: number;
  end: number;
}

/** More places than these are not compared, so that one letter as a quote costs nothing. */
const placesMax = 200;

/** A text with every run of white space as one space, as quotes are stored. */
export class SearchableText {
  private readonly oneLine: string;
  /** The offset in the text of each unit of `oneLine`, and of its end. */
  private readonly offsets: Uint32Array;

  constructor(text: string) {
    const offsets = new Uint32Array(text.length + 1);
    let length = 0;
    const parts: string[] = [];
    for (const { 0: part, index } of text.matchAll(/\s+|\S+/g)) {
      const isSpace = /^\s/.test(part);
      parts.push(isSpace ? " " : part);
      for (let at = 0; at < (isSpace ? 1 : part.length); at++) offsets[length++] = index + at;
    }
    offsets[length] = text.length;
    this.oneLine = parts.join("");
    this.offsets = offsets.subarray(0, length + 1);
  }

  /**
   * The place of a quote: of several, that with the most of the prefix and suffix around it, then the one
   * nearest to an offset.
   * @returns null if the text does not contain it
   */
  find({ exact, prefix = "", suffix = "" }: Quote, near = 0): TextRange | null {
    const wanted = normalize(exact);
    if (!wanted) return null;
    const [before, after] = [normalize(prefix), normalize(suffix)];
    let best: { start: number; score: number; distance: number } | undefined;
    let start = this.oneLine.indexOf(wanted);
    for (let count = 0; start >= 0 && count < placesMax; count++) {
      const score = this.context(start, wanted.length, before, after);
      const distance = Math.abs((this.offsets[start] as number) - near);
      if (!best || score > best.score || (score === best.score && distance < best.distance))
        best = { start, score, distance };
      start = this.oneLine.indexOf(wanted, start + 1);
    }
    if (!best) return null;
    const last = this.offsets[best.start + wanted.length - 1] as number;
    return { start: this.offsets[best.start] as number, end: last + 1 };
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
