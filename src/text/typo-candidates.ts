/** Terms that a mistyped one may have meant. */

/** Only these are worth a guess: letters, and enough of them. */
export const isGuessable = (term: string): boolean =>
  term.length >= 4 && term.length <= 32 && /^\p{L}+$/u.test(term);

/** Runs of three characters, those of the edges marked: `^re`, `rec`, `eca`, `cal`, `al$`. */
export function gramsOf(term: string): string[] {
  const edged = [...`^${term}$`]; // by characters: half of one is no text to a database
  return [...new Set(Array.from({ length: edged.length - 2 }, (_, at) => edged.slice(at, at + 3).join("")))];
}

/** More slips make another word. */
export const slipsMax = 2;
const longLength = 7;

/** One slip in a short word, two in a long one. */
export const isLikelyTypo = (term: string, _other: string, slips: number): boolean =>
  slips <= (term.length < longLength ? 1 : slipsMax);

/**
 * One slip in a long word, behind its first letter: it lets 1 of 129 English words that the test set lacks
 * find something, in place of 29.
 */
export const isSureTypo = (term: string, other: string, slips: number): boolean =>
  Math.max(term.length, other.length) >= longLength && slips <= 1 && term[0] === other[0];

/** Letters wrong, missing, added or swapped with their neighbour; above `max` it only says so. */
export function slipsBetween(a: string, b: string, max: number): number {
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
