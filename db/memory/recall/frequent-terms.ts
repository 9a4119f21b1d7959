/**
 * Frequent terms, from the statistics of Postgres. A GIN index reads the whole posting list of a term before
 * it returns the first row, so counting a frequent term is slow even with a limit. Its row count is estimated
 * from `pg_stats` instead. Rows are deleted only by a restore, which analyzes the tables again, so a frequent
 * term stays frequent.
 */
import type { SQL } from "drizzle-orm";
import { boundedByCount, Cache } from "../../../src/core/lib/cache.ts";
import type { Match } from "../../../src/memory/rows.ts";
import type { Session } from "../../engine/session.ts";
import { allRows } from "../../query/statements.ts";
import { indexName, largestKind } from "./term-index.ts";

/** Statistics come from a sample: an estimate counts only if it is this many times the limit. */
const safetyFactor = 2;
/** How long the statistics are cached; autoanalyze updates them from time to time. */
const statisticsTtlMs = 60_000;

/**
 * Opens a test for frequent matches. The test is true only if at least `limit` rows have the match for sure,
 * and always false on SQLite.
 */
export function frequentTerms(session: Session): (limit: number) => Promise<(match: Match) => boolean> {
  const { termFrequencies } = session.dialect.fullText;
  if (!termFrequencies) return async () => () => false;
  const statistics = new Cache<"rows", Map<string, number>>({
    max: 2,
    maxAgeMs: statisticsTtlMs,
    bytesOf: boundedByCount,
  });
  return async (limit) => {
    const rows = await statistics.getOrLoad("rows", () =>
      readFrequencies(session, termFrequencies(indexName(largestKind))),
    );
    const isFrequent = (term: string) => (rows.get(term) ?? 0) >= safetyFactor * limit;
    const frequent = [...rows.keys()].filter(isFrequent);
    return function test(match): boolean {
      if ("all" in match) return match.all.length === 1 && test(match.all[0] as Match);
      if ("any" in match) return match.any.some(test);
      return match.prefix ? frequent.some((term) => term.startsWith(match.term)) : isFrequent(match.term);
    };
  };
}

/** Reads the most frequent terms with their estimated row counts. */
async function readFrequencies(session: Session, query: SQL): Promise<Map<string, number>> {
  const rows = await allRows<{ term: string; rows: number }>(session, query);
  return new Map(rows.map((row) => [row.term, Number(row.rows)]));
}
