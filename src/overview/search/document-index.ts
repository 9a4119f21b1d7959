/**
 * Inverted indexes of documents in memory: of lists that change, and of a text that a build makes. A search
 * looks up its own terms, so it costs the same however long the documents are (`bun run bench page-times`).
 */
import { wordsOf } from "../../core/text/tokenizer.ts";
import { canHaveTypo, editsMax } from "../../core/text/typo-candidates.ts";
import { type FoundTerm, textTerms } from "../../memory/recall/ranking.ts";

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

/** The words of a document that a typo can be corrected to. */
const formsOf = ({ head, about, text }: SearchDocument): ReadonlySet<string> =>
  new Set(wordsOf(`${head} ${about} ${text}`).flatMap(({ forms }) => forms.filter(canHaveTypo)));

const toLines = (lines: Iterable<string>): string => `\n${[...lines].map((line) => `${line}\n`).join("")}`;

/** The words of a text of lines that share trigrams with a mistyped one, those that share most of them first. */
function similarLines(lines: string, grams: readonly string[]): string[] {
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

/**
 * Returns a function that indexes lists of documents. Analyzing takes much longer than searching, so a
 * document that stays the same object is analyzed once; a search finds only those of its own list.
 * @param max documents that are known; beyond it, the index is made again
 */
export function listIndexer<D extends SearchDocument>(
  max: number,
): (documents: readonly D[]) => DocumentIndex<D> {
  const terms = new Map<string, Map<D, FoundTerm>>();
  const forms = new Map<string, Set<D>>();
  const lengths = new Map<D, number>();
  /** The keys of `forms`; empty once a document was added. */
  let formLines = "";
  function add(document: D): void {
    const analyzed = textTerms(document);
    lengths.set(document, analyzed.length);
    formLines = "";
    for (const [term, found] of analyzed.terms)
      terms.getOrInsertComputed(term, () => new Map()).set(document, found);
    for (const form of formsOf(document)) forms.getOrInsertComputed(form, () => new Set()).add(document);
  }
  return (documents) => {
    if (lengths.size > max) for (const part of [terms, forms, lengths]) part.clear();
    for (const document of documents) if (!lengths.has(document)) add(document);
    const listed = new Set(documents);
    const isListed = (document: D) => listed.has(document);
    const withTerm = (term: string) =>
      new Map([...(terms.get(term) ?? [])].filter(([document]) => isListed(document)));
    return {
      documents,
      lengthOf: (document) => lengths.get(document) ?? 0,
      withTerm,
      termsWithPrefix: (prefix) => [...terms.keys()].filter((term) => term.startsWith(prefix)).toSorted(),
      similarWords(grams, limit) {
        formLines ||= toLines(forms.keys());
        const isFormOfListed = (word: string) => forms.get(word)?.values().some(isListed) ?? false;
        return similarLines(formLines, grams).filter(isFormOfListed).slice(0, limit);
      },
    };
  };
}

/** An index as text, which is searched as it is: no process has to read it as a whole. */
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
