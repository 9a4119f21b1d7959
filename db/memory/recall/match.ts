/** Matches as search conditions of the term indexes: FTS5 on SQLite, tsquery on Postgres. */
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Match } from "../../../src/memory/rows.ts";
import type { MemoryKind } from "../../../src/memory/schema.ts";
import type { Dialect } from "../../dialect/dialect.ts";
import { matchPlaceholder } from "../../dialect/full-text.ts";
import type { Session } from "../../engine/session.ts";
import { elements, literalCount } from "../../query/statements.ts";
import { indexOf, largestKind } from "./term-index.ts";

/** The match as an FTS5 or tsquery expression. */
export function matchExpression(match: Match, dialect: Dialect): string {
  const { fullText } = dialect;
  if ("term" in match) return fullText.term(match.term, match.prefix === true);
  const [list, operator] = "all" in match ? [match.all, fullText.and] : [match.any, fullText.or];
  // Deduplicated: an index reads the posting list of a term once for each time it is named.
  const operands = [...new Set(list.map((operand) => matchExpression(operand, dialect)))];
  return operands.length === 1 ? (operands[0] as string) : `(${operands.join(operator)})`;
}

/** The condition that a row of a kind's index has a match, given as an expression. */
export const matchCondition = ({ dialect }: Session, kind: MemoryKind, expression: SQLWrapper): SQL =>
  dialect.fullText.hasMatch(indexOf(kind), expression);

/**
 * Subqueries named `found` that give the newest rows with a match, to be tried in order: the next one is
 * needed only if the one before has too few rows.
 * @param isFew whether few rows have the match: the index finds those in 1 ms, and a scan takes 9 ms
 */
export const newestMatches = (
  { dialect }: Session,
  kind: MemoryKind,
  max: number,
  { isFew = false, match = matchPlaceholder }: { isFew?: boolean; match?: SQLWrapper } = {},
): SQL[] =>
  dialect.fullText.newestMatches(indexOf(kind), match, literalCount(max), kind === largestKind && !isFew);

/** The same subquery for given ids: a JSON list in the placeholder `ids`. */
export const candidateRows = ({ dialect }: Session): SQL =>
  sql`(select cast(value as bigint) as ${keyColumn(dialect)} from ${elements(dialect, sql.placeholder("ids"))}) as found`;

/** The column of an index that holds the id of the row. */
export const keyColumn = ({ fullText }: Dialect): SQL => sql.raw(fullText.key);
