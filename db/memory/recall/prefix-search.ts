/**
 * Prefix search in a long log. For a prefix the index reads the whole posting lists of all terms that start
 * with it before it returns the first row, which is slow with millions of events. There the prefix is
 * expanded into the words of the vocabulary that start with it.
 */

import type { Projects } from "../../../src/core/rows.ts";
import { termOf } from "../../../src/core/text/tokenizer.ts";
import type { Match } from "../../../src/memory/rows.ts";
import type { Session } from "../../engine/session.ts";
import { readFeedHead } from "../../feed/head.ts";
import { wordsWithPrefix } from "./vocabulary.ts";

/**
 * Logs up to this many events are searched by the prefix itself: the index reads the posting lists of a few
 * terms in well under a millisecond. `bun run bench growth` measures prefix searches.
 */
const prefixScanMax = 200_000;

/** Replaces the prefixes of a match by the words they stand for, if the log is long. */
export async function expandPrefixes(session: Session, projects: Projects, match: Match): Promise<Match> {
  if (!hasPrefix(match)) return match;
  return (await readFeedHead(session)).id > prefixScanMax ? expand(session, projects, match) : match;
}

function hasPrefix(match: Match): boolean {
  if ("term" in match) return match.prefix === true;
  return ("all" in match ? match.all : match.any).some(hasPrefix);
}

async function expand(session: Session, projects: Projects, match: Match): Promise<Match> {
  const each = (list: Match[]) => Promise.all(list.map((operand) => expand(session, projects, operand)));
  if ("all" in match) return { all: await each(match.all) };
  if ("any" in match)
    return { any: (await each(match.any)).flatMap((operand) => ("any" in operand ? operand.any : operand)) };
  const { term: start, prefix } = match;
  if (!prefix) return match;
  const forms = await wordsWithPrefix(session, projects, start);
  const terms = new Set([start, ...forms.map(termOf).filter((term) => term.startsWith(start))]);
  return { any: [...terms].map((term) => ({ term })) };
}
