/** Typo correction: which words a mistyped one may have meant, by trigrams and edit distance. */

/** Whether a term can be corrected: only words of 4 to 32 letters. */
export const canHaveTypo = (term: string): boolean =>
  term.length >= 4 && term.length <= 32 && /^\p{L}+$/u.test(term);

/** The trigrams of a term, with marked edges: `^re`, `rec`, `eca`, `cal`, `al$`. */
export function trigramsOf(term: string): string[] {
  const edged = [...`^${term}$`]; // by code point: a lone surrogate is not valid text for a database
  return [...new Set(Array.from({ length: edged.length - 2 }, (_, at) => edged.slice(at, at + 3).join("")))];
}

/** Words that differ by more edits are different words. */
export const editsMax = 2;
const longWordMin = 7;

/** Whether a word is a likely typo of another: one edit in a short word, two in a long one. */
export const isLikelyTypo = (term: string, _other: string, edits: number): boolean =>
  edits <= (term.length < longWordMin ? 1 : editsMax);

/**
 * Whether a word is almost certainly a typo of another: one edit in a long word, not in its first letter. Of
 * 129 English words that the test set (test/memory/recall) does not contain, 1 finds something by this rule, and 29
 * do by `isLikelyTypo`.
 */
export const isSureTypo = (term: string, other: string, edits: number): boolean =>
  Math.max(term.length, other.length) >= longWordMin && edits <= 1 && term[0] === other[0];

/**
 * The edit distance of two words (optimal string alignment): letters replaced, missing, added or swapped with
 * their neighbor. Returns `max + 1` for anything above `max`.
 */
export function editDistance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min(
        (last[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (last[j - 1] as number) + Number(!same),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] as number) + 1);
      row.push(least);
    }
    [before, last] = [last, row];
  }
  return Math.min(last[b.length] as number, max + 1);
}
