/**
 * Chooses how a page of the feed is read, by its filters. No strategy's cost grows with the length of the
 * log.
 *
 * 1. Index range (index-range.ts). With one filter or none, an index holds the page in order, ready
 *    to read. A selective filter (an issue, a pull request) also reads its own index: few events have the
 *    value, so the remaining filters are checked on each of them.
 * 2. K-way merge (k-way-merge.ts). With several facet filters, or several values of one, no single index
 *    holds the page in order. It is merged from sorted lists: one for each matching facet, or for each value.
 * 3. Scan of the next events (also k-way-merge.ts). If very many lists match, so do most events: reading the
 *    next ones and checking each fills the page sooner than merging. If it does not, the lists are merged.
 *
 * `bun run bench growth` compares each kind of page on a small and a large log, `bun run bench feed` the
 * requests for them.
 */

import type { Micros } from "../../src/core/lib/time.ts";
import type { Projects } from "../../src/core/rows.ts";
import { withTaskNumber } from "../../src/core/task-key.ts";
import { valuesOf } from "../../src/core/wire.ts";
import { type FeedFilter, feedFilterNames, ownerFilters, selectiveFilters } from "../../src/feed/filters.ts";
import type { FeedReads } from "../../src/feed/port.ts";
import type { Direction } from "../dialect/index-range.ts";
import type { Session } from "../engine/session.ts";
import { givenFilters, rangeReader } from "./index-range.ts";
import { mergedPage, type PageQuery } from "./k-way-merge.ts";
import { readFromPartitions } from "./partitions.ts";

type FeedQuery = FeedFilter & { before?: Micros; after?: Micros; limit: number };

/** Opens the page reads of a session. */
export function preparedPages(session: Session) {
  const readRange = rangeReader(session);
  const fromPartitions = readFromPartitions(session);
  const rowsOf = (query: PageQuery, order: Direction) =>
    isIndexRange(query) ? readRange(query, order) : mergedPage(session, query, order);
  return {
    async feed(projects, { order = "newest first", ...feedQuery }) {
      const query = toPageQuery(projects, feedQuery);
      if (query === null) return [];
      // Few events have the value of a selective filter, so one partition would rarely fill a page.
      if (hasSelective(query)) return rowsOf(query, order);
      return fromPartitions(query, order, (bounded) => rowsOf(bounded, order));
    },
  } satisfies Partial<FeedReads>;
}

/** Combines the filters with the projects the caller may see; null if no event can match. */
function toPageQuery(projects: Projects, query: FeedQuery): PageQuery | null {
  const { project: named, ...others } = withTaskNumber(withSingleValues(query));
  const readable = named === undefined ? projects : valuesOf(named).filter((slug) => canRead(projects, slug));
  if (readable === null) return { ...others, projects: null };
  // A token may name a project twice, and a list must not be merged twice.
  const [project, ...more] = new Set(readable);
  if (project === undefined) return null;
  return more.length === 0
    ? { ...others, project, projects: null }
    : { ...others, projects: [project, ...more] };
}

/** A list of one value is that value, which an index may have in order. */
const withSingleValues = (query: FeedQuery): FeedQuery => {
  const lists = feedFilterNames.filter((name) => Array.isArray(query[name]) && query[name].length === 1);
  return lists.length === 0
    ? query
    : {
        ...query,
        ...Object.fromEntries(lists.map((name) => [name, valuesOf<string | number>(query[name])[0]])),
      };
};

const canRead = (projects: Projects, slug: string): boolean => projects === null || projects.includes(slug);

const hasSelective = (query: PageQuery): boolean => givenFilters(selectiveFilters, query).length > 0;

/** One index can serve the whole page. */
const isIndexRange = (query: PageQuery): boolean =>
  hasSelective(query) || (query.projects === null && hasOneValueAtMost(query) && !hasOwner(query));
const hasOwner = (query: PageQuery): boolean => givenFilters(ownerFilters, query).length > 0;
const hasOneValueAtMost = (query: PageQuery): boolean =>
  feedFilterNames.flatMap((name) => valuesOf<string | number>(query[name])).length <= 1;
