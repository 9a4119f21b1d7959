/** Which texts share much: the smallest hashes of their shingles, each of three words (bottom-k sketch). */
import { decodeText } from "../../text-encoding.ts";

const [wordsOfShingle, sketchLength] = [3, 24] as const;
/** Of shorter texts, each word counts: a sorted list has no three words in their order. */
const fewWords = 300;

/** Hashes of the beginning of a text, as base64; null if it has no words. */
export function shingleSketch(head: Uint8Array, isWhole: boolean): string | null {
  const text = decodeText(head, isWhole)?.text;
  const words = text
    ?.replace(/<[^>]*>/g, " ")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  if (!words) return null;
  const smallest = Uint32Array.from(smallestHashes(words, words.length < fewWords ? 1 : wordsOfShingle));
  return Buffer.from(smallest.buffer).toString("base64");
}

/** In order. A text has thousands, so the others are neither remembered nor sorted. */
function smallestHashes(words: readonly string[], length: number): number[] {
  const text = words.join(" ");
  const smallest: number[] = [];
  let start = 0;
  let end = words.slice(0, length).join(" ").length;
  for (let at = length; at <= words.length; at++) {
    const hash = Bun.hash.xxHash32(text.slice(start, end));
    if (smallest.length < sketchLength || hash < (smallest.at(-1) as number)) insert(smallest, hash);
    start += (words[at - length] as string).length + 1;
    end += (words[at]?.length ?? 0) + 1;
  }
  return smallest;
}

function insert(sorted: number[], hash: number): void {
  const at = sorted.findIndex((other) => other >= hash);
  if (sorted[at] === hash) return;
  sorted.splice(at < 0 ? sorted.length : at, 0, hash);
  if (sorted.length > sketchLength) sorted.pop();
}

/** The share of the hashes of two sketches that both have. */
export function sharedShingles(one: string, other: string): number {
  const [some, others] = [hashesOf(one), hashesOf(other)];
  const all = [...new Set([...some, ...others])].sort((a, b) => a - b).slice(0, sketchLength);
  const [inOne, inOther] = [new Set(some), new Set(others)];
  return all.filter((hash) => inOne.has(hash) && inOther.has(hash)).length / all.length;
}

function hashesOf(sketch: string): number[] {
  const bytes = Buffer.from(sketch, "base64");
  return Array.from({ length: bytes.length >> 2 }, (_, at) => bytes.readUInt32LE(at * 4));
}
