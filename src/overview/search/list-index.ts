/** The index of documents of which some are new at each search. */
import { textBytes } from "../../core/lib/cache.ts";
import { indexedTerms, lookUpWord, termLengthMax, writtenWords } from "../../core/text/tokenizer.ts";
import { canHaveTypo } from "../../core/text/typo-candidates.ts";
import { type FoundTerm, headWeight } from "../../memory/recall/ranking.ts";
import { type DocumentIndex, type SearchDocument, similarLines, toLines } from "./document-index.ts";

const piece = "(?:[A-Za-z]?[a-z]+|[A-Z]+|\\d+)";
/**
 * A word or number in one case, or a compound of them. Each of its terms begins as one of its pieces does: it
 * is analyzed once a search looks for a term with such a first letter. To analyze all takes most of the first
 * search of a process (`bun run bench page-times`).
 */
const simpleWord = new RegExp(
  `^(?=.{1,${termLengthMax}}$)${piece}(?:(?:[-_]+|(?<!\\d)\\.|\\.(?!\\d))${piece})*$`,
);

/**
 * Returns a function that indexes lists of documents. A document that stays the same object is read once; a
 * search finds only those of its own list.
 * @param max documents that are known; beyond it, the index is made again
 */
export function listIndexer<D extends SearchDocument>(
  max: number,
): (documents: readonly D[]) => DocumentIndex<D> {
  const known = new Set<D>();
  /** What each word, as it is written, counts in the documents that have it. */
  const words = new Map<string, Map<D, number>>();
  /** The words by the terms and the forms that they have. */
  const terms = new Map<string, string[]>();
  const forms = new Map<string, string[]>();
  /** Simple words that are not analyzed yet, by the first letters of their pieces. */
  const simple = new Map<string, string[]>();
  /** The keys of `forms`; empty once a word was added. */
  let formLines = "";

  const push = (lists: Map<string, string[]>, key: string, word: string) =>
    lists.getOrInsertComputed(key, () => []).push(word);
  const analyzed = new Set<string>();
  function addTerms(word: string): void {
    if (analyzed.has(word)) return;
    analyzed.add(word);
    for (const term of indexedTerms(lookUpWord(word))) push(terms, term, word);
  }
  function addWord(word: string): void {
    const isSimple = simpleWord.test(word);
    const pieces = word.toLowerCase().split(/[-_.]+/);
    if (!isSimple) addTerms(word);
    else for (const initial of new Set(pieces.map(([first]) => first as string))) push(simple, initial, word);
    for (const form of isSimple ? new Set([pieces.join(""), ...pieces]) : lookUpWord(word).forms)
      if (canHaveTypo(form)) push(forms, form, word);
    formLines = "";
  }
  function add(document: D): void {
    known.add(document);
    const { head, about, text } = document;
    for (const [part, weight] of [[head, headWeight] as const, [`${about}\n${text}`, 1] as const])
      for (const word of writtenWords(part)) {
        const having = words.getOrInsertComputed(word, () => new Map());
        if (having.size === 0) addWord(word);
        having.set(document, (having.get(document) ?? 0) + weight);
      }
  }
  function analyzeLike(term: string): void {
    const initial = term[0] ?? "";
    for (const word of simple.get(initial) ?? []) addTerms(word);
    simple.delete(initial);
  }

  return (documents) => {
    if (known.size > max) for (const part of [known, words, terms, forms, simple, analyzed]) part.clear();
    for (const document of documents) if (!known.has(document)) add(document);
    const listed = new Set(documents);
    return {
      documents,
      lengthOf: ({ text }) => writtenWords(text).filter((word) => lookUpWord(word).term !== "").length,
      withTerm(term) {
        analyzeLike(term);
        const found = new Map<D, FoundTerm>();
        for (const word of terms.get(term) ?? [])
          for (const [document, count] of words.get(word) ?? []) {
            if (!listed.has(document)) continue;
            const posting = found.getOrInsertComputed(document, () => ({ written: [], count: 0 }));
            posting.count += count;
            if (!posting.written.includes(word)) posting.written.push(word);
          }
        return found;
      },
      termsWithPrefix(prefix) {
        analyzeLike(prefix);
        return [...terms.keys()].filter((term) => term.startsWith(prefix)).toSorted();
      },
      similarWords(grams, limit) {
        formLines ||= toLines(forms.keys());
        const isListed = (word: string) =>
          words
            .get(word)
            ?.keys()
            .some((document) => listed.has(document));
        return similarLines(formLines, grams)
          .filter((form) => forms.get(form)?.some(isListed))
          .slice(0, limit);
      },
    };
  };
}

/** What a document takes in memory: its terms take about as much again as its text. */
export const documentBytes = ({ head, about, text }: SearchDocument): number =>
  2 * textBytes(`${head}${about}${text}`);
