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

/** A text as `contains` searches it, for patterns that ignore case: U+017F is an s for RE2. */
export const folded = (text: string): string => text.toLowerCase().replaceAll("ſ", "s");

/** One of these texts, or a character of a run; null: any of several characters, or a place between them. */
type Atom = readonly string[] | string | null;

const escapeOrClass =
  /\\([!-/:-@[-`{-~])|\\[bBAzdDwWsSnrtfv]|\[(?:\^|(?!\^))(?:\]|\\.|[^\\[\]])(?:\\.|[^\\[\]])*\]/gsu;
const innermostGroup = /\((?:\?(?::|P?<\w+>)|(?!\?))([^()]*)\)/u;
const repeatedAtom = /(.)((?:[*+?]|\{(\d{1,4})(?:,\d{0,4})?\})\??)?/gsu;
/** Stand for atoms that are read already: characters of private use, which no pattern has. */
const [firstToken, tokens] = [0xe000, /[\ue000-\uf8ff]/];

/** Null for a pattern of which it is not known, such as `\d+`, or one in syntax that is rare. */
export function requiredText(pattern: string): RequiredText | null {
  const [flags = "", letters = ""] = /^\(\?([imsU]+)\)/.exec(pattern) ?? [];
  const ignoresCase = letters.includes("i");
  const atoms: Atom[] = [];
  const token = (atom: Atom) => String.fromCharCode(firstToken + atoms.push(atom) - 1);
  /** Only letters of ASCII fold in one way in RE2 and in `folded`. */
  const literal = (char: string) =>
    !ignoresCase ? char : /^[\x20-\x7e]$/.test(char) ? char.toLowerCase() : null;
  const atomOf = (char: string): Atom =>
    tokens.test(char)
      ? (atoms[char.charCodeAt(0) - firstToken] ?? null)
      : ".^$".includes(char)
        ? null
        : literal(char);

  if (tokens.test(pattern)) return null;
  let rest = pattern
    .slice(flags.length)
    .replace(escapeOrClass, (_, escaped?: string) => token(escaped === undefined ? null : literal(escaped)));
  if (/[[\\]/.test(rest)) return null;
  for (let group = innermostGroup.exec(rest); group; group = innermostGroup.exec(rest))
    rest = rest.replace(group[0], token(alternatives(group[1] as string, atomOf)));
  const texts = /[()]/.test(rest) ? null : alternatives(rest, atomOf);
  return texts && texts.length <= textsMax ? { texts, ignoresCase } : null;
}

function alternatives(pattern: string, atomOf: (char: string) => Atom): readonly string[] | null {
  const parts = pattern.split("|").map((part) => longest(part, atomOf));
  return parts.every((part) => part !== null) ? parts.flat() : null;
}

/** The longest of the texts that follow each other. */
function longest(sequence: string, atomOf: (char: string) => Atom): readonly string[] | null {
  let best: readonly string[] | null = null;
  let run = "";
  const offer = (texts: readonly string[]) => {
    if (shortest(texts) > shortest(best ?? [""])) best = texts;
  };
  const endRun = () => {
    offer([run]);
    run = "";
  };
  for (const [, char, repeat, count] of sequence.matchAll(repeatedAtom)) {
    const atom = atomOf(char as string);
    const isOptional =
      repeat !== undefined && (count === undefined ? repeat[0] !== "+" : Number(count) === 0);
    if (typeof atom !== "string" || isOptional) endRun();
    if (isOptional || atom === null) continue;
    if (typeof atom === "string") run += atom;
    else offer(atom);
    if (repeat !== undefined) endRun();
  }
  endRun();
  return best;
}

const shortest = (texts: readonly string[]): number => Math.min(...texts.map(({ length }) => length));
