/** Splits a text into clauses, without reasons, and with what each one rejects apart. */
import { lazy } from "../../core/lib/lazy.ts";

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

/** Phrases of several words that are read as one word, or as words of their own. */
const words = [
  ["tim(e|es|ed|ing)[ -]out", "timeout"],
  [
    "sign(s|ed|ing)?[ -]?(in|on)|log(s|ged|ging)?[ -]in(?= (with|is|page|form|uses|via|through|requires))",
    "signin",
  ],
  ["sign(s|ed|ing)?[ -]up", "signup"],
  ["roll(s|ed|ing)?[ -]out", "rollout"],
  ["opt(s|ed)?[ -]in", "off"],
  ["opt(s|ed)?[ -]out", "on"],
  ["(turn|switch)(s|es|ed|ing)? (it |them )?off", "disable"],
  ["(turn|switch)(s|es|ed|ing)? (it |them )?on", "enable"],
  ["(leave|leaves|left|leaving|keep|keeps|kept) ((?:\\S+ ){0,3}?)out(?= of|[.,;]|$)", "omit $2"],
  ["(?:can(?:not| not|['’]t)|never|(?:may|must) not) (?:have|share|use) the same", "have a unique"],
  [
    "get(s|ting)? rid of|do(es)? away with|get(s|ting)? away from|steer clear of|stay away from|hold off",
    "avoid",
  ],
  ["go(?= (?:code|modules?|packages?|services?|files?|tests?)(?![a-z]))", "golang"],
  ["once (?:an?|per|every|each) (hour|day|week|month|quarter|year)", "every $1"],
  ["(no|not any|n['’]t any) (longer|more)(?! than)", "not"],
  ["any ?more|any longer", ""],
  ["drop[ -]shadows?", "shadow"],
  ["(in )?plain[ -]?text", "plaintext"],
  ["sans[ -]?serif", "sansserif"],
  ["(camel|snake|kebab|pascal|title|sentence)[ _-]?case", "$1case"],
  ["upper[ _-]?case|all[ -]caps|in caps", "uppercase"],
  ["lower[ _-]?case", "lowercase"],
  ["(left|right|center|top|bottom)[ -](aligned|hand)", "$1"],
  ["(server|client)[ -]side", "$1"],
  ["(server|client)[ -]rendered", "$1 render"],
  ["web ?sockets?", "websocket"],
  ["server[ -]sent events?", "eventsource"],
  ["environment variables?|env vars?", "envvar"],
  ["next to|alongside|side by side with|together with|in the same (folder|directory) as", "beside"],
  ["read[ -]only", "readonly"],
  ["hard[ -]?cod(e|es|ed|ing)", "hardcode"],
  ["lock ?files?", "lockfile"],
  ["code[ -]?base", "codebase"],
  ["pull[ -]requests?|merge requests?|PRs?(?![A-Za-z])", "pullrequest"],
  ["file ?names?", "file name"],
  ["data ?bases?|DBs?(?![A-Za-z])", "database"],
  ["up to date", "current"],
  ["(?:is|are|remains?|stays?) valid for", "expires after"],
  ["(\\p{L}+)-(?:based|driven|powered)", "$1"],
  ["a few|as well|of course|at all|by hand(?= )|for now|from now on", ""],
  ["in general|in the future|going forward", ""],
  ["by hand", "manually"],
] as const;

const phrases = lazy(() =>
  words.map(
    ([pattern, word]) =>
      [new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}])`, "giu"), ` ${word} `] as const,
  ),
);
