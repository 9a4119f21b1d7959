/** Splits a text into clauses, without reasons, and with what each one rejects apart. */
import { phrases } from "./phrases.ts";

export interface Clause {
  text: string;
  /** What it leaves out: "unless", "except". */
  exception: string;
  /** Whether it names what another clause is preferred to. */
  isRejected: boolean;
}

/** A text is read this far: what a decision says comes first. */
const charsMax = 1_000;
const clausesMax = 8;

/** What a sentence begins with before it says what was decided. */
const preamble = /(?<=^|[.!?]\s)[^.!?]{0,80}\b(?:decided|agreed|concluded) (?:that|to) /giu;
/** Where a reason begins, which says nothing of what is decided. */
const reason = /\s(?:because|since (?!\d)|so that|so as to|in order to|due to|otherwise)\b.*$/iu;
const exceptionWords =
  /[,\s]+(?:unless|except(?: for| in| when| where)?|other than|apart from|anything but|outside)\s(.*)$/iu;
const abbreviation = /\b(max|min|approx|incl|excl|no|vs|e\.g|i\.e)\.(?=\s)/giu;
const clauseEnd = new RegExp(
  [
    "[.!?](?=\\s|$)",
    "[;\\n]",
    ",?\\s(?:but|and then)\\s",
    "\\s[–—-]\\s",
    ",\\s(?=(?:not|never|no|and|but|don't|do not|with no)\\s)",
    "\\sand\\s(?=(?:must|may|can|never|not|cannot|is|are|should|shall|do|don't|no)\\s)",
    ",\\s(?=\\S+ (?:is|are) out\\b)",
  ].join("|"),
  "iu",
);
const instead = /^(.*?)[,\s]+(?:instead of|rather than|as opposed to|in place of|and not|not)\s(.+)$/iu;
const preferred = /^(.*\b(?:prefer|favou?r|choose)\w*\s.*?)\s(?:over|to|before)\s(.+)$/iu;
/** Words after which `not` negates the verb, and names no alternative. */
const auxiliary =
  /\b(?:is|are|was|were|do|does|must|should|may|can|will|could|has|have|if|had|would|need)$/iu;
const dates = [
  [/\b\d{4}-\d\d-\d\d\b/g, "isodate"],
  [/\b\d\d?\.\d\d?\.\d{4}\b/g, "dotdate"],
  [/\b\d\d?\/\d\d?\/\d{4}\b/g, "slashdate"],
  [/\b(?:\d\d? \p{Lu}\p{Ll}{2,8}|\p{Lu}\p{Ll}{2,8} \d\d?,) \d{4}\b/gu, "worddate"],
] as const;

/** The clauses of a text, in order. */
export function clausesOf(text: string): Clause[] {
  let plain = text.slice(0, charsMax).replaceAll("’", "'");
  for (const [pattern, word] of [...phrases(), ...dates]) plain = plain.replace(pattern, word);
  return plain
    .replace(preamble, "")
    .replace(abbreviation, "$1")
    .split(clauseEnd)
    .flatMap(partsOf)
    .slice(0, clausesMax);
}

const definition = /^([^:]{2,60}):\s(.+)$/su;
/** A subject of at most this many words may be followed by a colon and its value; a longer one by a reason. */
const subjectWordsMax = 4;

function partsOf(clause: string): Clause[] {
  const [, left = "", right = ""] = definition.exec(clause) ?? [];
  const isDefinition = left !== "" && left.trim().split(/\s+/).length <= subjectWordsMax;
  if (left !== "" && !isDefinition) return [...partsOf(left), ...partsOf(right)];
  const statement = (isDefinition ? `${left} = ${right}` : clause).replace(reason, "");
  const leftOut = exceptionWords.exec(statement);
  const exception = leftOut?.[1] ?? "";
  const rest = leftOut ? statement.slice(0, leftOut.index) : statement;
  const preference = preferred.exec(rest);
  const [, chosen = "", rejected = ""] = preference ?? instead.exec(rest) ?? [];
  const isAlternative = /\p{L}{2}/u.test(chosen) && (preference !== null || !auxiliary.test(chosen));
  if (!isAlternative) return [{ text: rest, exception, isRejected: false }];
  return [
    { text: chosen, exception, isRejected: false },
    { text: rejected, exception, isRejected: true },
  ];
}
