/**
 * Inverted indexes of documents in memory: of lists that change (list-index.ts), and of a text that a build
 * makes (text-index.ts). A search looks up its own terms: it costs the same however long the documents are.
 */
import { editsMax } from "../../core/text/typo-candidates.ts";
import type { FoundTerm } from "../../memory/recall/ranking.ts";

export interface SearchDocument {
  /** The heading, whose words weigh more. */
  head: string;
  about: string;
  text: string;
}

export interface DocumentIndex<D> {
  /** In the order of results that are equally good. */
  documents: readonly D[];
  /** Words of a document, without its heading. */
  lengthOf(document: D): number;
  /** The documents that have a term. */
  withTerm(term: string): ReadonlyMap<D, FoundTerm>;
  /** The terms that begin with a prefix, sorted. */
  termsWithPrefix(prefix: string): string[];
  /** Words of documents that share trigrams with a mistyped one, those that share most of them first. */
  similarWords(grams: readonly string[], limit: number): string[];
}

export const toLines = (lines: Iterable<string>): string =>
  `\n${[...lines].map((line) => `${line}\n`).join("")}`;

/** The words of a text of lines that share trigrams with a mistyped one, those that share most of them first. */
export function similarLines(lines: string, grams: readonly string[]): string[] {
  const shared = new Map<string, number>();
  for (const gram of grams) {
    // The line breaks are the edges of words.
    const part = gram.replace(/^\^|\$$/g, "\n");
    const words = new Set<string>();
    for (let at = lines.indexOf(part); at >= 0; at = lines.indexOf(part, at + 1)) {
      const start = lines.lastIndexOf("\n", part.startsWith("\n") ? at : at - 1) + 1;
      words.add(lines.slice(start, lines.indexOf("\n", start)));
    }
    for (const word of words) shared.set(word, (shared.get(word) ?? 0) + 1);
  }
  return (
    [...shared]
      // A word has as many trigrams as letters, and a typo changes at most `editsMax` of them.
      .filter(([word]) => Math.abs(word.length - grams.length) <= editsMax + 1)
      .toSorted(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
      .map(([word]) => word)
  );
}
