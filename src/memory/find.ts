/** Finding what is remembered: candidates from the indexes, ranked by one formula. */

import type { Data } from "../data.ts";
import type { FoundRow, Match, Projects } from "../rows.ts";
import type { Micros } from "../time.ts";
import { type MemoryKind, memoryKinds } from "./schema.ts";
import { type Scored, score } from "./score.ts";
import { countMax, matchOf, understand, type Want } from "./wants.ts";

/** Of each kind so many are looked at, more than are asked for: the likest of a few, or the newest of very many, which are much alike. */
const candidatesMax = { likeness: () => 150, newest: (limit: number) => (limit <= 16 ? 32 : 64) };
/** What is worth less than this share of the best hit is noise. */
const noise = 0.15;

/** What was decided says more than what happened. */
const kindWorth: Record<MemoryKind, number> = { decision: 1, preference: 1, note: 1, guidance: 1, event: 0.9 };

export interface Found extends Scored {
  row: FoundRow;
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
  accept?(row: FoundRow): boolean;
}

/** Best first; among equals the newer one. All words where some text has them all, else any of them. */
export async function findMemories(
  data: Data,
  projects: Projects,
  { query, kinds = memoryKinds, limit, accept, ...filter }: Search,
): Promise<Found[]> {
  const wants = await understand(data, query);
  if (wants.length === 0) return [];
  const candidates = new Map<string, FoundRow>();
  /** Of those that have all words, or any of them. Of very many the newest are looked at, for finding the likest would take long. */
  const gather = async (how: "all" | "any", words: Want[]) => {
    const [least, most] = [Math.min, Math.max].map((end) => end(...words.map((want) => want.found))) as [number, number];
    const order = (how === "all" ? least : most) < countMax ? "likeness" : "newest";
    const match = { [how]: words.map(anyOf) } as Match;
    const search = { ...filter, match, order, hasCommon: most >= countMax, limit: candidatesMax[order](limit) } as const;
    const found = await Promise.all(kinds.map((kind) => data.search(projects, kind, search)));
    for (const row of found.flat()) if (accept?.(row) ?? true) candidates.set(`${row.kind} ${row.id}`, row);
  };
  await gather("all", wants);
  if (candidates.size < limit && wants.length > 1) {
    const words = telling(wants);
    const [rare, common] = [words.filter(({ found }) => found < countMax), words.filter(({ found }) => found >= countMax)];
    if (rare.length > 0) await gather("any", rare);
    if (common.length > 0) await gather("any", common);
  }
  const hits = [...candidates.values()].map((row) => hitOf(wants, row)).toSorted(better);
  const least = (hits[0]?.score ?? 0) * noise;
  return hits.filter((hit) => hit.score > least).slice(0, limit);
}

const anyOf = ({ alternatives }: Want): Match => ({ any: alternatives.map(matchOf) });

/** Any of so many texts can be compared in no time. */
const comparedMax = 2_000;

/** The rarest words, as many as find no more texts than can be compared; the others still count in what those find. */
function telling(wants: Want[]): Want[] {
  let sum = 0;
  return wants.toSorted((a, b) => a.found - b.found).filter(({ found }, index) => (sum += found) <= comparedMax || index === 0);
}

function hitOf(wants: Want[], row: FoundRow): Found {
  const { score: points, why } = score(wants, row.head, row.text);
  return { row, score: points * kindWorth[row.kind], why };
}

/** Scores that differ by less than this are equal. */
const grain = 0.05;

const better = (a: Found, b: Found): number =>
  Math.round(b.score / grain) - Math.round(a.score / grain) ||
  b.row.valid_from - a.row.valid_from ||
  a.row.kind.localeCompare(b.row.kind) ||
  b.row.id - a.row.id;
