/** What the indexes of terms are asked for, in the language of each. */
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { MemoryKind } from "../../src/memory/schema.ts";
import type { Match } from "../../src/rows.ts";
import type { Session } from "../engine/session.ts";
import { elements, literalCount } from "../query/sql.ts";
import { indexOf, manyKind } from "./term-index.ts";

/** A match in the language of the index. Terms hold letters and digits only, so quotes are all they need. */
export function textOf(match: Match, dialect: Session["dialect"]): string {
  if ("term" in match)
    return dialect === "sqlite"
      ? `"${match.term}"${match.prefix ? "*" : ""}`
      : `'${match.term}'${match.prefix ? ":*" : ""}`;
  const [list, word] =
    "all" in match
      ? [match.all, dialect === "sqlite" ? " AND " : " & "]
      : [match.any, dialect === "sqlite" ? " OR " : " | "];
  // Each once: an index would read the places of a term for each time that it is named.
  const texts = [...new Set(list.map((one) => textOf(one, dialect)))];
  return texts.length === 1 ? (texts[0] as string) : `(${texts.join(word)})`;
}

export const matching = ({ dialect }: Session, kind: MemoryKind, asked: SQLWrapper): SQL =>
  dialect === "sqlite"
    ? sql`${indexOf(kind)} match ${asked}`
    : sql`${indexOf(kind)}.terms @@ ${asked}::text::tsquery`;

/** Stands for the text of a match. */
export const matchText = sql.placeholder("match");

/** So many rows are read faster than all places of a word that is everywhere. */
export const lastMax = 20_000;

/**
 * Where the newest that have the match are looked for, `found`: in the next place, where one has too few of
 * them.
 */
export function newestOf(
  session: Session,
  kind: MemoryKind,
  most: number,
  match: SQLWrapper = matchText,
): SQL[] {
  const index = indexOf(kind);
  const limit = literalCount(most);
  if (session.dialect === "sqlite")
    return [
      sql`(select rowid from ${index} where ${matching(session, kind, match)} order by rowid desc limit ${limit}) as found`,
    ];
  // Read once, and not again for each row.
  const matches = sql`${index}.terms @@ (select ${match}::text::tsquery)`;
  const last = sql`(select id, terms from ${index} order by id desc limit ${literalCount(lastMax)}) as ${index}`;
  const amongLast = sql`(select id from ${last} where ${matches} order by id desc limit ${limit}) as found`;
  // Two frequent words that never meet: walking over all rows looks cheaper than it is, and in this order it
  // is no choice.
  const amongAll = sql`(select id from ${index} where ${matches} order by id + 0 desc limit ${limit}) as found`;
  return kind === manyKind ? [amongLast, amongAll] : [amongAll];
}

/** The same, where the ids are known: JSON, by the placeholder `ids`. */
export function these({ dialect }: Session): SQL {
  const ids = elements(dialect, sql.placeholder("ids"));
  return dialect === "sqlite"
    ? sql`(select value as rowid from ${ids}) as found`
    : sql`(select value::bigint as id from ${ids}) as found`;
}
