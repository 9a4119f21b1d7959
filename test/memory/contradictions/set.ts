/** Pairs of decisions that contradict each other, and pairs that agree, in several voices. */
import { join } from "node:path";
import { contradicts } from "../../../src/memory/contradictions/contradiction.ts";

export interface Pair {
  /**
   * `second`, `blind` and `hard` pairs were written later, each against the rules of that day. `cases` are of
   * other scopes, conditions, exceptions, times, and words, and were written without a look at the rules.
   * `later` pairs were measured before anyone looked at them, and so were those of `teams.tsv`: half of them
   * were written before the rules were changed for their kinds, and half after.
   */
  voice: string;
  texts: [string, string];
  /** Every third of the first pairs, which nobody looked at while the rules were made. */
  isHeldOut: boolean;
}

const madeLater = new Set(["second", "blind", "hard", "cases", "later", "opposite", "agreeing"]);

export const pairsOf = async (name: "opposite" | "agreeing" | "german" | "teams"): Promise<Pair[]> =>
  (await Bun.file(join(import.meta.dir, `${name}.tsv`)).text())
    .trim()
    .split("\n")
    .map((line, index) => {
      const [voice = "", one = "", other = ""] = line.split("\t");
      return { voice, texts: [one, other], isHeldOut: index % 3 === 2 && !madeLater.has(voice) };
    });

/** The share of pairs in which a contradiction is found, in both orders alike. */
export const shareFound = (pairs: readonly Pair[]): number =>
  pairs.filter(({ texts: [one, other] }) => contradicts(one, other) && contradicts(other, one)).length /
  pairs.length;
