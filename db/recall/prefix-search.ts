/**
 * What begins with something, in a long log. An index reads all places of all terms that do before it gives
 * the first one, which of millions of events takes long; so there the words that are known to begin so are
 * looked for instead.
 */
import type { Match, Projects } from "../../src/rows.ts";
import { termOf } from "../../src/text/tokenizer.ts";
import type { Session } from "../engine/session.ts";
import { headOf } from "../feed/events.ts";
import { wordsFrom } from "./vocabulary.ts";

/** Of so many events all places of a few terms are read in well under a millisecond. */
const eventsMax = 200_000;
/** @returns the match as the index of events is asked for it */
export async function withoutBeginnings(session: Session, projects: Projects, match: Match): Promise<Match> {
  if (!hasBeginning(match)) return match;
  return (await headOf(session)).id > eventsMax ? spelledOut(session, projects, match) : match;
}

function hasBeginning(match: Match): boolean {
  if ("term" in match) return match.prefix === true;
  return ("all" in match ? match.all : match.any).some(hasBeginning);
}

async function spelledOut(session: Session, projects: Projects, match: Match): Promise<Match> {
  const each = (list: Match[]) => Promise.all(list.map((one) => spelledOut(session, projects, one)));
  if ("all" in match) return { all: await each(match.all) };
  if ("any" in match)
    return { any: (await each(match.any)).flatMap((one) => ("any" in one ? one.any : one)) };
  const { term: start, prefix } = match;
  if (!prefix) return match;
  const forms = await wordsFrom(session, projects, start);
  const terms = new Set([start, ...forms.map(termOf).filter((term) => term.startsWith(start))]);
  return { any: [...terms].map((term) => ({ term })) };
}
