/** Searching what is remembered, by the indexes of terms. */
import { and, type Column, desc, eq, gt, inArray, isNull, lte, ne, or, type SQL, sql } from "drizzle-orm";
import type { Reads } from "../src/data.ts";
import { type MemoryKind, memoryKinds } from "../src/memory/schema.ts";
import type { FoundRow, Match, Projects, SearchQuery } from "../src/rows.ts";
import type { Micros } from "../src/time.ts";
import { commonTerms } from "./common-terms.ts";
import { allRows } from "./rows.ts";
import type { Session } from "./session.ts";
import { indexOf, manyKind } from "./terms.ts";

export function recallReads(session: Session): Pick<Reads, "search" | "countMatches" | "similarWords"> {
  const { dialect } = session;
  const common = commonTerms(session);
  return {
    search: (projects, kind, query) => searches[kind](session, projects, query),
    async countMatches(matches, max) {
      const isCommon = await common(max);
      const rare = matches.filter((match) => !isCommon(match));
      const counts = rare.length > 0 ? await count(rare, max) : [];
      return matches.map((match) => (isCommon(match) ? max : (counts.shift() as number)));
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

  async function count(matches: Match[], max: number): Promise<number[]> {
    const counted = memoryKinds.map(
      (kind) =>
        sql`(select count(*) from (select 1 from ${indexOf(kind)} where ${matching(session, kind, sql`asked`)} limit ${max}) as hits)`,
    );
    const list = JSON.stringify(matches.map((match) => textOf(match, dialect)));
    const asked =
      dialect === "sqlite"
        ? sql`(select key as place, value as asked from json_each(${list})) as query`
        : sql`json_array_elements_text(${list}::text::json) with ordinality as query (asked, place)`;
    const rows = await allRows<{ count: number }>(
      session,
      sql`select ${sql.join(counted, sql` + `)} as count from ${asked} order by place`,
    );
    return rows.map((row) => Number(row.count));
  }
}

/** A match in the language of the index. Terms hold letters and digits only, so quotes are all they need. */
function textOf(match: Match, dialect: Session["dialect"]): string {
  if ("term" in match)
    return dialect === "sqlite" ? `"${match.term}"${match.prefix ? "*" : ""}` : `'${match.term}'${match.prefix ? ":*" : ""}`;
  const [list, word] =
    "all" in match ? [match.all, dialect === "sqlite" ? " AND " : " & "] : [match.any, dialect === "sqlite" ? " OR " : " | "];
  return `(${list.map((one) => textOf(one, dialect)).join(word)})`;
}

const matching = ({ dialect }: Session, kind: MemoryKind, asked: SQL): SQL =>
  dialect === "sqlite" ? sql`${indexOf(kind)} match ${asked}` : sql`${indexOf(kind)}.terms @@ ${asked}::text::tsquery`;

type Shape = Omit<FoundRow, "kind" | "head"> & { head: string | string[] };
type Columns = { [F in keyof Shape]: SQL<Shape[F]> | SQL.Aliased<Shape[F]> };
type Table = Session["t"]["decisions" | "preferences" | "notes" | "guidance" | "events"];

/** The newest that match may all be of another project: so many are looked at. */
const newestMax = 5_000;
/** So many rows are read faster than all places of a word that is everywhere. */
const lastMax = 20_000;

/** Where the newest that have the match are looked for: in the next place, where one has too few of them. */
function newestOf(session: Session, kind: MemoryKind, asked: string, most: number): SQL[] {
  const index = indexOf(kind);
  const limit = sql.raw(String(most));
  if (session.dialect === "sqlite")
    return [sql`(select rowid from ${index} where ${matching(session, kind, sql`${asked}`)} order by rowid desc limit ${limit}) as found`];
  // Read once, and not again for each row.
  const matches = sql`${index}.terms @@ (select ${asked}::text::tsquery)`;
  const last = sql`(select id, terms from ${index} order by id desc limit ${sql.raw(String(lastMax))}) as ${index}`;
  const amongLast = sql`(select id from ${last} where ${matches} order by id desc limit ${limit}) as found`;
  // Two frequent words that never meet: walking over all rows looks cheaper than it is, and in this order it is no choice.
  const amongAll = sql`(select id from ${index} where ${matches} order by id + 0 desc limit ${limit}) as found`;
  return kind === manyKind ? [amongLast, amongAll] : [amongAll];
}

/** Rows of a table whose index has the match and that fit the condition, those most like the query first. */
async function searchIn(
  session: Session,
  kind: MemoryKind,
  table: Table,
  columns: Record<keyof Shape, unknown>,
  { match, order, limit }: SearchQuery,
  condition: (SQL | undefined)[],
): Promise<FoundRow[]> {
  const { db, dialect } = session;
  const index = indexOf(kind);
  const asked = textOf(match, dialect);
  // A heading is worth twice a word of the text.
  const rank =
    dialect === "sqlite" ? sql`bm25(${index}, 2.0, 1.0)` : sql`-ts_rank('{0.5, 0.5, 0.5, 1}', ${index}.terms, ${asked}::text::tsquery)`;
  const isNewest = order === "newest";
  const most = condition.some((one) => one !== undefined) ? newestMax : limit;
  const places = isNewest ? newestOf(session, kind, asked, most) : [sql`${index}`];
  const matches = isNewest ? undefined : matching(session, kind, sql`${asked}`);
  const key = sql`${isNewest ? sql`found` : index}.${sql.raw(dialect === "sqlite" ? "rowid" : "id")}`;
  let rows: Shape[] = [];
  for (const place of places) {
    if (rows.length === limit) break;
    rows = (await db
      .select(columns as Columns)
      .from(place)
      // In this order: SQLite must ask the index first.
      .crossJoin(table)
      .where(and(matches, eq(table.id, key), ...condition))
      .orderBy(...(isNewest ? [] : [rank]), desc(key))
      .limit(limit)) as Shape[];
  }
  return rows.map(({ head, ...row }) => ({ ...row, kind, head: typeof head === "string" ? head : head.join(" › ") }));
}

const nothing = sql`null`;

const searches: Record<MemoryKind, (session: Session, projects: Projects, query: SearchQuery) => Promise<FoundRow[]>> = {
  decision(session, projects, query) {
    const { decisions } = session.t;
    const { id, project, text, source, source_ref, actor, valid_from, valid_until } = decisions;
    const columns = { id, project, head: sql`''`, text, source, source_ref, actor, valid_from, valid_until };
    const { reviews } = query;
    return searchIn(session, "decision", decisions, columns, query, [
      holding(decisions, query.asOf),
      within(project, projects, query),
      reviews === undefined ? undefined : reviews ? eq(source, "review") : ne(source, "review"),
    ]);
  },
  preference(session, projects, query) {
    const { preferences } = session.t;
    const { id, project, key, value, source, source_ref, actor, valid_from, valid_until } = preferences;
    const columns = { id, project, head: key, text: value, source, source_ref, actor, valid_from, valid_until };
    return searchIn(session, "preference", preferences, columns, query, [
      holding(preferences, query.asOf),
      or(isNull(project), within(project, projects, query) ?? sql`true`),
    ]);
  },
  note(session, projects, query) {
    const { notes } = session.t;
    const { id, project, title, text, asset, actor, valid_from, valid_until } = notes;
    const columns = { id, project, head: title, text, source: sql`'review'`, source_ref: asset, actor, valid_from, valid_until };
    return searchIn(session, "note", notes, columns, query, [holding(notes, query.asOf), within(project, projects, query)]);
  },
  guidance(session, _, query) {
    const { guidance } = session.t;
    const { id, path, text, source, model, refreshed_at } = guidance;
    const columns = {
      id,
      project: nothing,
      head: path,
      text,
      source,
      source_ref: model,
      actor: source,
      valid_from: refreshed_at,
      valid_until: nothing,
    };
    return searchIn(session, "guidance", guidance, columns, query, [
      query.asOf === undefined ? undefined : lte(refreshed_at, query.asOf),
      query.model === undefined ? undefined : eq(model, query.model),
    ]);
  },
  event(session, projects, query) {
    const { events } = session.t;
    const { id, project, summary, kind, url, actor, ts } = events;
    const columns = {
      id,
      project,
      head: sql`''`,
      text: summary,
      source: kind,
      source_ref: url,
      actor,
      valid_from: ts,
      valid_until: nothing,
    };
    const condition = [query.asOf === undefined ? undefined : lte(ts, query.asOf), within(project, projects, query)];
    return searchIn(session, "event", events, columns, query, condition);
  },
};

type Times = Record<"valid_from" | "valid_until", Column>;

/** What holds now, or held then. */
const holding = ({ valid_from, valid_until }: Times, asOf: Micros | undefined): SQL | undefined =>
  asOf === undefined ? isNull(valid_until) : and(lte(valid_from, asOf), or(isNull(valid_until), gt(valid_until, asOf)));

const within = (column: Column, projects: Projects, { project }: SearchQuery): SQL | undefined =>
  and(project === undefined ? undefined : eq(column, project), projects === null ? undefined : inArray(column, [...projects]));
