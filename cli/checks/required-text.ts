/**
 * What each match of a pattern contains: a search for it tells for most texts that the pattern does not
 * match, without the engine, which takes 24 ms to load. `svc hook` imports this: it imports nothing.
 */

export interface RequiredText {
  /** Each match contains one of these. */
  texts: readonly string[];
  ignoresCase: boolean;
}

/** Of more alternatives, the engine is as fast. */
const textsMax = 16;

/** Null for a pattern of which it is not known, such as `\d+`, or one in syntax that is rare. */
export function requiredText(pattern: string): RequiredText | null {
  const [flags = "", letters = ""] = /^\(\?([imsU]+)\)/.exec(pattern) ?? [];
  const ignoresCase = letters.includes("i");
  const reader = { chars: [...pattern.slice(flags.length)], at: 0, ignoresCase };
  try {
    const texts = alternatives(reader);
    if (reader.at < reader.chars.length || texts === null || texts.length > textsMax) return null;
    return { texts, ignoresCase };
  } catch {
    return null;
  }
}

/** A text as `contains` searches it, for patterns that ignore case: U+017F is an s for RE2. */
export const folded = (text: string): string => text.toLowerCase().replaceAll("ſ", "s");

interface Reader {
  chars: string[];
  at: number;
  ignoresCase: boolean;
}
type Texts = readonly string[] | null;

class UnknownSyntax extends Error {}

/** Reads up to the end of the group, or of the pattern. */
function alternatives(reader: Reader): Texts {
  let found: string[] | null = [];
  for (;;) {
    const texts = sequence(reader);
    found = texts && found && [...found, ...texts];
    if (reader.chars[reader.at] !== "|") return found;
    reader.at++;
  }
}

/** The longest of the texts that follow each other. */
function sequence(reader: Reader): Texts {
  let best: Texts = null;
  let run = "";
  const offer = (texts: Texts) => {
    if (texts?.length && shortest(texts) > shortest(best ?? [""])) best = texts;
  };
  const endRun = () => {
    offer([run]);
    run = "";
  };
  for (let char = reader.chars[reader.at]; char !== undefined; char = reader.chars[reader.at]) {
    if (char === "|" || char === ")") break;
    const atom = readAtom(reader, char);
    const least = leastCount(reader);
    if (typeof atom !== "string" || least === 0) endRun();
    if (least !== 0 && typeof atom === "string") run += atom;
    else if (least !== 0) offer(atom as Texts);
    if (least !== null) endRun();
  }
  endRun();
  return best;
}

const shortest = (texts: readonly string[]): number => Math.min(...texts.map(({ length }) => length));

/** A character, or what a group contains; null: any of several characters, or a place between them. */
function readAtom(reader: Reader, char: string): string | Texts {
  reader.at++;
  if (char === "(") return readGroup(reader);
  if (char === "[") return skipClass(reader);
  if (char === "\\") return readEscape(reader);
  if (".^$".includes(char)) return null;
  return literal(reader, char);
}

/** Only letters of ASCII fold in one way in RE2 and in `folded`. */
const literal = ({ ignoresCase }: Reader, char: string): string | null =>
  !ignoresCase ? char : /^[\x20-\x7e]$/.test(char) ? char.toLowerCase() : null;

function readGroup(reader: Reader): Texts {
  if (reader.chars[reader.at] === "?") {
    const [opening] = /^\?(?::|P?<\w+>)/.exec(reader.chars.slice(reader.at, reader.at + 80).join("")) ?? [];
    if (!opening) throw new UnknownSyntax();
    reader.at += opening.length;
  }
  const texts = alternatives(reader);
  if (reader.chars[reader.at++] !== ")") throw new UnknownSyntax();
  return texts;
}

function skipClass(reader: Reader): null {
  const { chars } = reader;
  if (chars[reader.at] === "^") reader.at++;
  for (let isFirst = true; isFirst || chars[reader.at] !== "]"; isFirst = false) {
    if (chars[reader.at] === undefined || chars[reader.at] === "[") throw new UnknownSyntax();
    reader.at += chars[reader.at] === "\\" ? 2 : 1;
  }
  reader.at++;
  return null;
}

function readEscape(reader: Reader): string | null {
  const char = reader.chars[reader.at++] ?? "";
  if (/^[bBAzdDwWsSnrtfv]$/.test(char)) return null;
  if (!/^[\x21-\x7e]$/.test(char) || /^[A-Za-z0-9]$/.test(char)) throw new UnknownSyntax();
  return literal(reader, char);
}

/** How often the last atom has to be there: null, once, without a repetition. */
function leastCount(reader: Reader): number | null {
  const rest = reader.chars.slice(reader.at, reader.at + 12).join("");
  const [all, sign, count] = /^(?:([*+?])|\{(\d{1,4})(?:,\d{0,4})?\})\??/.exec(rest) ?? [];
  if (all === undefined) return null;
  reader.at += all.length;
  return sign === undefined ? Number(count) : sign === "+" ? 1 : 0;
}
