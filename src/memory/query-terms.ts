/** A query, understood: the words it wants, and what each of them may be found by. */
import type { Data } from "../data.ts";
import type { Match, Projects } from "../rows.ts";
import { termLengthMax, termOf, type Word, wordsOf } from "../text/tokenizer.ts";
import {
  gramsOf,
  isGuessable,
  isLikelyTypo,
  isSureTypo,
  slipsBetween,
  slipsMax,
} from "../text/typo-candidates.ts";
import { type MemoryKind, memoryKinds } from "./schema.ts";

/** How a word of a query came to a word of a text. */
export type How = "word" | "parts" | "beginning" | "joined" | "typo";

export interface Alternative {
  how: How;
  /** All of them have to be there. */
  terms: readonly string[];
  /** How much less it is worth than the word itself. */
  worth: number;
}

type Counts = Record<MemoryKind, number>;

export interface Want {
  written: string;
  alternatives: Alternative[];
  /** What finding it is worth: a rare word more than one that is everywhere. */
  weight: number;
  /** How many texts of each kind it finds; `countMax` is that many or more. */
  found: Counts;
}

/** More of a query is not read. */
const lengthMax = 8_192;
const wordsMax = 48;
/** Only of a short query are neighbours tried as one word. */
const joinedMax = 12;
/** The rarest of them; a long query is a text, and its rare words are what it is about. */
const wantsMax = 24;
/** Words in more texts than this count alike. */
export const countMax = 1_000;
const guessedMax = 8;
const guessesMax = 3;
const similarMax = 200;
const slipCost = 0.1;

const worths: Record<How, number> = { word: 1, parts: 0.9, joined: 0.9, beginning: 0.7, typo: 0.7 };

/** Never fails: what holds no word wants nothing. */
export async function understand(data: Vocabulary, projects: Projects, query: string): Promise<Want[]> {
  const words = distinct(wordsOf(query.slice(0, lengthMax).toWellFormed())).slice(0, wordsMax);
  const asked = words.map((word, index) => ({ word, alternatives: alternativesOf(words, index) }));
  const corpus: Corpus = { data, projects };
  const counts = await count(
    corpus,
    asked.flatMap(({ alternatives }) => alternatives),
  );
  const isKnown = (one: Alternative) => seenOf(counts.get(one)) > 0;
  // Without a known word nothing says what the query is about, and a far guess would be about something else.
  const isTypo = asked.some(({ alternatives }) => alternatives.some(isKnown)) ? isLikelyTypo : isSureTypo;
  let guesses = guessedMax;
  const wants: Want[] = [];
  for (const { word, alternatives } of asked) {
    let found = alternatives.filter(isKnown);
    if (found.length === 0 && guesses-- > 0)
      found = await guess(corpus, word.forms[0] as string, isTypo, counts);
    const first = found[0]; // the plain word, where it was found
    if (!first) continue;
    const weight = Math.log(1 + countMax / seenOf(counts.get(first)));
    const most = (kind: MemoryKind) => Math.max(...found.map((one) => counts.get(one)?.[kind] ?? 0));
    const ofKinds = Object.fromEntries(memoryKinds.map((kind) => [kind, most(kind)])) as Counts;
    wants.push({ written: word.written, alternatives: found, weight, found: ofKinds });
  }
  return wants.length <= wantsMax ? wants : wants.toSorted((a, b) => b.weight - a.weight).slice(0, wantsMax);
}

/** In how many texts of any kind; `countMax` is that many or more. */
const seenOf = (counts: Counts | undefined): number =>
  Math.min(
    Object.values(counts ?? {}).reduce((sum, one) => sum + one, 0),
    countMax,
  );

type Vocabulary = Pick<Data, "countMatches" | "similarWords">;

/** What words are looked up in: all that a caller may see, and nothing else. */
interface Corpus {
  data: Vocabulary;
  projects: Projects;
}

const distinct = (words: Word[]): Word[] => [...new Map(words.map((word) => [word.term, word])).values()];

function alternativesOf(words: Word[], index: number): Alternative[] {
  const { term, parts, written } = words[index] as Word;
  const list: Alternative[] = [{ how: "word", terms: [term], worth: worths.word }];
  if (parts.length > 1) list.push({ how: "parts", terms: parts, worth: worths.parts });
  const next = words.length <= joinedMax ? words[index + 1] : undefined;
  const joined = next && written.toLowerCase() + next.term;
  if (joined && joined.length <= termLengthMax)
    list.push({ how: "joined", terms: [joined], worth: worths.joined });
  const beginning = written.toLowerCase();
  if (index === words.length - 1 && /^[\p{L}\p{N}]{2,64}$/u.test(beginning))
    list.push({ how: "beginning", terms: [beginning], worth: worths.beginning });
  return list.filter(({ terms }) => terms.every((one) => /^[\p{L}\p{N}\p{M}]+$/u.test(one)));
}

export const matchOf = ({ how, terms }: Alternative): Match =>
  how === "beginning" ? { term: terms[0] as string, prefix: true } : { all: terms.map((term) => ({ term })) };

/** How many texts each of them finds, in one look. */
async function count(
  { data, projects }: Corpus,
  alternatives: Alternative[],
): Promise<Map<Alternative, Counts>> {
  const counts =
    alternatives.length > 0 ? await data.countMatches(projects, alternatives.map(matchOf), countMax) : [];
  return new Map(alternatives.map((one, index) => [one, counts[index] as Counts]));
}

/** Words that a mistyped one may have meant: the fewest slips first, then the most frequent. */
async function guess(
  corpus: Corpus,
  form: string,
  isTypo: typeof isLikelyTypo,
  counts: Map<Alternative, Counts>,
): Promise<Alternative[]> {
  if (!isGuessable(form)) return [];
  const slipsOf = new Map<string, number>();
  for (const other of await corpus.data.similarWords(corpus.projects, gramsOf(form), similarMax)) {
    const slips = slipsBetween(form, other, slipsMax);
    const term = termOf(other);
    if (isTypo(form, other, slips) && slips < (slipsOf.get(term) ?? Number.POSITIVE_INFINITY))
      slipsOf.set(term, slips);
  }
  const near = [...slipsOf].map(([term, slips]) => ({
    how: "typo" as const,
    terms: [term],
    worth: worths.typo - slipCost * slips,
  }));
  const found = await count(corpus, near);
  for (const [one, each] of found) counts.set(one, each);
  const seen = (one: Alternative) => seenOf(found.get(one));
  return near
    .filter(seen)
    .sort((a, b) => b.worth - a.worth || seen(b) - seen(a))
    .slice(0, guessesMax);
}
