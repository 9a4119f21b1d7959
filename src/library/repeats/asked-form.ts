/** Whether a reviewer asked for what a new form of a file changes: then it is no repeat. */
import type { AssetRow } from "../rows.ts";

type Form = Pick<AssetRow, "mime" | "kind" | "size" | "width" | "height">;

/** What changes with the form of a file, and the words that ask for it. */
const forms: readonly { words: RegExp; isChanged(before: Form, after: Form): boolean }[] = [
  {
    words: /\b(webp|avif|jpe?g|png|gif|svg|heic|tiff?|mp4|webm|format|codec|encod\w*|lossless)\b/i,
    isChanged: (before, after) => before.mime !== after.mime,
  },
  {
    words:
      /\b(\d+ ?[km]i?b|kilobytes?|megabytes?|bytes|compress\w*|too (large|big|heavy)|smaller|file ?size|artifacts?|quality|blurry)\b/i,
    isChanged: (before, after) => before.size !== after.size,
  },
  {
    words:
      /\b(\d+ ?px|pixels?|\d+ ?[x×] ?\d+|resolution|dpi|retina|resize\w*|scale[ds]?|scaling|dimensions?|width|wide|height|larger|bigger|smaller|crop\w*|trim\w*|border|margins?|edges?|aspect|ratio|whitespace|padding)\b/i,
    isChanged: (before, after) => before.width !== after.width || before.height !== after.height,
  },
  { words: /\b(metadata|exif|xmp|gps|location|c2pa|profile|watermark)\b/i, isChanged: () => true },
  {
    words:
      /\b(format\w*|indent\w*|whitespace|line (ends?|endings?|breaks?|length)|wrap\w*|crlf|utf-?8|bom|encoding|prettier|lint|minif\w*|comments?|quotes?|semicolons?|sort\w*|order)\b/i,
    isChanged: (before) => before.kind !== "image",
  },
];

export const asksForForm = (words: string, before: Form, after: Form): boolean =>
  forms.some((form) => form.words.test(words) && form.isChanged(before, after));
