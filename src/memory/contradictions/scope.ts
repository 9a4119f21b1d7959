/** The case that a text speaks of: a condition, a phase, or the past. Texts of two cases do not contradict. */
import { nameOf, stemOf } from "./lexicon.ts";

interface Condition {
  kind: "before" | "after" | "during" | "outside" | "if";
  terms: ReadonlySet<string>;
}

const kinds: [RegExp, Condition["kind"]][] = [
  [/^(?:before|until|till)$/i, "before"],
  [/^(?:after|once|since|from)$/i, "after"],
  [/^during$/i, "during"],
  [/^outside$/i, "outside"],
];
/** Before a comma, a sentence can begin with any case; elsewhere only these words begin one. */
const leading =
  /^\s*(if|when|whenever|while|once|until|before|after|since|during|outside|in|on|at|for|with|without|from)\s([^,.;]{2,80}),/iu;
const trailing = /[^,.;]\s(if|when|whenever|while|until|once|during)\s([^,.;]{2,80})[.;]?\s*$/iu;
/** What a sentence begins with that is only one of several: "Phase two adds", "In 2024 we", "Version 1 of". */
const phase =
  /^\s*(?:(?:in|since|from|by|during|until|for)\s)?(?:the\s)?(?:(phase|sprint|version|stage|milestone|quarter|release)\s([\w.]+)|((?:19|20)\d\d)\b)/iu;
/** One of several that are alike: "Service A listens". */
const lettered =
  /^\s*(?:the\s)?(service|module|team|group|server|node|region|plan|variant|option|tier)\s([a-z]|\d+)\s/iu;
const byDefault = /\bby default\b/iu;
/** "Use semicolons everywhere but in templates". */
const exception = /\b(?:everywhere|anywhere|always|all|every|any)\b.*\sbut\s(?:in|on|for)\s(.+)$/iu;
/** What was, and no longer has to be. */
const past =
  /\b(?:was|were|had|used to|originally|formerly|previously|at first|back then|last (?:year|month|week))\b/iu;
const storing = /^\s*(?:store|save|persist|keep)\b/iu;
const showing = /^\s*(?:show|display|render|print)\b/iu;

const termsOf = (text: string): Set<string> =>
  new Set((text.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => nameOf(stemOf(word.toLowerCase()))));

function conditionOf(text: string): Condition | null {
  const [, head = "", words = ""] = leading.exec(text) ?? trailing.exec(text) ?? [];
  if (head === "") return null;
  const kind = kinds.find(([pattern]) => pattern.test(head))?.[1] ?? "if";
  return { kind, terms: termsOf(words) };
}

/** Whether each text holds in a case of its own. */
export function isOtherCase(a: string, b: string): boolean {
  if (past.test(a) !== past.test(b)) return true;
  if ((storing.test(a) && showing.test(b)) || (showing.test(a) && storing.test(b))) return true;
  if (isException(a, b) || isException(b, a)) return true;
  const [one, other] = [conditionOf(a), conditionOf(b)];
  if ((one && byDefault.test(b)) || (other && byDefault.test(a))) return true;
  return hasOtherPhase(a, b) || hasOtherCondition(one, other);
}

/** Whether a text is about what the other one leaves out. */
function isException(a: string, b: string): boolean {
  const [, leftOut] = exception.exec(a) ?? [];
  return leftOut !== undefined && termsOf(leftOut).isSubsetOf(termsOf(b));
}

function hasOtherPhase(a: string, b: string): boolean {
  const [, kind, number, year] = phase.exec(a) ?? lettered.exec(a) ?? [];
  const [, otherKind, otherNumber, otherYear] = phase.exec(b) ?? lettered.exec(b) ?? [];
  if (year && otherYear) return year !== otherYear;
  const isSameKind = kind !== undefined && kind.toLowerCase() === otherKind?.toLowerCase();
  return isSameKind && number?.toLowerCase() !== otherNumber?.toLowerCase();
}

function hasOtherCondition(a: Condition | null, b: Condition | null): boolean {
  if (!a || !b) return false;
  const isOpposite = a.kind !== b.kind && a.kind !== "if" && b.kind !== "if";
  const lacks = (one: Condition, other: Condition) => [...one.terms].some((term) => !other.terms.has(term));
  return isOpposite || (lacks(a, b) && lacks(b, a));
}
