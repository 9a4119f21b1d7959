/** Finding what is remembered: candidates from the indexes, ranked by one formula. */

import type { Data } from "../data.ts";
import type { Micros } from "../lib/time.ts";
import type { Match, Projects, SearchHit } from "../rows.ts";
import { countMax, matchOf, understand, type Want } from "./query-terms.ts";
import { type Scored, score } from "./ranking.ts";
import { type MemoryKind, memoryKinds } from "./schema.ts";

/**
 * Of each kind so many are looked at: the likest of a few, or the newest of very many, which are much alike.
 * More than anybody asks for.
 */
const candidatesMax = { likeness: 150, newest: 64 } as const;
/** So many texts can be compared in no time; of those that have all words fewer, for they are much alike. */
const comparedMax = { all: 300, any: 2_000 } as const;
/** What is worth less than this share of the best hit is noise. */
const noise = 0.15;

/** What was decided says more than what happened. */
const kindWorth: Record<MemoryKind, number> = {
  decision: 1,
  preference: 1,
  note: 1,
  guidance: 1,
  event: 0.9,
};

export interface Found extends Scored {
  row: SearchHit;
}

export interface Search {
  query: string;
  kinds?: readonly MemoryKind[];
  project?: string;
  model?: string;
  asOf?: Micros;
  reviews?: boolean;
  limit: number;
  /** Leaves out what the query did not mean. */
  accept?(row: SearchHit): boolean;
}

/** Best first; among equals the newer one. All words where some text has them all, else any of them. */
export async function findMemories(
  data: Data,
  projects: Projects,
  { query, kinds = memoryKinds, limit, accept, ...filter }: Search,
): Promise<Found[]> {
  const wants = await understand(data, projects, query);
  if (wants.length === 0) return [];
  const candidates = new Map<string, SearchHit>();
  /** Of very many the newest are looked at, for finding the likest would take long. */
  const gather = async (kind: MemoryKind, how: "all" | "any", words: Want[]) => {
    const most = (how === "all" ? Math.min : Math.max)(...words.map(({ found }) => found[kind]));
    if (words.length === 0 || most === 0) return;
    const isFew = most < countMax;
    const rare = words.filter(isRare(kind));
    const match = { [how]: words.map(anyOf) } as Match;
    const likest = {
      order: "likeness",
      limit: candidatesMax.likeness,
      ...(rare.length < words.length && { rank: { all: rare.map(anyOf) } }),
    } as const;
    // BM25 weighs words by all texts there are, so for a caller with limits more are compared, and none
    // chosen by it.
    const newest = { order: "newest", limit: isFew ? comparedMax[how] : candidatesMax.newest } as const;
    const search = { ...filter, match, ...(isFew && projects === null ? likest : newest) };
    for (const row of await data.search(projects, kind, search))
      if (accept?.(row) ?? true) candidates.set(`${row.kind} ${row.id}`, row);
  };
  await Promise.all(kinds.map((kind) => gather(kind, "all", wants)));
  if (candidates.size < limit && wants.length > 1)
    await Promise.all(
      kinds.flatMap((kind) => {
        const words = Map.groupBy(telling(wants, kind), isRare(kind));
        return [true, false].map((rare) => gather(kind, "any", words.get(rare) ?? []));
      }),
    );
  const hits = [...candidates.values()].map((row) => hitOf(wants, row)).toSorted(better);
  const least = (hits[0]?.score ?? 0) * noise;
  return hits.filter((hit) => hit.score > least).slice(0, limit);
}

const anyOf = ({ alternatives }: Want): Match => ({ any: alternatives.map(matchOf) });

/**
 * The rarest words, as many as find no more texts than can be compared; the others still count in what those
 * find.
 */
function telling(wants: Want[], kind: MemoryKind): Want[] {
  let sum = 0;
  const seen = wants.filter(({ found }) => found[kind] > 0).toSorted((a, b) => a.found[kind] - b.found[kind]);
  return seen.filter(({ found }, index) => (sum += found[kind]) <= comparedMax.any || index === 0);
}

const isRare =
  (kind: MemoryKind) =>
  ({ found }: Want): boolean =>
    found[kind] < countMax;

function hitOf(wants: Want[], row: SearchHit): Found {
  const { score: points, why } = score(wants, row);
  return { row, score: points * kindWorth[row.kind], why };
}

/** Scores that differ by less than this are equal. */
const grain = 0.05;

const better = (a: Found, b: Found): number =>
  Math.round(b.score / grain) - Math.round(a.score / grain) ||
  b.row.valid_from - a.row.valid_from ||
  a.row.kind.localeCompare(b.row.kind) ||
  b.row.id - a.row.id;
