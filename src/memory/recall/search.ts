/** Searches the project memory: candidates from the term indexes, ranked by one formula. */

import type { Projects } from "../../core/rows.ts";
import type { MemoryData } from "../port.ts";
import type { Match, SearchHit, SearchQuery } from "../rows.ts";
import { type MemoryKind, memoryKinds } from "../schema.ts";
import { countMax, matchOf, parseQuery, type QueryTerm, type Vocabulary } from "./query-terms.ts";
import { type Scored, score, termsWantedBy, textTerms } from "./ranking.ts";

/**
 * Candidates of each kind that are scored: the most relevant if few texts match, otherwise the newest, since
 * very many matches score much the same. Both are more than the largest limit of a query.
 */
const candidatesMax = { likeness: 150, newest: 64 } as const;
/** Texts that are scored if relevance cannot choose; those with all words score much alike, so fewer do. */
const comparedMax = { all: 300, any: 2_000 } as const;
/** Hits that score less than this share of the best one are left out as noise. */
export const noiseShare = 0.15;

/** What a search reads. */
type SearchableData = Vocabulary & Pick<MemoryData, "search">;

/** Decisions say more than events. */
const kindWeights: Record<MemoryKind, number> = {
  decision: 1,
  preference: 1,
  note: 1,
  guidance: 1,
  event: 0.9,
};

export interface MemoryHit extends Scored {
  row: SearchHit;
}

export interface MemorySearch extends Omit<SearchQuery, "match" | "order" | "rank"> {
  query: string;
  kinds?: readonly MemoryKind[];
  /** Only texts that also have this match; it does not count toward the score. */
  within?: Match;
  /** Keeps a row only if this returns true. */
  accept?(row: SearchHit): boolean;
}

/**
 * Searches the memory and returns the best hits first; among equals, the newer one. Texts with all words of
 * the query are searched first; if there are too few of them, texts with any word follow.
 */
export async function searchMemory(
  data: SearchableData,
  projects: Projects,
  { query, ...search }: MemorySearch,
): Promise<MemoryHit[]> {
  return searchTerms(data, projects, await parseQuery(data, projects, query), search);
}

/** Searches for the terms of a query, which several searches can share. */
export async function searchTerms(
  data: SearchableData,
  projects: Projects,
  terms: QueryTerm[],
  { kinds = memoryKinds, within, limit, accept, ...filter }: Omit<MemorySearch, "query">,
): Promise<MemoryHit[]> {
  if (terms.length === 0) return [];
  const candidates = new Map<string, SearchHit>();
  /** If very many texts match, the newest are taken: finding the most relevant would be slow. */
  const addCandidates = async (kind: MemoryKind, operator: "all" | "any", words: QueryTerm[]) => {
    const matchesMax = (operator === "all" ? Math.min : Math.max)(...words.map(({ counts }) => counts[kind]));
    if (words.length === 0 || matchesMax === 0) return;
    const isFew = matchesMax < countMax;
    const rare = words.filter(isRare(kind));
    const matched = { [operator]: words.map(anyAlternative) } as Match;
    const match = within ? { all: [matched, within] } : matched;
    const mostRelevant = {
      order: "likeness",
      limit: candidatesMax.likeness,
      ...(rare.length < words.length && { rank: { all: rare.map(anyAlternative) } }),
    } as const;
    // BM25 weighs words by all texts, including those a limited caller must not learn about. For such a
    // caller more texts are compared here, and BM25 chooses none.
    const newest = isFew
      ? ({ order: "newest of few", limit: comparedMax[operator] } as const)
      : ({ order: "newest", limit: candidatesMax.newest } as const);
    const search = { ...filter, match, ...(isFew && projects === null ? mostRelevant : newest) };
    for (const row of await data.search(projects, kind, search))
      if (accept?.(row) ?? true) candidates.set(`${row.kind} ${row.id}`, row);
  };
  await Promise.all(kinds.map((kind) => addCandidates(kind, "all", terms)));
  if (candidates.size < limit && terms.length > 1)
    await Promise.all(
      kinds.flatMap((kind) => {
        const words = Map.groupBy(rarestTerms(terms, kind), isRare(kind));
        return [true, false].map((rare) => addCandidates(kind, "any", words.get(rare) ?? []));
      }),
    );
  const counted = termsWantedBy(terms);
  const hits = [...candidates.values()].map((row) => hitOf(terms, row, counted)).toSorted(compareHits);
  const least = (hits[0]?.score ?? 0) * noiseShare;
  const loud = hits.filter((hit) => hit.score > least);
  return (loud.some(isGone) ? loud.map(lowerIfGone).toSorted(compareHits) : loud).slice(0, limit);
}

/** What the score of a decision counts whose files are gone. It stays among the hits. */
const goneWeight = 0.6;

const isGone = ({ row }: MemoryHit): boolean => (row.gone_at ?? null) !== null;
const lowerIfGone = (hit: MemoryHit): MemoryHit =>
  isGone(hit) ? { ...hit, score: hit.score * goneWeight } : hit;

const anyAlternative = ({ alternatives }: QueryTerm): Match => ({ any: alternatives.map(matchOf) });

/**
 * The rarest terms, as many as match no more texts than can be compared. The other terms still count toward
 * the score of those texts.
 */
function rarestTerms(terms: QueryTerm[], kind: MemoryKind): QueryTerm[] {
  let sum = 0;
  const matching = terms
    .filter(({ counts }) => counts[kind] > 0)
    .toSorted((a, b) => a.counts[kind] - b.counts[kind]);
  return matching.filter(({ counts }, index) => (sum += counts[kind]) <= comparedMax.any || index === 0);
}

const isRare =
  (kind: MemoryKind) =>
  ({ counts }: QueryTerm): boolean =>
    counts[kind] < countMax;

function hitOf(terms: QueryTerm[], row: SearchHit, counted: ReturnType<typeof termsWantedBy>): MemoryHit {
  const scored = score(terms, textTerms(row, counted));
  return { ...scored, row, score: scored.score * kindWeights[row.kind] };
}

/** Scores are rounded to multiples of this, so that nearly equal ones count as equal. */
const scoreStep = 0.05;

const compareHits = (a: MemoryHit, b: MemoryHit): number =>
  Math.round(b.score / scoreStep) - Math.round(a.score / scoreStep) ||
  b.row.valid_from - a.row.valid_from ||
  a.row.kind.localeCompare(b.row.kind) ||
  b.row.id - a.row.id;
