/** Whether two texts contradict each other, by rules: opposite words, exclusive values, and other numbers. */
import { lazy } from "../../core/lib/lazy.ts";
import { type Claim, claimsOf, withoutPrefix } from "./claims.ts";
import { ignored, nameOf, stemOf } from "./lexicon.ts";
import { excludes, isCounted } from "./numbers.ts";
import { isOtherCase } from "./scope.ts";

/** What each of two texts says; null if one forbids what the other asks for. */
export interface Contradiction {
  here: string | null;
  there: string | null;
}

/** The first claims of two texts that cannot both hold; null if all can. */
export function contradictionOf(a: readonly Claim[], b: readonly Claim[]): Contradiction | null {
  for (const one of a)
    for (const other of b) {
      const found = compare(one, other);
      if (found) return found;
    }
  return null;
}

export const contradicts = (a: string, b: string): Contradiction | null =>
  isOtherCase(a, b) ? null : contradictionOf(claimsOf(a), claimsOf(b));

interface Difference extends Contradiction {
  /** The terms that differ by it: they say nothing of the subject. */
  left: Iterable<string>;
  right: Iterable<string>;
}

function compare(first: Claim, second: Claim): Contradiction | null {
  const [a, b] = alignPrefixes(first, second);
  const differences = [...polarity(a, b), ...exclusiveDifferences(a, b), ...quantityDifferences(a, b)];
  if (differences.length === 0) differences.push(...nameDifferences(a, b));
  // Two differences cancel each other: "merge when it is green", "never merge when it is red".
  if (differences.length % 2 === 0) return null;
  const [found] = differences as [Difference];
  return isSameSubject(a, b, differences) ? { here: found.here, there: found.there } : null;
}

/** Reads `unpinned` as a negated `pinned` where the other claim has that. */
function alignPrefixes(a: Claim, b: Claim): [Claim, Claim] {
  const align = (claim: Claim, other: Claim): Claim => {
    let aligned = claim;
    for (const [term, word] of claim.terms) {
      const bare = withoutPrefix(term);
      if (bare === null || !other.terms.has(bare)) continue;
      const terms = new Map(aligned.terms);
      terms.delete(term);
      terms.set(bare, word);
      aligned = { ...aligned, terms, isNegated: !aligned.isNegated };
    }
    return aligned;
  };
  return [align(a, b), align(b, a)];
}

function polarity(a: Claim, b: Claim): Difference[] {
  if (a.isNegated === b.isNegated || a.isOfDegree || b.isOfDegree || isElsewhere(a, b)) return [];
  return [{ here: null, there: null, left: [], right: [] }];
}

const spatial = /^(?:under|over|beside|below|above|around|near|behind|between)$/;

/** Whether they speak of two places beside one thing: on the image, and below it. */
const isElsewhere = (a: Claim, b: Claim): boolean =>
  a.link !== b.link &&
  (spatial.test(a.link) || spatial.test(b.link)) &&
  [...a.place].some((term) => b.place.has(term));

function exclusiveDifferences(a: Claim, b: Claim): Difference[] {
  if (a.isPermission && b.isPermission) return [];
  if ((a.isIdentity || b.isIdentity) && a.isSole !== b.isSole) return [];
  const found = new Map<string, Difference>();
  for (const [group, mine] of a.values) {
    const theirs = b.values.get(group);
    if (!theirs || [...mine.keys()].some((value) => theirs.has(value))) continue;
    const [left, right] = [[...mine.values()].flat(), [...theirs.values()].flat()];
    if (left.some((term) => a.subjectValues.has(term)) && right.some((term) => b.subjectValues.has(term)))
      continue;
    const isPlace = left.some((term) => a.place.has(term)) && right.some((term) => b.place.has(term));
    const [all, others] = isPlace
      ? [
          [...left, ...a.place],
          [...right, ...b.place],
        ]
      : [left, right];
    found.set(left.join(), { here: written(a, left), there: written(b, right), left: all, right: others });
  }
  return [...found.values()];
}

function quantityDifferences(a: Claim, b: Claim): Difference[] {
  for (const mine of a.quantities) {
    if (b.quantities.some((theirs) => theirs.unit === mine.unit && !excludes(mine, theirs))) continue;
    const theirs = b.quantities.find(
      (one) => excludes(mine, one) && isOf(mine.attribute, b) && isOf(one.attribute, a),
    );
    if (theirs) return [{ here: say(mine), there: say(theirs), left: [], right: [] }];
  }
  return [];
}

/** Whether a claim is about what a number of the other one measures, if that says it. */
const isOf = (attribute: string, { terms }: Claim): boolean =>
  attribute === "" || ignored().has(attribute) || terms.has(attribute);

const say = ({ value, unit }: Claim["quantities"][number]): string => `${value} ${unit}`.trim();

/** Two names in one place: "use Stripe for payments", "payments go through Adyen". */
function nameDifferences(a: Claim, b: Claim): Difference[] {
  if (a.isNegated || b.isNegated || a.isPermission || b.isPermission) return [];
  const [mine, theirs] = [
    [...a.names].filter((name) => !b.terms.has(name)),
    [...b.names].filter((name) => !a.terms.has(name)),
  ];
  // "German customers get German invoices."
  if (mine.some((name) => a.subject.has(name)) && theirs.some((name) => b.subject.has(name))) return [];
  const isShared = [...a.names].some((name) => b.names.has(name));
  if (mine.length > 0 && theirs.length > 0 && !isShared)
    return [{ here: written(a, mine), there: written(b, theirs), left: mine, right: theirs }];
  return placeDifferences(a, b);
}

const written = ({ terms }: Claim, names: readonly string[]): string =>
  names.map((name) => terms.get(name)?.written ?? name).join(" ");

/** What leads to a place, as one of its kind; null if several things can be there. */
const linkOf = ({ link, isSole }: Claim): string | null =>
  /^(?:in|on|at|beside)$/.test(link)
    ? "in"
    : /^(?:by|to|from|through|via|with)$/.test(link) || (link === "=" && isSole)
      ? link
      : null;

/** Two modifiers of one thing, all else being equal: "a linear scale", "a logarithmic scale". */
function modifierDifferences(a: Claim, b: Claim): Difference[] {
  const [left, right] = [
    [...a.terms.keys()].filter((term) => !b.terms.has(term)),
    [...b.terms.keys()].filter((term) => !a.terms.has(term)),
  ];
  const isOne = (claim: Claim, only: string[]) =>
    only.length === 1 && (claim.articled.has(only[0] as string) || claim.names.has(only[0] as string));
  if (!isOne(a, left) || !isOne(b, right) || a.terms.size < 3) return [];
  return [{ here: written(a, left), there: written(b, right), left, right }];
}

/** Two places of the same thing, after the same word: "handled by the client", "handled by the server". */
function placeDifferences(a: Claim, b: Claim): Difference[] {
  const [link, other] = [linkOf(a), linkOf(b)];
  if (link === null || link !== other) return modifierDifferences(a, b);
  const [mine, theirs] = [thingOf(a), thingOf(b)];
  // "Use Vite with React" names one of several.
  if (link === "with" && mine.some((term) => a.names.has(term))) return [];
  const isSame =
    mine.length > 0 && mine.length === theirs.length && mine.every((term) => theirs.includes(term));
  const [left, right] = [[...a.place], [...b.place]];
  if (!isSame || left.length === 0 || right.length === 0 || left.some((term) => b.place.has(term)))
    return modifierDifferences(a, b);
  return [{ here: written(a, left), there: written(b, right), left, right }];
}

/** "Kept in" is "stored in". */
const storing = lazy(() => nameOf(stemOf("store")));
const thingOf = ({ terms, place }: Claim): string[] =>
  [...terms.keys()].filter((term) => !place.has(term) && term !== storing());

/** Verbs that add nothing to what they forbid: "don't write comments". */
const lightVerbs = lazy(
  () =>
    new Set(["write", "create", "reveal", "expose", "accessible", "publish", "send"].map(stemOf).map(nameOf)),
);

/** "Expose" in "expose a REST API" and in "do not expose a REST API". */
const isLightVerb = ({ isImperative, isNegated, terms }: Claim, term: string): boolean => {
  const { at = -1, written = "" } = terms.get(term) ?? {};
  const isVerb = isImperative && at >= 0 && at <= (isNegated ? 2 : 0);
  return isVerb && /^(?:create|expose|offer|provide|send|write)$/i.test(written);
};

/** Whether both claims are about the same: only one of them may have terms of its own. */
function isSameSubject(a: Claim, b: Claim, differences: readonly Difference[]): boolean {
  const left = new Set(differences.flatMap((one) => [...one.left]));
  const right = new Set(differences.flatMap((one) => [...one.right]));
  const [mine, theirs] = [
    [...a.terms.keys()].filter((term) => !left.has(term)),
    [...b.terms.keys()].filter((term) => !right.has(term)),
  ];
  const shared = mine.filter((term) => theirs.includes(term));
  if (mine.some((term) => b.exceptions.has(term)) || theirs.some((term) => a.exceptions.has(term)))
    return false;
  const units = a.quantities.some(
    ({ unit }) => isCounted(unit) && unit !== "" && b.quantities.some((one) => one.unit === unit),
  );
  if (shared.length === 0 && !units) return false;
  const [onlyA, onlyB] = [
    mine.filter((term) => !theirs.includes(term) && !b.context.has(term)),
    theirs.filter((term) => !mine.includes(term) && !a.context.has(term)),
  ];
  if (onlyA.some((term) => !isLightVerb(a, term)) && onlyB.some((term) => !isLightVerb(b, term)))
    return false;
  const isPolarity = a.isNegated !== b.isNegated;
  // What is forbidden in a special case is not forbidden in general.
  if (isPolarity && (a.isNegated ? onlyA : onlyB).some((term) => !lightVerbs().has(term))) return false;
  if (isPolarity && shared.length === 1 && [a, b].some((claim) => isModifier(claim, shared[0] as string)))
    return false;
  if (!isPolarity && (narrows(a, onlyA, shared) || narrows(b, onlyB, shared))) return false;
  return onlyA.length + onlyB.length <= 3;
}

/** Whether another term comes right after this one: "unit tests" are no units. */
const isModifier = ({ terms, names, isImperative }: Claim, term: string): boolean => {
  const at = terms.get(term)?.at ?? -1;
  if (names.has(term) || (isImperative && at === 0)) return false;
  return [...terms.values()].some((other) => other.at === at + 1);
};

/** Whether a word that only one claim has comes right before a shared one: "the reduced VAT". */
function narrows(
  { terms, subject, isImperative }: Claim,
  only: readonly string[],
  shared: readonly string[],
): boolean {
  const placeOf = (term: string) => terms.get(term)?.at ?? -1;
  const places = shared.map(placeOf);
  const isVerb = (at: number) => shared.some((term) => placeOf(term) === at && !subject.has(term));
  return only.some((term) => {
    const at = placeOf(term);
    // "The API returns 404" speaks of all that returns 404.
    if (subject.has(term) && isVerb(at + 1)) return false;
    return places.includes(at + 1) && !places.includes(at - 1) && !(isImperative && at === 0);
  });
}
