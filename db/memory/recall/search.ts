/**
 * Searches the memory by its term indexes. Statements are built once for each shape of a query: building one
 * takes longer than running it.
 */

import { and, Column, desc, eq, is, type SQL, sql } from "drizzle-orm";
import { boundedByCount, Cache } from "../../../src/core/lib/cache.ts";
import type { Projects } from "../../../src/core/rows.ts";
import { readEvent } from "../../../src/feed/render-event.ts";
import type { MemoryReads } from "../../../src/memory/port.ts";
import type { Match } from "../../../src/memory/rows.ts";
import { type MemoryKind, memoryKinds } from "../../../src/memory/schema.ts";
import type { Session } from "../../engine/session.ts";
import { selectPending } from "../../feed/head.ts";
import { joinedToLog } from "../../feed/partitions.ts";
import { markIncomplete, unmarked } from "../../feed/pending.ts";
import { literalCount, preparedStatement, shapesMax } from "../../query/statements.ts";
import { visibleTo } from "./audience.ts";
import { frequentTerms } from "./frequent-terms.ts";
import { newestWithAll } from "./intersections.ts";
import { candidateRows, keyColumn, matchExpression, newestMatches } from "./match.ts";
import { expandPrefixes } from "./prefix-search.ts";
import { optionalConditions, type SourceQuery, type SourceRow, sources } from "./sources.ts";
import { indexOf, largestKind } from "./term-index.ts";
import { textLanguages } from "./text-languages.ts";
import { findSimilarWords } from "./vocabulary.ts";

export function recallReads(session: Session) {
  const { dialect, frequentMatches } = session;
  const frequent = frequentTerms(session);
  return {
    search: searcher(session),
    async countMatches(projects, matches, max) {
      const isFrequent = await frequent(max);
      const queries = await Promise.all(
        matches.map(async (unrestricted) => {
          const match = visibleTo(projects, unrestricted);
          const expression = matchExpression(match, dialect);
          const hasMax = (frequentMatches.get(expression) ?? 0) >= max || isFrequent(match);
          return {
            expression,
            json: JSON.stringify([
              expression,
              hasMax
                ? null
                : matchExpression(await indexMatch(session, projects, largestKind, match), dialect),
            ]),
          };
        }),
      );
      const distinct = [...new Set(queries.map(({ json }) => json))];
      const counts = await selectCounts(session).execute({ list: `[${distinct.join()}]`, max });
      const found = unmarked(counts);
      const result = queries.map(({ expression, json }) => {
        const count = found[distinct.indexOf(json)] as (typeof found)[number];
        if (count[largestKind] >= max) frequentMatches.set(expression, max);
        return count;
      });
      return markIncomplete(counts, result);
    },
    async countDecisions(project, matches, max) {
      if (matches.length === 0) return [];
      const list = matches.map((match) => [matchExpression(visibleTo([project], match), dialect), null]);
      const counts = await selectDecisionCounts(session).execute({ list: JSON.stringify(list), max });
      return counts.map(({ decision }) => decision);
    },
    textLanguages: () => textLanguages(session),
    findSimilarWords: (projects, grams, limit) => findSimilarWords(session, projects, grams, limit),
  } satisfies Partial<MemoryReads>;
}

/**
 * Counts the rows of each kind that have each match of a list, up to `max`. A match without an expression for
 * events (`of_many`) is known to be frequent and counts as `max`.
 */
const selectCounts = preparedStatement((session) => {
  const counts = Object.fromEntries(memoryKinds.map((kind) => [kind, countOf(session, kind)])) as Record<
    MemoryKind,
    SQL.Aliased<number>
  >;
  const pending = selectPending.as("pending");
  return session.db
    .select({ ...counts, pending })
    .from(session.dialect.fullText.searchList())
    .orderBy(sql`place`)
    .prepare();
});

/** The same for decisions alone. */
const selectDecisionCounts = preparedStatement((session) =>
  session.db
    .select({ decision: countOf(session, "decision") })
    .from(session.dialect.fullText.searchList())
    .orderBy(sql`place`)
    .prepare(),
);

function countOf({ dialect: { fullText } }: Session, kind: MemoryKind): SQL.Aliased<number> {
  const max = sql`cast(${sql.placeholder("max")} as bigint)`;
  const isLargest = kind === largestKind;
  const index = indexOf(kind);
  const has = fullText.hasListedMatch(index, sql.raw(isLargest ? "of_many" : "query_text"));
  const counted = sql`(select count(*) from (select 1 from ${index} where ${has} limit ${max}) as hits)`;
  return sql`${isLargest ? sql`case when of_many is null then ${max} else ${counted} end` : counted}`
    .mapWith(Number)
    .as(kind);
}

/** Candidates that are read when conditions apply: the newest matches may all be of another project. */
const filteredCandidatesMax = 5_000;

function searcher(session: Session): MemoryReads["search"] {
  const built = new Cache<string, ReturnType<typeof buildSearch>>({
    max: shapesMax,
    bytesOf: boundedByCount,
  });
  return async (projects, kind, query) => {
    const { order, limit, reviews, rank } = query;
    const sourceQuery: SourceQuery = { ...query, ...(projects && { projects }) };
    const shape = [
      kind,
      order,
      limit,
      reviews,
      rank !== undefined,
      fitsByAudience(kind, sourceQuery),
      ...optionalConditions.filter((field) => sourceQuery[field] !== undefined),
    ].join();
    const { candidatesMax, inOrder, amongIds } = built.getOrMake(shape, () =>
      buildSearch(session, kind, sourceQuery),
    );
    const visible = visibleTo(projects, query.match);
    const match = await indexMatch(session, projects, kind, visible);
    const rankExpression =
      rank && matchExpression(await indexMatch(session, projects, kind, rank), session.dialect);
    const expression = matchExpression(match, session.dialect);
    const values = {
      ...sourceQuery,
      match: expression,
      rank: rankExpression,
      projects: JSON.stringify(projects),
    };
    async function searchIndex(): Promise<SourceRow[]> {
      let rows: SourceRow[] = [];
      for (const read of inOrder) if (rows.length < limit) rows = await read(values);
      return rows;
    }
    const rows = await (amongIds
      ? newestWithAll(
          session,
          { match, expression, unexpanded: matchExpression(visible, session.dialect), candidatesMax, limit },
          {
            searchIndex,
            readCandidates: (ids) => amongIds({ ...values, ids: JSON.stringify(ids) }),
          },
        )
      : searchIndex());
    return rows.map((row) => ({ ...row, kind, ...derivedFields[kind]?.(row) }));
  };
}

/** The fields of a result that its columns hold as JSON: a path of headings, and an event. */
const derivedFields: Partial<Record<MemoryKind, (row: SourceRow) => Partial<SourceRow>>> = {
  guidance: ({ head }) => ({ head: (JSON.parse(head) as string[]).join(" › ") }),
  event({ text, valid_from: ts }) {
    const { summary, url, issue, task, pr, run_id } = readEvent({ ts, wire: text });
    return { text: summary, source_ref: url, event: { issue, task, pr, run_id } };
  },
};

/**
 * Whether every row with a match fits the conditions on projects, since the match names the audience: that of
 * an event is its project. The conditions stay, so a wrong index reveals nothing.
 */
const fitsByAudience = (kind: MemoryKind, { project, projects, asOf, from, until }: SourceQuery): boolean =>
  kind === largestKind &&
  projects !== undefined &&
  [asOf, from, until].every((time) => time === undefined) &&
  (project === undefined || (projects.length === 1 && projects[0] === project));

/** The match to search a kind's index for. */
const indexMatch = async (
  session: Session,
  projects: Projects,
  kind: MemoryKind,
  match: Match,
): Promise<Match> => (kind === largestKind ? expandPrefixes(session, projects, match) : match);

/**
 * Builds the statements that read the rows with a match that fit the conditions, the newest or the most
 * relevant first.
 */
function buildSearch(session: Session, kind: MemoryKind, query: SourceQuery) {
  const { db, dialect } = session;
  const { order, limit } = query;
  const { table, columns, conditions } = sources[kind](session, query);
  const index = indexOf(kind);
  const { fullText } = dialect;
  const isNewest = order !== "likeness";
  const isFiltered = conditions.some((condition) => condition !== undefined);
  const candidatesMax = isFiltered && !fitsByAudience(kind, query) ? filteredCandidatesMax : limit;
  const relevance = fullText.rankedMatch(index, query.rank !== undefined);
  const key = sql`${isNewest ? sql`found` : index}.${keyColumn(dialect)}`;
  const named = Object.fromEntries(
    Object.entries(columns).map(([name, column]) => {
      const value = sql`${column}`;
      return [name, (is(column, Column) ? value.mapWith(column) : value).as(name)];
    }),
  );
  const selectFrom = (source: SQL, order: SQL = key) => {
    const { from, isSame } =
      kind === largestKind ? joinedToLog(session, source, key) : { from: source, isSame: eq(table.id, key) };
    const query = db
      .select(named)
      .from(from)
      // A cross join, so that SQLite reads the index first: it does not reorder the tables of one.
      .crossJoin(table)
      .where(and(isNewest ? undefined : relevance, isSame, ...conditions))
      .orderBy(...(isNewest ? [] : [fullText.rank(index)]), desc(order))
      .limit(sql.placeholder("limit"))
      .prepare();
    return dialect.reader<SourceRow>(db, query);
  };
  /** Sorted by relevance alone: SQLite would read the columns of all rows that it sorts, not of those it returns. */
  const selectRanked = () => {
    const isMatch = and(relevance, eq(table.id, key), ...conditions);
    const ranked = sql`(select ${key} as id, ${fullText.rank(index)} as rank from ${index} cross join ${table}
      where ${isMatch} order by rank, ${key} desc limit ${literalCount(limit)}) as found`;
    const query = db
      .select(named)
      .from(ranked)
      .crossJoin(table)
      .where(eq(table.id, sql`found.id`))
      .orderBy(sql`found.rank`, sql`found.id desc`)
      .limit(sql.placeholder("limit"))
      .prepare();
    return dialect.reader<SourceRow>(db, query);
  };
  if (!isNewest && kind !== largestKind) return { candidatesMax, inOrder: [selectRanked()] };
  const matches = isNewest
    ? newestMatches(session, kind, candidatesMax, { isFew: order === "newest of few" })
    : [sql`${index}`];
  return {
    candidatesMax,
    inOrder: matches.map((source) => selectFrom(source)),
    // `id + 0` rules out a merge join, for which Postgres would read the events back to the oldest candidate.
    ...(isNewest &&
      kind === largestKind && { amongIds: selectFrom(candidateRows(session), sql`${key} + 0`) }),
  };
}
