/** Which texts share much: the smallest hashes of their shingles, each of three words (bottom-k sketch). */
import { decodeText } from "../text-encoding.ts";

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
  const hashes = new Set<number>();
  const length = words.length < fewWords ? 1 : wordsOfShingle;
  for (let at = 0; at <= words.length - length; at++)
    hashes.add(Bun.hash.xxHash32(words.slice(at, at + length).join(" ")));
  const smallest = Uint32Array.from(hashes).sort().subarray(0, sketchLength);
  return Buffer.from(smallest.buffer, 0, smallest.byteLength).toString("base64");
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
