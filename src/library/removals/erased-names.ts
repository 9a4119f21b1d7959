/**
 * Replaces the names of an erased person. Only hashes of the names are kept, so that a restore of an older
 * backup can erase them again: it hashes the words of its texts, and compares.
 */
import { Cache } from "../../core/lib/cache.ts";
import type { ErasedName } from "./rows.ts";

/** A name that a person has, and what replaces it. */
export interface NameToErase {
  name: string;
  label: string;
}

const word = /[\p{L}\p{N}]+/gu;
const hashedWordsMax = 100_000;

const normalize = (text: string): string => text.normalize("NFC").toLowerCase().replace(/\s+/g, " ");
const sha256 = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");
const hashOf = (salt: string, text: string): string => sha256(`${salt} ${normalize(text)}`);

/** Tells names apart that differ only in case and have one label; the same in a restore. */
export const spellingMark = (salt: string, name: string): string => sha256(`${salt} ${name}`).slice(0, 6);

export const hashNames = (salt: string, names: readonly NameToErase[]): ErasedName[] =>
  names.map(({ name, label }) => ({
    hash: hashOf(salt, name),
    words: name.match(word)?.length ?? 0,
    label,
  }));

/** Returns whether an ASCII text may contain one of the names; of others it cannot say. */
function nameFilter(names: readonly string[]): (text: string) => boolean {
  const first = names.flatMap((name) => normalize(name).match(word)?.[0] ?? []);
  if (first.length === 0) return () => true;
  return (text) => {
    if (!isAscii.test(text)) return true;
    const lower = text.toLowerCase();
    return first.some((one) => lower.includes(one));
  };
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are ASCII
const isAscii = /^[\x00-\x7f]*$/;

/**
 * Returns a function that replaces the names in a text, as whole words and in any case.
 * @param known the names, where they are known: most texts have none of them, and need no hashes
 */
export function nameEraser(
  salt: string,
  names: readonly ErasedName[],
  known: readonly string[] = [],
): (text: string) => string {
  const mayContain = nameFilter(known);
  const labels = new Map(names.map(({ hash, label }) => [hash, label]));
  const lengths = [...new Set(names.map(({ words }) => words))].sort((a, b) => b - a);
  const hashes = new Cache<string, string>({ max: hashedWordsMax });
  const labelOf = (text: string) => labels.get(hashes.getOrMake(text, () => hashOf(salt, text)));
  return (text) => {
    if (!mayContain(text)) return text;
    const words = [...text.matchAll(word)];
    let result = "";
    let end = 0;
    for (let at = 0; at < words.length; ) {
      const start = words[at]?.index as number;
      let taken = 1;
      for (const length of lengths) {
        const last = words[at + length - 1];
        if (!last) continue;
        const until = last.index + last[0].length;
        const label = labelOf(text.slice(start, until));
        if (label === undefined) continue;
        result += text.slice(end, start) + label;
        [end, taken] = [until, length];
        break;
      }
      at += taken;
    }
    return end === 0 ? text : result + text.slice(end);
  };
}
