/**
 * In the child: the words of a text, free of what formatting changes. Two texts with the same words, in the
 * same order, are one text.
 */
import papaparse from "papaparse";
import { decodeText } from "../text-encoding.ts";
import { codeWords } from "./code-words.ts";
import { htmlWords } from "./html-words.ts";

/** Longer texts are not compared. */
export const textBytesMax = 4 * 2 ** 20;

/** The words of a text file; null if it is none, or too long. */
export function wordsOf(bytes: Uint8Array, { mime, name }: { mime: string; name: string }): string[] | null {
  if (bytes.length > textBytesMax) return null;
  const text = decodeText(bytes, true)?.text.normalize("NFKC").replaceAll("\ufeff", "");
  if (text === undefined) return null;
  if (/html|xml/.test(mime)) return htmlWords(text);
  const extension = name.toLowerCase().split(".").at(-1) ?? "";
  if (extension === "json") return jsonWords(text) ?? proseWords(text);
  if (extension === "csv" || extension === "tsv") return tableWords(text);
  if (/^WEBVTT|\d\d:\d\d[.,]\d{3}\s+-->/.test(text)) return captionWords(text);
  return codeExtensions.has(extension) ? codeWords(text) : proseWords(text);
}

const codeExtensions = new Set(
  "js mjs cjs jsx ts tsx css scss less c h cc cpp hpp cs java kt swift go rs php dart scala sql".split(" "),
);

/** The order of keys says nothing. */
function jsonWords(text: string): string[] | null {
  try {
    return [JSON.stringify(sorted(JSON.parse(text)))];
  } catch {
    return null;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, inner]) => [key, sorted(inner)]);
}

/** Cells, whatever separates and quotes them. */
const tableWords = (text: string): string[] =>
  papaparse
    .parse<string[]>(text.trim(), { skipEmptyLines: true })
    .data.flatMap((row) => [...row.map((cell) => cell.trim()), "\n"]);

/** SRT and WebVTT write times in their own ways, and number captions or not. */
const captionWords = (text: string): string[] =>
  proseWords(
    text
      .replace(/^WEBVTT[^\n]*/, "")
      .replace(/^\s*\d+\s*\n(?=[\d:.,]+\s+-->)/gm, "")
      .replace(/(?:(\d\d):)?(\d\d):(\d\d)[.,](\d{3})/g, (_, hours = "00", ...rest) =>
        [hours, ...rest.slice(0, 3)].join(":"),
      ),
  );

/** Lines may break elsewhere, and lists, rules, emphasis, and headings of Markdown be written in other ways. */
const proseWords = (text: string): string[] =>
  text
    .replace(/^[ \t]*[*+-][ \t]+/gm, "- ")
    .replace(/^[ \t]*>[ \t]?/gm, "")
    .replace(/^(.+)\r?\n=+[ \t]*$/gm, "# $1")
    .replace(/^(.+)\r?\n-+[ \t]*$/gm, "## $1")
    .replace(/[-=_*]{3,}/g, "---")
    .replace(/(?<![\p{L}\p{N}])[*_]+(?=\S)|(?<=\S)[*_]+(?![\p{L}\p{N}])/gu, "")
    .split(/\s+/)
    .filter(Boolean);
