/** Reads a text as claims: what each clause is about, and what it says of it. English only. */
import { lazy } from "../../core/lib/lazy.ts";
import { type Clause, clausesOf } from "./clauses.ts";
import {
  exclusiveValues,
  finiteVerbs,
  ignored,
  imperatives,
  nameOf,
  negations,
  negativePrefix,
  prepositions,
  stemOf,
} from "./lexicon.ts";
import { type Quantity, quantitiesOf } from "./numbers.ts";
import { isAdjective, type Token, tokensOf } from "./tokens.ts";

export interface Claim {
  /** Whether it negates what its terms say; two negations cancel each other. */
  isNegated: boolean;
  /** Whether it begins with what to do. */
  isImperative: boolean;
  /** Whether it says that something is too much or not enough, and not what should be. */
  isOfDegree: boolean;
  /** Whether it says what may be, so that others may be, too. */
  isPermission: boolean;
  /** Whether it names the only one of its kind, such as "the default branch". */
  isSole: boolean;
  /** Whether it says of a thing that it is the one, such as "the dark theme is the default". */
  isIdentity: boolean;
  /** What it is about and what it says, by the stem: the word as written, and its place. */
  terms: Map<string, { written: string; at: number }>;
  /** Terms that name a product or the like, after the verb. */
  names: Set<string>;
  /** Terms that follow "a". */
  articled: Set<string>;
  /** The word that leads to the statement, a preposition or `=`, and the terms after it. */
  link: string;
  place: Set<string>;
  /** Values that exclude others, by their group: the terms of each. */
  values: Map<number, Map<string, string[]>>;
  quantities: Quantity[];
  /** The terms before its verb. */
  subject: Set<string>;
  /** Of these, values before a noun, which tell subjects apart: "red buttons". */
  subjectValues: Set<string>;
  exceptions: Set<string>;
  /** The terms of the clauses before it, which it may be short for. */
  context: Set<string>;
}

/** A claim by itself, before it is read after others. */
type Reading = Claim & { isContinued: boolean };

/** The place of a term that another clause has. */
const elsewhere = { written: "", at: -9 };

/** The claims of a text, in order. */
export function claimsOf(text: string): Claim[] {
  const claims = clausesOf(text).flatMap((clause) => readClause(clause) ?? []);
  const subject = [...(claims[0]?.subject ?? [])].map((term) => [term, elsewhere] as const);
  return claims.map((claim, at) => ({
    ...claim,
    terms: claim.isContinued ? new Map([...subject, ...claim.terms]) : claim.terms,
    context: new Set(claims.slice(0, at).flatMap((one) => (one.isNegated ? [] : [...one.terms.keys()]))),
  }));
}

const degree = /\b(?:too|quite|very|overly|so) \p{L}|\bnot? enough\b/iu;
const permission = /\b(?:can|may|could|optionally)\b/iu;
const sole = /\b(?:default|primary|main|official|base|standard|called|named)\b/iu;
/** What "dark" is in "the dark theme is the default": the statement, though it comes first. */
const identity = /\b(?:is|are) (?:the|our)\b/iu;
/** A clause whose subject is that of the one before. */
const continued = /^\s*(?:must|may|can|cannot|should|shall|is|are)\s/iu;
const determiner = /^(?:a|an|the|per|each|every|of|this|our|no|any)$/iu;
/** Verbs without a meaning of their own, which are nouns after a determiner. */
const nouns = lazy(
  () => new Set(["run", "use", "move", "work", "change", "set", "show", "order", "display"].map(stemOf)),
);
const isNameLike = /^(?:\p{Lu}|\p{Ll}+\p{Lu}|\p{L}+\d)|\p{L}\.\p{L}|\p{L}-\d/u;
const isNameAnywhere = /\p{Ll}\p{Lu}|\d/u;

/** Abbreviations that are ignored words in lower case. */
const isAbbreviation = /^(?:US|GET|PUT|SET)$/;

function readClause({ text, exception, isRejected }: Clause): Reading | null {
  const found = quantitiesOf(text);
  const words = tokensOf(text);
  const isImperative = imperatives.has(words[0]?.written.toLowerCase() ?? "");
  const isVerb = ({ written }: Token, at: number) => at > 0 && finiteVerbs.has(written.toLowerCase());
  const claim: Reading = {
    isNegated: isRejected,
    isImperative,
    isContinued: continued.test(text),
    isOfDegree: degree.test(text),
    isPermission: permission.test(text),
    isSole: sole.test(text),
    isIdentity: identity.test(text),
    terms: new Map(),
    names: new Set(),
    subject: new Set(),
    subjectValues: new Set(),
    articled: new Set(),
    link: "",
    place: new Set(),
    values: new Map(),
    quantities: found.map(({ from: _, to: __, ...quantity }) => quantity),
    exceptions: new Set(tokensOf(exception).map(({ written }) => nameOf(stemOf(written.toLowerCase())))),
    context: new Set(),
  };
  const verb = isImperative ? -1 : words.findIndex(isVerb);
  const isNumber = (index: number) => found.some(({ from, to }) => index >= from && index < to);
  words.forEach((_, at) => {
    readWord(claim, { words, at, verb, text, isNumber });
  });
  return claim.terms.size + claim.quantities.length > 0 ? withLimit(claim) : null;
}

/** "Never more than 5" is at most 5. */
function withLimit(claim: Reading): Reading {
  const isLimit = claim.isNegated && claim.quantities.some(({ bound }) => bound === "least");
  if (!isLimit) return claim;
  const quantities = claim.quantities.map((one) => ({ ...one, bound: "most" as const }));
  return { ...claim, isNegated: false, quantities };
}

interface Place {
  words: readonly Token[];
  at: number;
  /** Where the finite verb is; -1 without one. */
  verb: number;
  text: string;
  isNumber(index: number): boolean;
}

function readWord(claim: Reading, { words, at, verb, text, isNumber }: Place): void {
  const { written, isCode, isQuoted, index } = words[at] as Token;
  const [before, next] = [words[at - 1], words[at + 1]];
  const lower = written.toLowerCase();
  const stem = stemOf(lower);
  const isSubject = at < verb;
  if (!isSubject) readLink(claim, lower, at);
  const isParticiple = isAdjective(words, at) || (/ing$/.test(lower) && at < verb - 1);
  if (!isCode && !isParticiple && isNegation(lower, stem, next?.written ?? "", text)) {
    claim.isNegated = !claim.isNegated;
    return;
  }
  const name = nameOf(stem);
  const isTerm =
    isCode ||
    isAbbreviation.test(written) ||
    !ignored().has(stem) ||
    (nouns().has(stem) && determiner.test(before?.written ?? ""));
  // Before the noun of a subject a value tells subjects apart; before a number "above" is a limit.
  const isValue = (claim.isIdentity || !(isTerm && at < verb - 1)) && !(next && isNumber(next.index));
  if (!isValue && isSubject && exclusiveValues(stem).length > 0) claim.subjectValues.add(name);
  if (isValue)
    for (const { group, value } of exclusiveValues(stem))
      addValue(claim, { group, value, term: name, isSubject });
  if (!isTerm || lower === "=" || isNumber(index)) return;
  claim.terms.set(name, { written, at });
  if (isSubject) claim.subject.add(name);
  else if (/^an?$/i.test(before?.written ?? "")) claim.articled.add(name);
  if (claim.link !== "" && lower !== claim.link) claim.place.add(name);
  const isName = isCode || (isNameLike.test(written) && (at > 0 || isNameAnywhere.test(written)));
  // "Pin Django to 4.2" says nothing of Celery, "use Django" does.
  const isObject =
    claim.isImperative &&
    claim.link === "" &&
    !ignored().has(stemOf((words[0] as Token).written.toLowerCase()));
  if (isName && !isSubject && (isQuoted || !isObject)) claim.names.add(name);
}

/** The first preposition leads to the statement, or else the copula. */
function readLink(claim: Reading, lower: string, at: number): void {
  if (lower === "=" || (claim.link === "" && /^(?:is|are|be)$/.test(lower))) claim.link = "=";
  if (at === 0 || !prepositions.has(lower)) return;
  if (claim.link === "=") claim.place.clear();
  if (claim.link === "=" || claim.link === "") claim.link = lower;
}

function isNegation(lower: string, stem: string, next: string, text: string): boolean {
  if (/n't$/.test(lower)) return true;
  if (!negations().has(stem)) return false;
  if (lower === "no" || lower === "not")
    return !/^(?:\d|only$|more$|less$|fewer$|longer$|later$|larger$)/.test(next);
  // "Delete logs after 30 days" keeps them that long.
  return !/^(?:delete|remove|purge|drop)/.test(lower) || !/\b(?:after|older)\b/.test(text);
}

interface Value {
  group: number;
  value: string;
  term: string;
  isSubject: boolean;
}

/** A value after the verb replaces those of its group before it. */
function addValue({ values, subject }: Reading, { group, value, term, isSubject }: Value): void {
  let found = values.get(group) ?? new Map<string, string[]>();
  if (!isSubject && [...found.values()].flat().every((one) => subject.has(one))) found = new Map();
  found.set(value, [...(found.get(value) ?? []), term]);
  values.set(group, found);
}

/** The term without a prefix that negates it, such as `encrypt` of `unencrypted`; null without one. */
export const withoutPrefix = (term: string): string | null => {
  const bare = term.replace(negativePrefix, "");
  return bare === term ? null : nameOf(stemOf(bare));
};
