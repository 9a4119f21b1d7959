/**
 * The audience of a document: callers of its project, all callers, or only callers that are not limited to
 * projects. The indexes hold the audience as a term beside the words, so the results and the counts of a
 * limited caller come from the documents it may see, and nothing else.
 */

import type { Projects } from "../../../src/core/rows.ts";
import type { Match } from "../../../src/memory/rows.ts";

/** Slug of a project; `""` for all callers; null for only those not limited to projects. */
export type Audience = string | null;

export const everyone = "";

/**
 * The index term of an audience. It begins with a private-use character, which the tokenizer never emits, so
 * no query can contain it. FTS5 would split the term at a hyphen, so hyphens are replaced as well.
 */
const audienceTerm = (audience: string): string => `\ue000${audience.replaceAll("-", "\ue001")}`;

/** The terms by which the index holds an audience; none for callers not limited to projects. */
export const audienceTerms = (audience: Audience): string[] =>
  audience === null ? [] : [audienceTerm(audience)];

/** Matches every document that has an audience. */
export const anyAudience: Match = { term: audienceTerm(everyone), prefix: true };

/** The audiences of callers limited to these projects. */
export const audiencesOf = (projects: readonly string[]): string[] => [everyone, ...projects];

/** Restricts a match to the documents that a caller may see. */
export function visibleTo(projects: Projects, match: Match): Match {
  if (projects === null) return match;
  const audience: Match = { any: audiencesOf(projects).map((name) => ({ term: audienceTerm(name) })) };
  return { all: [...("all" in match ? match.all : [match]), audience] };
}
