/** Matches as search conditions of the term indexes: FTS5 on SQLite, tsquery on Postgres. */
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { MemoryKind } from "../../src/memory/schema.ts";
import type { Match } from "../../src/rows.ts";
import type { Session } from "../engine/session.ts";
import { elements, literalCount } from "../query/sql.ts";
import { indexOf, largestKind } from "./term-index.ts";

/** The match as an FTS5 or tsquery expression. Terms hold only letters and digits, so quoting suffices. */
export function matchExpression(match: Match, dialect: Session["dialect"]): string {
  if ("term" in match)
    return dialect === "sqlite"
      ? `"${match.term}"${match.prefix ? "*" : ""}`
      : `'${match.term}'${match.prefix ? ":*" : ""}`;
  const [list, operator] =
    "all" in match
      ? [match.all, dialect === "sqlite" ? " AND " : " & "]
      : [match.any, dialect === "sqlite" ? " OR " : " | "];
  // Deduplicated: an index reads the posting list of a term once for each time it is named.
  const operands = [...new Set(list.map((operand) => matchExpression(operand, dialect)))];
  return operands.length === 1 ? (operands[0] as string) : `(${operands.join(operator)})`;
}

/** The condition that a row of a kind's index has a match, given as an expression. */
export const matchCondition = ({ dialect }: Session, kind: MemoryKind, expression: SQLWrapper): SQL =>
  dialect === "sqlite"
    ? sql`${indexOf(kind)} match ${expression}`
    : sql`${indexOf(kind)}.terms @@ ${expression}::text::tsquery`;

/** The placeholder of a match expression. */
export const matchPlaceholder = sql.placeholder("match");

/**
 * The newest rows that Postgres scans before it asks the index: reading this many is faster than reading the
 * posting list of a frequent word (`bun run bench growth-postgres` measures these searches).
 */
export const recentRowsMax = 20_000;

/**
 * Subqueries named `found` that give the newest rows with a match, to be tried in order: the next one is
 * needed only if the one before has too few rows.
 * @param isFew whether few rows have the match: the index finds those in 1 ms, and a scan takes 9 ms
 */
export function newestMatches(
  session: Session,
  kind: MemoryKind,
  max: number,
  { isFew = false, match = matchPlaceholder }: { isFew?: boolean; match?: SQLWrapper } = {},
): SQL[] {
  const index = indexOf(kind);
  const limit = literalCount(max);
  if (session.dialect === "sqlite")
    return [
      sql`(select rowid from ${index} where ${matchCondition(session, kind, match)} order by rowid desc limit ${limit}) as found`,
    ];
  // In a subquery, so that the expression is parsed once and not for each row.
  const matches = sql`${index}.terms @@ (select ${match}::text::tsquery)`;
  const recentRows = sql`(select id, terms from ${index} order by id desc limit ${literalCount(recentRowsMax)}) as ${index}`;
  const amongRecent = sql`(select id from ${recentRows} where ${matches} order by id desc limit ${limit}) as found`;
  // `id + 0` rules out a backward scan of the primary key, whose cost Postgres underestimates for two
  // frequent words that never occur together.
  const amongAll = sql`(select id from ${index} where ${matches} order by id + 0 desc limit ${limit}) as found`;
  return kind === largestKind && !isFew ? [amongRecent, amongAll] : [amongAll];
}

/** The same subquery for given ids: a JSON list in the placeholder `ids`. */
export function candidateRows({ dialect }: Session): SQL {
  const ids = elements(dialect, sql.placeholder("ids"));
  return dialect === "sqlite"
    ? sql`(select value as rowid from ${ids}) as found`
    : sql`(select value::bigint as id from ${ids}) as found`;
}
