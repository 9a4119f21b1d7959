/** In the child: what an HTML page or an SVG says and shows, free of how its source is written. */
import { codeWords } from "./code-words.ts";

/** Elements whose tags may be left out, or say nothing without attributes. */
const optionalTags = new Set("html head body tbody".split(" "));
const optionalEnds = new Set("html head body tbody thead tfoot p li td th tr dt dd option".split(" "));
const token = /[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;
const named: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** Tags with sorted attributes, words of texts, styles, and scripts. */
export function htmlWords(text: string): string[] {
  const words: string[] = [];
  const open: string[] = [];
  let pending = "";
  const flush = () => {
    const inside = open.at(-1);
    words.push(
      ...(inside === undefined ? (decoded(pending).match(token) ?? []) : sourceWords(inside, pending)),
    );
    pending = "";
  };
  new HTMLRewriter()
    .on("*", {
      element(element) {
        flush();
        const name = element.tagName;
        const attributes = [...element.attributes]
          .map((pair) => attributeText(pair as [string, string]))
          .toSorted();
        if (attributes.length > 0 || !optionalTags.has(name))
          words.push(`<${[name, ...attributes].join(" ")}>`);
        const isSource = name === "style" || name === "script";
        if (isSource) open.push(name);
        if (!element.canHaveContent || element.selfClosing) return;
        element.onEndTag(() => {
          flush();
          if (isSource) open.pop();
          if (!optionalEnds.has(name)) words.push(`</${name}>`);
        });
      },
    })
    .onDocument({
      text(chunk) {
        pending += chunk.text;
      },
    })
    .transform(text);
  flush();
  return words;
}

/** One word for all of a style sheet or script. */
function sourceWords(element: string, source: string): string[] {
  const words = element === "style" ? cssWords(source) : codeWords(source);
  return words.length === 0 ? [] : [`<${element}>${words.join(" ")}`];
}

/** The style sheets and scripts, which decide how all words are shown. */
export const lookOf = (words: readonly string[]): string =>
  words.filter((word) => /^<(style|script|link)\b/.test(word)).join("\n");

/** The tag of the element that a word is in, or follows. */
export const tagBefore = (words: readonly string[], at: number): string | undefined =>
  words.slice(0, at).findLast((word) => /^<[^/]./.test(word));

function attributeText([name, value]: [string, string]): string {
  if (name === "class") return `class=${decoded(value).split(/\s+/).filter(Boolean).join(" ")}`;
  if (name === "style") return `style=${cssWords(decoded(value)).join(" ")}`;
  return `${name}=${decoded(value).replace(/\s+/g, " ").trim()}`;
}

/** Numbers and colors in one way of writing them. */
const cssWords = (css: string): string[] =>
  codeWords(
    css
      .replace(/(?<![\d.])0+(?=\.\d)/g, "")
      .replace(/#([\da-f])([\da-f])([\da-f])(?![\da-f])/gi, "#$1$1$2$2$3$3"),
  );

const decoded = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (whole, decimal, hex, name) => {
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return name === undefined
      ? code <= 0x10ffff
        ? String.fromCodePoint(code)
        : whole
      : (named[name] ?? whole);
  });
