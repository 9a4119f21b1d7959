/** Phrases of several words that are read as one word, or as words of their own. */
import { lazy } from "../../core/lib/lazy.ts";

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

export const phrases = lazy(() =>
  words.map(
    ([pattern, word]) =>
      [new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}])`, "giu"), ` ${word} `] as const,
  ),
);
