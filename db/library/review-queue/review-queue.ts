/** What waits for a review, by project: the assets without a set, and the sets. */
import { type SQL, sql } from "drizzle-orm";
import type { Projects } from "../../../src/core/rows.ts";
import type { LibraryReads } from "../../../src/library/port.ts";
import type { AssetDetails, PendingAsset, PendingFilter } from "../../../src/library/rows.ts";
import type { Session } from "../../engine/session.ts";
import {
  elements,
  literalCount,
  noLimit,
  preparedShapes,
  preparedStatement,
  rowsReader,
} from "../../query/statements.ts";
import { everyone } from "../assets/review-requests.ts";

interface Listed {
  project: string;
  count: number;
  /** `created_at:id` of some assets, separated by commas. */
  listed: string;
}

interface ListedAssets extends Listed {
  since: number;
  repeats: number;
  /** As `listed`. */
  repeated: string | null;
}

interface ListedSet extends Listed {
  set: string;
  newest: number;
}

export const reviewQueueReads = (session: Session) =>
  ({
    async pendingAssets(projects, { order, count, listed, ...query }) {
      const shape = { ...shapeOf(projects, query), order, count, listed };
      const rows = await selectAssets(session, JSON.stringify(shape))(valuesOf(projects, query));
      return rows.map((row) => ({
        ...parsed(row),
        listedRepeats: parseList(row.repeated),
        repeats: Number(row.repeats),
        since: Number(row.since),
      }));
    },
    async pendingSets(projects, { count, listed, sets, ...query }) {
      const shape = { ...shapeOf(projects, query), count, listed, sets };
      const rows = await selectSets(session, JSON.stringify(shape))(valuesOf(projects, query));
      return rows.flatMap((row) => {
        const { listed, ...more } = parsed(row);
        const [first, ...others] = listed;
        return first
          ? [{ ...more, set: row.set, newest: Number(row.newest), listed: [first, ...others] }]
          : [];
      });
    },
    assetDetails: async (ids) =>
      ids.length === 0 ? [] : selectDetails(session)({ ids: JSON.stringify(ids), limit: noLimit }),
  }) satisfies Partial<LibraryReads>;

const detailColumns = [
  ...(["id", "project", "set", "title", "version", "kind", "status", "sha256", "created_by"] as const),
  ...(["created_at", "uploader", "issue", "task", "pr", "key"] as const),
  ...(["has_thumb", "thumb_format", "bundle_index"] as const),
] satisfies (keyof AssetDetails)[];

const selectDetails = preparedStatement(({ db, dialect, t: { assets } }) => {
  const query = db
    .select(Object.fromEntries(detailColumns.map((name) => [name, assets[name]])))
    .from(assets)
    .where(dialect.isIn(assets.id, sql`select value from ${elements(dialect, sql.placeholder("ids"))}`))
    .limit(sql.placeholder("limit"));
  return dialect.reader<AssetDetails>(db, query.prepare(), assets);
});

const parsed = ({ project, count, listed }: Listed) => ({
  project,
  count: Number(count),
  listed: parseList(listed),
});

/** @param listed null if it would be empty */
const parseList = (listed: string | null): PendingAsset[] =>
  !listed
    ? []
    : listed.split(",").map((entry) => {
        const end = entry.indexOf(":");
        return { id: entry.slice(end + 1), created_at: Number(entry.slice(0, end)) };
      });

type AssetsQuery = Parameters<LibraryReads["pendingAssets"]>[1];
type SetsQuery = Parameters<LibraryReads["pendingSets"]>[1];

/** What distinguishes the statements of a query: its limits are literals, its lists are parameters. */
interface Shape {
  isOfAll: boolean;
  projects: number;
  hasOthers: boolean;
  isAsked: boolean;
}
type AssetsShape = Shape & Pick<AssetsQuery, "order" | "count" | "listed">;
type SetsShape = Shape & Pick<SetsQuery, "count" | "listed" | "sets">;

const shapeOf = (
  projects: Projects,
  { projects: max, without = [], askedOf }: PendingFilter & { projects: number },
): Shape => ({
  isOfAll: projects === null,
  projects: max,
  hasOthers: without.length > 0,
  isAsked: askedOf !== undefined,
});

const valuesOf = (projects: Projects, { without = [], askedOf = [] }: PendingFilter) => ({
  projects: JSON.stringify(projects),
  without: JSON.stringify(without),
  askedOf: JSON.stringify([...askedOf, everyone]),
});

const selectAssets = preparedShapes((session, text: string) =>
  rowsReader<ListedAssets>(session, assetsSql(session, JSON.parse(text)), [
    ...(["project", "repeats", "repeated", "since", "count", "listed"] as const),
  ]),
);

const selectSets = preparedShapes((session, text: string) =>
  rowsReader<ListedSet>(session, setsSql(session, JSON.parse(text)), [
    ...(["project", "set", "newest", "count", "listed"] as const),
  ]),
);

/** Every subquery reads the first or last entries of a range of an index of the assets that wait. */
function assetsSql(session: Session, shape: AssetsShape): SQL {
  const { order: sorting, count, listed } = shape;
  // `is null` is no equality for Postgres, so the order names the column too.
  const oldest = sql`"set", created_at, id`;
  const order = sorting === "oldest first" ? oldest : sql`"set" desc, created_at desc, id desc`;
  const pending = sql`where waiting = 1 and project = queue.project and "set" is null
    ${visible(session, shape)}`;
  const shown = sql`assets ${pending}`;
  // Without its name, SQLite would read all assets that wait for those that repeat none or for those that do.
  const from = (index: string) => session.dialect.fromIndex("assets", index);
  const repeated = sql`${from("assets_repeats")} ${pending} and repeats is not null`;
  const others = sql`${from("assets_not_repeats")} ${pending} and repeats is null`;
  return sql`with recursive ${queueSql(session, shape)}
    select project,
      (select count(*) from (select id from ${repeated} limit ${literalCount(count)}) as counted) as repeats,
      ${listSql(repeated, order, listed)} as repeated,
      (select created_at from ${shown} order by ${oldest} limit 1) as since,
      (select count(*) from
        (select id from ${shown} order by ${oldest} limit ${literalCount(count)}) as counted) as count,
      ${listSql(others, order, listed)} as listed
    from queue where project > '' and exists (select 1 from ${shown})`;
}

/** Finds each set by one seek in the index, a "loose index scan". */
function setsSql(session: Session, shape: SetsShape): SQL {
  const { count, listed, sets } = shape;
  const named = sql`select "set" from assets where waiting = 1 and "set" is not null`;
  const shown = sql`assets where waiting = 1 and project = found.project and "set" = found."set"
    ${visible(session, shape)}`;
  return sql`with recursive ${queueSql(session, shape)},
    found (project, "set", n) as (
      select project, (${named} and assets.project = queue.project order by "set" limit 1), 1
      from queue where project > '' union all
      select project, (${named} and assets.project = found.project and assets."set" > found."set"
        order by "set" limit 1), n + 1
      from found where found."set" is not null and n < ${literalCount(sets)})
    select project, "set",
      (select created_at from ${shown} order by created_at desc, id desc limit 1) as newest,
      (select count(*) from (select id from ${shown} limit ${literalCount(count)}) as counted) as count,
      ${listSql(shown, sql`created_at, id`, listed)} as listed
    from found where "set" is not null`;
}

const listSql = (shown: SQL, order: SQL, max: number): SQL =>
  sql`(select string_agg(created_at || ':' || id, ',') from
    (select created_at, id from ${shown} order by ${order} limit ${literalCount(max)}) as entries)`;

function visible({ dialect }: Session, { hasOthers, isAsked }: Shape): SQL {
  const list = (name: string) => sql`select value from ${elements(dialect, sql.placeholder(name))}`;
  const others = hasOthers ? sql`and id not in (${list("without")})` : sql``;
  if (!isAsked) return others;
  return sql`${others} and (not exists (select 1 from review_requests where asset = assets.id)
    or exists (select 1 from requested_reviewers
      where asset = assets.id and ${dialect.isIn(sql`reviewer`, list("askedOf"))}))`;
}

/** The projects with pending assets, in one seek each. */
const queueSql = ({ dialect }: Session, { isOfAll, projects }: Shape): SQL =>
  isOfAll
    ? sql`queue (project, n) as (
        select cast('' as text), 0 union all
        select (select assets.project from assets where waiting = 1 and assets.project > queue.project
          order by assets.project limit 1), n + 1
        from queue where queue.project is not null and n < ${literalCount(projects)})`
    : sql`queue (project) as (select value from ${elements(dialect, sql.placeholder("projects"))})`;
