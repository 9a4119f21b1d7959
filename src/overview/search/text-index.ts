/** The index of documents that never change as text, which is searched as it is. */
import { wordsOf } from "../../core/text/tokenizer.ts";
import { canHaveTypo } from "../../core/text/typo-candidates.ts";
import { textTerms } from "../../memory/recall/ranking.ts";
import { type DocumentIndex, type SearchDocument, similarLines, toLines } from "./document-index.ts";

/** No process has to read it as a whole. */
export interface TextIndex {
  /**
   * A line for each term, sorted: the term, a tab, and for each document that has it its number and the count
   * of the term, `2:3;`, with the words that have it if they are not the term itself: `2:3:Retries:retry;`.
   */
  terms: string;
  /** A line for each word that a typo can be corrected to. Both begin and end with a line break. */
  forms: string;
  lengths: readonly number[];
}

/** The words of a document that a typo can be corrected to. */
const formsOf = ({ head, about, text }: SearchDocument): ReadonlySet<string> =>
  new Set(wordsOf(`${head} ${about} ${text}`).flatMap(({ forms }) => forms.filter(canHaveTypo)));

export function makeTextIndex(documents: readonly SearchDocument[]): TextIndex {
  const lines = new Map<string, string>();
  const forms = new Set<string>();
  const lengths = documents.map((document, at) => {
    const analyzed = textTerms(document);
    for (const [term, { count, written }] of analyzed.terms) {
      const isItself = written.length === 1 && written[0] === term;
      const fields = [at, count, ...(isItself ? [] : written)];
      lines.set(term, `${lines.get(term) ?? `${term}\t`}${fields.join(":")};`);
    }
    for (const form of formsOf(document)) forms.add(form);
    return analyzed.length;
  });
  const sorted = [...lines.keys()].toSorted((a, b) => (a < b ? -1 : 1));
  return {
    terms: toLines(sorted.map((term) => lines.get(term) as string)),
    forms: toLines(forms),
    lengths,
  };
}

/** @param documents those that the index was made of */
export function readTextIndex<D>(
  documents: readonly D[],
  { terms, forms, lengths }: TextIndex,
): DocumentIndex<D> {
  const numbers = new Map(documents.map((document, at) => [document, at]));
  return {
    documents,
    lengthOf: (document) => lengths[numbers.get(document) ?? 0] ?? 0,
    withTerm(term) {
      const start = lineFrom(terms, `${term}\t`);
      if (!terms.startsWith(`${term}\t`, start)) return new Map();
      const postings = terms.slice(start + term.length + 1, terms.indexOf("\n", start) - 1).split(";");
      return new Map(
        postings.map((posting) => {
          const [at, count, ...written] = posting.split(":");
          const found = { count: Number(count), written: written.length > 0 ? written : [term] };
          return [documents[Number(at)] as D, found];
        }),
      );
    },
    termsWithPrefix(prefix) {
      const found: string[] = [];
      for (let start = lineFrom(terms, prefix); terms.startsWith(prefix, start); ) {
        found.push(terms.slice(start, terms.indexOf("\t", start)));
        start = terms.indexOf("\n", start) + 1;
      }
      return found;
    },
    similarWords: (grams, limit) => similarLines(forms, grams).slice(0, limit),
  };
}

/** Where the first line begins that is not before `text`: a binary search. */
function lineFrom(lines: string, text: string): number {
  let [low, high] = [1, lines.length];
  while (low < high) {
    const start = lines.lastIndexOf("\n", ((low + high) >> 1) - 1) + 1;
    const end = lines.indexOf("\n", start);
    if (lines.slice(start, Math.min(end, start + text.length)) < text) low = end + 1;
    else high = start;
  }
  return low;
}
