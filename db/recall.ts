/** Searching what is remembered, by the indexes of terms. Statements are built once: building one takes longer than running it. */
import { and, desc, eq, inArray, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Reads } from "../src/data.ts";
import { type MemoryKind, memoryKinds } from "../src/memory/schema.ts";
import type { FoundRow, Match } from "../src/rows.ts";
import { withoutBeginnings } from "./beginnings.ts";
import { commonTerms } from "./common-terms.ts";
import { type Asked, optional, type Shape, sources } from "./found-rows.ts";
import { prepared } from "./prepared.ts";
import { written } from "./rows.ts";
import type { Session } from "./session.ts";
import { indexOf, manyKind } from "./terms.ts";

export function recallReads(session: Session): Pick<Reads, "search" | "countMatches" | "similarWords"> {
  const { dialect, many } = session;
  const common = commonTerms(session);
  return {
    search: searcher(session),
    async countMatches(matches, max) {
      const isCommon = await common(max);
      const asked = await Promise.all(
        matches.map(async (match) => {
          const text = textOf(match, dialect);
          const isOfMany = (many.get(text) ?? 0) >= max || isCommon(match);
          return { text, json: JSON.stringify([text, isOfMany ? null : await textFor(session, manyKind, match)]) };
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
    async similarWords(grams, limit) {
      const { gram, form } = session.t.word_grams;
      const rows = await session.db
        .select({ form })
        .from(session.t.word_grams)
        .where(inArray(gram, grams))
        .groupBy(form)
        .orderBy(sql`count(*) desc`, form)
        .limit(limit);
      return rows.map((row) => row.form);
    },
  };
}

/** Beyond this many all are forgotten: who asks for ever other words must not fill the memory. */
const manyMax = 10_000;

function learnMany(many: Session["many"], text: string, count: number): void {
  if (many.size >= manyMax) many.clear();
  many.set(text, count);
}

/** How many rows of each kind have each of the matches of a list, and `max` of what very many events are known to have. */
const counter = prepared((session) => {
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
    const has = dialect === "sqlite" ? matching(session, kind, match) : sql`${indexOf(kind)}.terms @@ ${match}`;
    const counted = sql`(select count(*) from (select 1 from ${indexOf(kind)} where ${has} limit ${max}) as hits)`;
    const most = dialect === "sqlite" ? max : sql`${max}::bigint`;
    return sql`${isMany ? sql`case when of_many is null then ${most} else ${counted} end` : counted}`.mapWith(Number).as(kind);
  };
  const counts = Object.fromEntries(memoryKinds.map((kind) => [kind, countOf(kind)])) as Record<MemoryKind, SQL.Aliased<number>>;
  return db.select(counts).from(asked).orderBy(sql`place`).prepare();
});

/** What the index of a kind is asked for. */
const textFor = async (session: Session, kind: MemoryKind, match: Match): Promise<string> =>
  textOf(kind === manyKind ? await withoutBeginnings(session, match) : match, session.dialect);

/** A match in the language of the index. Terms hold letters and digits only, so quotes are all they need. */
function textOf(match: Match, dialect: Session["dialect"]): string {
  if ("term" in match)
    return dialect === "sqlite" ? `"${match.term}"${match.prefix ? "*" : ""}` : `'${match.term}'${match.prefix ? ":*" : ""}`;
  const [list, word] =
    "all" in match ? [match.all, dialect === "sqlite" ? " AND " : " & "] : [match.any, dialect === "sqlite" ? " OR " : " | "];
  // Each once: an index would read the places of a term for each time that it is named.
  const texts = [...new Set(list.map((one) => textOf(one, dialect)))];
  return texts.length === 1 ? (texts[0] as string) : `(${texts.join(word)})`;
}

const matching = ({ dialect }: Session, kind: MemoryKind, asked: SQLWrapper): SQL =>
  dialect === "sqlite" ? sql`${indexOf(kind)} match ${asked}` : sql`${indexOf(kind)}.terms @@ ${asked}::text::tsquery`;

/** The newest that match may all be of another project: so many are looked at. */
const newestMax = 5_000;
/** So many rows are read faster than all places of a word that is everywhere. */
const lastMax = 20_000;

/** Where the newest that have the match are looked for: in the next place, where one has too few of them. */
function newestOf(session: Session, kind: MemoryKind, most: number): SQL[] {
  const index = indexOf(kind);
  const limit = written(most);
  if (session.dialect === "sqlite")
    return [sql`(select rowid from ${index} where ${matching(session, kind, asked)} order by rowid desc limit ${limit}) as found`];
  // Read once, and not again for each row.
  const matches = sql`${index}.terms @@ (select ${asked}::text::tsquery)`;
  const last = sql`(select id, terms from ${index} order by id desc limit ${written(lastMax)}) as ${index}`;
  const amongLast = sql`(select id from ${last} where ${matches} order by id desc limit ${limit}) as found`;
  // Two frequent words that never meet: walking over all rows looks cheaper than it is, and in this order it is no choice.
  const amongAll = sql`(select id from ${index} where ${matches} order by id + 0 desc limit ${limit}) as found`;
  return kind === manyKind ? [amongLast, amongAll] : [amongAll];
}

const asked = sql.placeholder("match");

function searcher(session: Session): Reads["search"] {
  const built = new Map<string, ReturnType<typeof build>>();
  return async (projects, kind, query) => {
    const { order, limit, reviews, match, rank } = query;
    const wanted: Asked = { ...query, ...(projects && { projects }) };
    const shape = [kind, order, limit, reviews, rank !== undefined, ...optional.filter((field) => wanted[field] !== undefined)].join();
    let statements = built.get(shape);
    if (!statements) built.set(shape, (statements = build(session, kind, wanted)));
    const texts = { match: await textFor(session, kind, match), rank: rank && (await textFor(session, kind, rank)) };
    const values = { ...wanted, ...texts, projects: JSON.stringify(projects) };
    let rows: Shape[] = [];
    for (const statement of statements) {
      if (rows.length === limit) break;
      rows = await statement.execute(values);
    }
    return rows.map(({ head, ...row }): FoundRow => ({ ...row, kind, head: typeof head === "string" ? head : head.join(" › ") }));
  };
}

/** Rows of a table whose index has the match and that fit the conditions, those most like the query first. */
function build(session: Session, kind: MemoryKind, wanted: Asked) {
  const { db, dialect } = session;
  const { order, limit } = wanted;
  const { table, columns, conditions } = sources[kind](session, wanted);
  const index = indexOf(kind);
  // A heading is worth twice a word of the text.
  const rank =
    dialect === "sqlite" ? sql`bm25(${index}, 2.0, 1.0)` : sql`-ts_rank('{0.5, 0.5, 0.5, 1}', ${index}.terms, ${asked}::text::tsquery)`;
  const isNewest = order === "newest";
  // BM25 reads all places of each word that it is asked to rank by, and of a common one there are very many.
  const isApart = dialect === "sqlite" && wanted.rank !== undefined;
  const most = conditions.some((one) => one !== undefined) ? newestMax : limit;
  const places = isNewest ? newestOf(session, kind, most) : [sql`${index}`];
  const all = sql`+${index}.rowid in (select rowid from ${index} where ${matching(session, kind, asked)})`;
  const likest = isApart ? and(matching(session, kind, sql.placeholder("rank")), all) : matching(session, kind, asked);
  const key = sql`${isNewest ? sql`found` : index}.${sql.raw(dialect === "sqlite" ? "rowid" : "id")}`;
  return places.map((place) =>
    db
      .select(columns as { [F in keyof Shape]: SQL<Shape[F]> })
      .from(place)
      // In this order: SQLite must ask the index first.
      .crossJoin(table)
      .where(and(isNewest ? undefined : likest, eq(table.id, key), ...conditions))
      .orderBy(...(isNewest ? [] : [rank]), desc(key))
      .limit(limit)
      .prepare(),
  );
}
