/**
 * Keyset pages of the asset list, and single assets, by prepared statements that are built once: building one
 * takes longer than running it.
 */
import { and, asc, desc, eq, getTableColumns, inArray, ne, type SQL, sql } from "drizzle-orm";
import { boundedByCount, Cache } from "../../../src/core/lib/cache.ts";
import type { Projects } from "../../../src/core/rows.ts";
import { withTaskNumber } from "../../../src/core/task-key.ts";
import type {
  AssetFile,
  AssetFilter,
  AssetPage,
  AssetRow,
  RenderedAsset,
} from "../../../src/library/rows.ts";
import type { Session } from "../../engine/session.ts";
import { preparedStatement, shapesMax, tuple } from "../../query/statements.ts";

/** How many words of a search count. */
const wordsMax = 4;

const wordsOf = ({ query }: AssetFilter): string[] => query?.trim().split(/\s+/).slice(0, wordsMax) ?? [];

/** Each word is part of one of these, in either case. No index serves a part of a word. */
function hasWords({ assets }: Session["t"], filter: AssetFilter): SQL {
  const parts = [assets.title, assets.filename, assets.set, sql`cast(${assets.tags} as text)`];
  const words = sql`concat_ws(' ', ${sql.join(parts, sql`, `)})`;
  const conditions = wordsOf(filter).map(
    (_, at) => sql`lower(${words}) like lower(${sql.placeholder(`word_${at}`)}) escape '\\'`,
  );
  return sql.join(conditions, sql` and `);
}

/** What its placeholders stand for: `%`, `_` and the escape mean themselves. */
const patternsOf = (filter: AssetFilter): Record<string, string> =>
  Object.fromEntries(
    wordsOf(filter).map((word, at) => [`word_${at}`, `%${word.replace(/[\\%_]/g, "\\$&")}%`]),
  );

type Tables = Session["t"];

const equals =
  (name: keyof AssetFilter & keyof Tables["assets"]) =>
  ({ assets }: Tables): SQL =>
    eq(assets[name], sql.placeholder(name));

/** The condition of each filter. */
const filters: Record<keyof Omit<AssetFilter, "task">, (tables: Tables, page: AssetFilter) => SQL> = {
  project: equals("project"),
  status: equals("status"),
  kind: equals("kind"),
  issue: equals("issue"),
  pr: equals("pr"),
  sha256: equals("sha256"),
  file_sha256: hasFile,
  set: equals("set"),
  query: hasWords,
  versions: ({ assets }) => ne(assets.status, "superseded"),
};
const filterNames = Object.keys(filters) as (keyof typeof filters)[];

/** It, or a file of its bundle, has this hash. Not `or`, for which Postgres would read every asset. */
function hasFile({ assets, bundle_files }: Tables): SQL {
  const hash = sql.placeholder("file_sha256");
  return sql`${assets.id} in (select ${assets.id} from ${assets} where ${assets.sha256} = ${hash}
    union all select ${bundle_files.asset} from ${bundle_files} where ${bundle_files.sha256} = ${hash})`;
}

/** Filters with few distinct values, each with an index in list order. */
const indexedFilters = ["project", "kind", "status"] as const;
const listOrder = ["waiting", "created_at", "id"] as const;

/** The first sort column: pending assets come first. */
export const waitingOf = ({ status }: Pick<AssetRow, "status">): number => (status === "pending" ? 1 : 0);

type Values = Record<string, unknown> & { limit: number };
type Query<R> = (values: Values) => Promise<R[]>;

/** All columns except those that only serve the list. */
export function rowColumns({ t: { assets } }: Session) {
  const { waiting: _, wire: __, ...columns } = getTableColumns(assets);
  return columns;
}

/** An asset of the list. `wire` is null in rows older than that column. */
export type StoredRendering = Omit<RenderedAsset, "wire"> & { wire: string | null };

/** Returns a reader of pages, with one prepared statement for each combination of filters. */
export function assetPages(
  session: Session,
): (projects: Projects, page: AssetPage) => Promise<StoredRendering[]> {
  const built = new Cache<string, Query<StoredRendering>>({ max: shapesMax, bytesOf: boundedByCount });
  return async (projects, given) => {
    const page = withTaskNumber(given);
    const { after, order, ...filter } = page;
    const values = {
      ...filter,
      ...patternsOf(filter),
      ...(after && { waiting: waitingOf(after), created_at: after.created_at, id: after.id }),
    };
    if (projects) return buildPage(session, page, inArray(session.t.assets.project, [...projects]))(values);
    const shape = [...filterNames, "after" as const].filter((field) => page[field] !== undefined);
    return built.getOrMake([...shape, order, wordsOf(page).length].join(), () => buildPage(session, page))(
      values,
    );
  };
}

function buildPage(session: Session, page: AssetPage, visible?: SQL): Query<StoredRendering> {
  const { assets } = session.t;
  const { id, status, created_at, key, has_thumb, thumb_format, bundle_index, wire } = assets;
  const isByTitle = page.order === "title";
  const field =
    session.dialect.name === "postgres" && !isByTitle && !page.sha256 && !page.file_sha256 && !page.set
      ? indexedFilters.find((name) => page[name] !== undefined)
      : undefined;
  const conditions = filterNames
    .filter((name) => name !== field && page[name] !== undefined)
    .map((name) => filters[name](session.t, page));
  // A range on (filter, waiting) makes Postgres use the index of the filter. With an equality it may scan the
  // whole list from the newest row when the value is frequent.
  if (field)
    for (const bound of [sql`>= (${sql.placeholder(field)}, 0)`, sql`<= (${sql.placeholder(field)}, 1)`])
      conditions.push(sql`(${assets[field]}, ${assets.waiting}) ${bound}`);
  const isReversed = page.order === "oldest";
  const order = [...(field ? [field] : []), ...listOrder];
  // One comparison of row values, so that the index seeks to the position.
  if (page.after && isByTitle)
    conditions.push(sql`${byTitle(session.t)} > (select ${titleOf(session.t)}, ${id} from ${assets}
      where ${id} = ${sql.placeholder("id")})`);
  else if (page.after) {
    const position = tuple(order.map((name) => sql.placeholder(name)));
    conditions.push(
      sql`${tuple(order.map((name) => assets[name]))} ${sql.raw(isReversed ? ">" : "<")} ${position}`,
    );
  }
  const query = session.db
    .select({ id, status, created_at, key, has_thumb, thumb_format, bundle_index, wire })
    .from(assets)
    .where(and(...conditions, visible))
    .orderBy(
      ...(isByTitle
        ? [titleOf(session.t), asc(id)]
        : order.map((name) => (isReversed ? asc : desc)(assets[name]))),
    )
    .limit(sql.placeholder("limit"))
    .prepare();
  return session.dialect.reader<StoredRendering>(session.db, query, assets);
}

const titleOf = ({ assets }: Tables): SQL => sql`lower(${assets.title})`;
const byTitle = (tables: Tables): SQL => tuple([titleOf(tables), sql`${tables.assets.id}`]);

const byId = preparedStatement((session) => {
  const { assets } = session.t;
  const query = session.db
    .select(rowColumns(session))
    .from(assets)
    .where(eq(assets.id, sql.placeholder("id")))
    .limit(sql.placeholder("limit"))
    .prepare();
  return session.dialect.reader<AssetRow>(session.db, query, assets);
});

const fileColumns = [
  ...(["project", "key", "filename", "mime", "kind", "size", "sha256"] as const),
  ...(["has_thumb", "thumb_format", "bundle_index", "public_url"] as const),
] satisfies (keyof AssetFile)[];

const fileById = preparedStatement((session) => {
  const { assets } = session.t;
  const query = session.db
    .select(Object.fromEntries(fileColumns.map((name) => [name, assets[name]])))
    .from(assets)
    .where(eq(assets.id, sql.placeholder("id")))
    .limit(sql.placeholder("limit"))
    .prepare();
  return session.dialect.reader<AssetFile>(session.db, query, assets);
});

/** Only what a request for a file needs: a quarter of the columns of `assetById`, and of its time. */
export async function assetFileById(session: Session, id: string): Promise<AssetFile | null> {
  const [row] = await fileById(session)({ id, limit: 1 });
  return row ?? null;
}

/** Null for an unknown id. */
export async function assetById(session: Session, id: string): Promise<AssetRow | null> {
  const [row] = await byId(session)({ id, limit: 1 });
  return row ?? null;
}
