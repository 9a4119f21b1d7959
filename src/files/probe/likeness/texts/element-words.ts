/** In the child: what an HTML page says and shows in one element, which a selector names. */
import { htmlWords } from "./html-words.ts";

const mark = "data-svc-marked";
/** Elements that have no end. */
const empty = new Set("area base br col embed hr img input link meta source track wbr".split(" "));

/** The words of the first element that a selector finds; null without one, or for a selector that is not known. */
export function elementWords(text: string, selector: string): string[] | null {
  let isMarked = false;
  try {
    const marked = new HTMLRewriter()
      .on(selector, {
        element(element) {
          if (!isMarked) element.setAttribute(mark, "");
          isMarked = true;
        },
      })
      .transform(text);
    const words = htmlWords(marked);
    const start = words.findIndex((word) => word.startsWith("<") && word.includes(`${mark}=`));
    return start < 0 ? null : words.slice(start, endOf(words, start));
  } catch {
    return null;
  }
}

/** Ends that may be left out, as those of a paragraph are, come with the end of what is around them. */
function endOf(words: readonly string[], start: number): number {
  const nameOf = (word: string) => /^<\/?([^\s>/]+)/.exec(word)?.[1] ?? "";
  const own = nameOf(words[start] ?? "");
  if (empty.has(own)) return start + 1;
  const open = [own];
  for (let at = start + 1; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word.startsWith("</")) {
      const level = open.lastIndexOf(nameOf(word));
      if (level < 0) return at;
      open.length = level;
      if (level === 0) return at + 1;
    } else if (/^<[a-z]/i.test(word) && word.endsWith(">")) {
      const name = nameOf(word);
      const isNext = name === own && /^(?:p|li|td|th|tr|dt|dd|option)$/.test(own) && open.length === 1;
      if (isNext) return at;
      if (!empty.has(name) && name !== "style" && name !== "script") open.push(name);
    }
  }
  return words.length;
}
