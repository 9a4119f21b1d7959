/**
 * Terms that very many rows have. Postgres reads all places of a term from its index before the first one of
 * them is counted, so for those that are everywhere its statistics are asked instead: but for a restore,
 * which has them made anew, no row is ever taken away, so what was frequent stays so.
 */
import { sql } from "drizzle-orm";
import type { Match } from "../../src/rows.ts";
import type { Session } from "../engine/session.ts";
import { allRows } from "../query/sql.ts";
import { indexName, manyKind } from "./term-index.ts";

/** Statistics are made of a sample; where they say less than this many times the count, it is counted. */
const margin = 2;
/** Made anew by the server every now and then. */
const heldMs = 60_000;

/** @returns whether surely so many rows, or more, have the match */
export function commonTerms(session: Session): (most: number) => Promise<(match: Match) => boolean> {
  // its index counts no further than it is asked to
  if (session.dialect === "sqlite") return async () => () => false;
  let held: { rows: Map<string, number>; until: number } | undefined;
  return async (most) => {
    // Only what arrived is held: an answer that is lost with its connection is asked for anew.
    if (!held || performance.now() > held.until)
      held = { rows: await rowsOf(session), until: performance.now() + heldMs };
    const { rows } = held;
    const isCommon = (term: string) => (rows.get(term) ?? 0) >= margin * most;
    const common = [...rows.keys()].filter(isCommon);
    return function test(match): boolean {
      if ("all" in match) return match.all.length === 1 && test(match.all[0] as Match);
      if ("any" in match) return match.any.some(test);
      return match.prefix ? common.some((term) => term.startsWith(match.term)) : isCommon(match.term);
    };
  };
}

/** How many rows have each of the most frequent terms. */
async function rowsOf(session: Session): Promise<Map<string, number>> {
  const rows = await allRows<{ term: string; rows: number }>(
    session,
    sql`select term, share * reltuples as rows
      from pg_stats join pg_class on pg_class.oid = to_regclass(tablename),
        unnest(most_common_elems::text::text[], most_common_elem_freqs) as frequent (term, share)
      where schemaname = current_schema() and tablename = ${indexName(manyKind)} and attname = 'terms' and term is not null`,
  );
  return new Map(rows.map((row) => [row.term, Number(row.rows)]));
}
