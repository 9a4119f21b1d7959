/**
 * In the child: the words of a text, free of what formatting changes. Two texts with the same words, in the
 * same order, are one text.
 */
import papaparse from "papaparse";
import { jsonInKeyOrder } from "../../../../core/lib/key-order.ts";
import { decodeText } from "../../text-encoding.ts";
import type { MatchedFile } from "../match.ts";
import { codeWords } from "./code-words.ts";
import { elementWords } from "./element-words.ts";
import { htmlWords, lookOf } from "./html-words.ts";
import type { ComparedText } from "./quoted-places.ts";

/** Longer texts are not compared. */
const textBytesMax = 4 * 2 ** 20;

/** A text file with its words; null if it is none, or too long. */
export function readText({ file, mime, name }: MatchedFile): ComparedText | null {
  if (file.size > textBytesMax) return null;
  const text = decodeText(file.read(0, file.size), true)?.text;
  if (text === undefined) return null;
  const split = (part: string) => wordsOf(part.normalize("NFKC").replaceAll("\ufeff", ""), { mime, name });
  const words = split(text);
  const element = (selector: string) => (isMarkup(mime) ? elementWords(text, selector) : null);
  return { text, words, look: isMarkup(mime) ? lookOf(words) : "", split, element };
}

const isMarkup = (mime: string): boolean => /html|xml/.test(mime);

function wordsOf(text: string, { mime, name }: Pick<MatchedFile, "mime" | "name">): string[] {
  if (isMarkup(mime)) return htmlWords(text);
  const extension = name.toLowerCase().split(".").at(-1) ?? "";
  if (extension === "json") return proseWords(jsonInOrder(text));
  if (extension === "csv" || extension === "tsv") return tableWords(text);
  if (/^WEBVTT|\d\d:\d\d[.,]\d{3}\s+-->/.test(text)) return captionWords(text);
  return codeExtensions.has(extension) ? codeWords(text) : proseWords(text);
}

const codeExtensions = new Set(
  "js mjs cjs jsx ts tsx css scss less c h cc cpp hpp cs java kt swift go rs php dart scala sql".split(" "),
);

/** The order of keys says nothing. Text that is no JSON stays as it is. */
function jsonInOrder(text: string): string {
  try {
    return jsonInKeyOrder(JSON.parse(text));
  } catch {
    return text;
  }
}

/** Cells, whatever separates and quotes them. */
const tableWords = (text: string): string[] =>
  papaparse
    .parse<string[]>(text.trim(), { skipEmptyLines: true })
    .data.flatMap((row) => row.flatMap((cell) => [...plainWords(cell), "|"]));

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

const token = /[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;

const plainWords = (text: string): string[] => text.match(token) ?? [];

/** Lines may break elsewhere, and lists, rules, emphasis, and headings of Markdown be written in other ways. */
const proseWords = (text: string): string[] =>
  text
    .replace(/^[ \t]*[*+-][ \t]+/gm, "- ")
    .replace(/^[ \t]*>[ \t]?/gm, "")
    .replace(/^(.+)\r?\n=+[ \t]*$/gm, "# $1")
    .replace(/^(.+)\r?\n-+[ \t]*$/gm, "## $1")
    .replace(/[-=_*]{3,}/g, "---")
    .replace(/(?<![\p{L}\p{N}])[*_]+(?=\S)|(?<=\S)[*_]+(?![\p{L}\p{N}])/gu, "")
    .match(token) ?? [];
