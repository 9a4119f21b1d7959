/** Finding what is remembered: candidates from the indexes, ranked by one formula. */

import type { Data } from "../data.ts";
import type { FoundRow, Match, Projects } from "../rows.ts";
import type { Micros } from "../time.ts";
import { type MemoryKind, memoryKinds } from "./schema.ts";
import { type Scored, score } from "./score.ts";
import { matchOf, understand, type Want } from "./wants.ts";

/** Of each kind so many are looked at. */
const candidatesMax = 150;
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
  const gather = async (match: Match) => {
    const found = await Promise.all(kinds.map((kind) => data.search(projects, kind, { ...filter, match, limit: candidatesMax })));
    for (const row of found.flat()) if (accept?.(row) ?? true) candidates.set(`${row.kind} ${row.id}`, row);
  };
  await gather({ all: wants.map(anyOf) });
  if (candidates.size < limit && wants.length > 1) await gather({ any: telling(wants).map(anyOf) });
  const hits = [...candidates.values()].map((row) => hitOf(wants, row)).toSorted(better);
  const least = (hits[0]?.score ?? 0) * noise;
  return hits.filter((hit) => hit.score > least).slice(0, limit);
}

const anyOf = ({ alternatives }: Want): Match => ({ any: alternatives.map(matchOf) });

/** Words that are in every other text find too much alone; they still count where the others find something. */
function telling(wants: Want[]): Want[] {
  const rare = wants.filter((want) => !want.common);
  return rare.length > 0 ? rare : wants;
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
