/**
 * Who may find a document: callers of its project, every caller, or only callers without limits. The indexes
 * hold the audience as a term beside the words, so what a limited caller asks for is counted and found among
 * its own documents alone.
 */
import type { Match, Projects } from "../../src/rows.ts";

/** Slug of a project; "" for every caller; null for callers without limits alone. */
export type Audience = string | null;

export const everyone = "";

/**
 * A private-use character begins it: no word of a text or a query has one. A hyphen would split it in FTS5.
 */
const termOf = (audience: string): string => `\ue000${audience.replaceAll("-", "\ue001")}`;

export const audienceTerms = (audience: Audience): string[] => (audience === null ? [] : [termOf(audience)]);

/** Finds every document that has an audience. */
export const anyAudience: Match = { term: termOf(everyone), prefix: true };

/** The audiences that callers limited to these projects belong to. */
export const audiencesOf = (projects: readonly string[]): string[] => [everyone, ...projects];

/** The match among the documents that a caller may see. */
export function visibleTo(projects: Projects, match: Match): Match {
  if (projects === null) return match;
  const audience: Match = { any: audiencesOf(projects).map((one) => ({ term: termOf(one) })) };
  return { all: [...("all" in match ? match.all : [match]), audience] };
}
