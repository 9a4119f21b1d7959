/**
 * Searching what is remembered, by the indexes of terms. Statements are built once: building one takes longer
 * than running it.
 */
import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import type { Reads } from "../../src/data.ts";
import { type MemoryKind, memoryKinds } from "../../src/memory/schema.ts";
import type { Match, Projects, SearchHit } from "../../src/rows.ts";
import type { Session } from "../engine/session.ts";
import { preparedStatement } from "../query/prepared-statement.ts";
import { visibleTo } from "./audience.ts";
import { commonTerms } from "./frequent-terms.ts";
import { newestMet } from "./intersections.ts";
import { matching, matchText, newestOf, textOf, these } from "./match.ts";
import { withoutBeginnings } from "./prefix-search.ts";
import { type Asked, optional, type Shape, sources } from "./sources.ts";
import { indexOf, manyKind } from "./term-index.ts";
import { similarWords } from "./vocabulary.ts";

export function recallReads(session: Session): Pick<Reads, "search" | "countMatches" | "similarWords"> {
  const { dialect, frequentMatches: many } = session;
  const common = commonTerms(session);
  return {
    search: searcher(session),
    async countMatches(projects, matches, max) {
      const isCommon = await common(max);
      const asked = await Promise.all(
        matches.map(async (one) => {
          const match = visibleTo(projects, one);
          const text = textOf(match, dialect);
          const isOfMany = (many.get(text) ?? 0) >= max || isCommon(match);
          return {
            text,
            json: JSON.stringify([
              text,
              isOfMany ? null : textOf(await indexed(session, projects, manyKind, match), dialect),
            ]),
          };
        }),
      );
      const different = [...new Set(asked.map(({ json }) => json))];
      const counts = await counter(session).execute({ list: `[${different.join()}]`, max });
      return asked.map(({ text, json }) => {
        const found = counts[different.indexOf(json)] as (typeof counts)[number];
        if (found[manyKind] >= max) learnMany(many, text, max);
        return found;
      });
    },
    similarWords: (projects, grams, limit) => similarWords(session, projects, grams, limit),
  };
}

/** Beyond this many all are forgotten: who asks for ever other words must not fill the memory. */
const manyMax = 10_000;

function learnMany(many: Session["frequentMatches"], text: string, count: number): void {
  if (many.size >= manyMax) many.clear();
  many.set(text, count);
}

/**
 * How many rows of each kind have each of the matches of a list, and `max` of what very many events are known
 * to have.
 */
const counter = preparedStatement((session) => {
  const { db, dialect } = session;
  const [list, max] = [sql.placeholder("list"), sql.placeholder("max")];
  // Postgres would read the text of a query once more for each row, but for `offset`.
  const asked =
    dialect === "sqlite"
      ? sql`(select key as place, value ->> 0 as asked, value ->> 1 as of_many from json_each(${list})) as query`
      : sql`(select place, (value ->> 0)::tsquery as asked, (value ->> 1)::tsquery as of_many
          from json_array_elements(${list}::text::json) with ordinality as query (value, place) offset 0) as query`;
  const countOf = (kind: MemoryKind) => {
    const isMany = kind === manyKind;
    const match = sql.raw(isMany ? "of_many" : "asked");
    const has =
      dialect === "sqlite" ? matching(session, kind, match) : sql`${indexOf(kind)}.terms @@ ${match}`;
    const counted = sql`(select count(*) from (select 1 from ${indexOf(kind)} where ${has} limit ${max}) as hits)`;
    const most = dialect === "sqlite" ? max : sql`${max}::bigint`;
    return sql`${isMany ? sql`case when of_many is null then ${most} else ${counted} end` : counted}`
      .mapWith(Number)
      .as(kind);
  };
  const counts = Object.fromEntries(memoryKinds.map((kind) => [kind, countOf(kind)])) as Record<
    MemoryKind,
    SQL.Aliased<number>
  >;
  return db.select(counts).from(asked).orderBy(sql`place`).prepare();
});

/** The newest that match may all be of another project: so many are looked at. */
const newestMax = 5_000;

function searcher(session: Session): Reads["search"] {
  const built = new Map<string, ReturnType<typeof build>>();
  return async (projects, kind, query) => {
    const { order, limit, reviews, rank } = query;
    const wanted: Asked = { ...query, ...(projects && { projects }) };
    const shape = [
      kind,
      order,
      limit,
      reviews,
      rank !== undefined,
      ...optional.filter((field) => wanted[field] !== undefined),
    ].join();
    let statements = built.get(shape);
    if (!statements) built.set(shape, (statements = build(session, kind, wanted)));
    const { most, inTurn, among } = statements;
    const visible = visibleTo(projects, query.match);
    const match = await indexed(session, projects, kind, visible);
    const ranked = rank && textOf(await indexed(session, projects, kind, rank), session.dialect);
    const texts = { match: textOf(match, session.dialect), rank: ranked };
    const values = { ...wanted, ...texts, projects: JSON.stringify(projects) };
    async function anew(): Promise<Shape[]> {
      let rows: Shape[] = [];
      for (const statement of inTurn) if (rows.length < limit) rows = await statement.execute(values);
      return rows;
    }
    const rows = await (among
      ? newestMet(
          session,
          { match, text: texts.match, name: textOf(visible, session.dialect), most, limit },
          { anew, among: (ids) => among.execute({ ...values, ids: JSON.stringify(ids) }) },
        )
      : anew());
    return rows.map(
      ({ head, ...row }): SearchHit => ({
        ...row,
        kind,
        head: typeof head === "string" ? head : head.join(" › "),
      }),
    );
  };
}

/** A match as the index of a kind is asked for it. */
const indexed = async (
  session: Session,
  projects: Projects,
  kind: MemoryKind,
  match: Match,
): Promise<Match> => (kind === manyKind ? withoutBeginnings(session, projects, match) : match);

/**
 * Rows of a table whose index has the match and that fit the conditions: the newest ones, or those most like
 * the query first.
 */
function build(session: Session, kind: MemoryKind, wanted: Asked) {
  const { db, dialect } = session;
  const { order, limit } = wanted;
  const { table, columns, conditions } = sources[kind](session, wanted);
  const index = indexOf(kind);
  // A heading is worth twice a word of the text.
  const rank =
    dialect === "sqlite"
      ? sql`bm25(${index}, 2.0, 1.0)`
      : sql`-ts_rank('{0.5, 0.5, 0.5, 1}', ${index}.terms, ${matchText}::text::tsquery)`;
  const isNewest = order === "newest";
  // BM25 reads all places of each word that it is asked to rank by, and of a common one there are very many.
  const isApart = dialect === "sqlite" && wanted.rank !== undefined;
  const most = conditions.some((one) => one !== undefined) ? newestMax : limit;
  const all = sql`+${index}.rowid in (select rowid from ${index} where ${matching(session, kind, matchText)})`;
  const likest = isApart
    ? and(matching(session, kind, sql.placeholder("rank")), all)
    : matching(session, kind, matchText);
  const key = sql`${isNewest ? sql`found` : index}.${sql.raw(dialect === "sqlite" ? "rowid" : "id")}`;
  const from = (place: SQL) =>
    db
      .select(columns as { [F in keyof Shape]: SQL<Shape[F]> })
      .from(place)
      // In this order: SQLite must ask the index first.
      .crossJoin(table)
      .where(and(isNewest ? undefined : likest, eq(table.id, key), ...conditions))
      .orderBy(...(isNewest ? [] : [rank]), desc(key))
      .limit(limit)
      .prepare();
  const places = isNewest ? newestOf(session, kind, most) : [sql`${index}`];
  return {
    most,
    inTurn: places.map(from),
    ...(isNewest && kind === manyKind && { among: from(these(session)) }),
  };
}
