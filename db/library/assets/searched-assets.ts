/** What a search of assets reads: the ids of its list, from indexes alone, and the assets that it does not know. */
import { desc, eq, type SQL, sql } from "drizzle-orm";
import { renderAsset } from "../../../src/library/assets/rendered-asset.ts";
import type { LibraryReads } from "../../../src/library/port.ts";
import type { AssetRow, SearchedAsset } from "../../../src/library/rows.ts";
import type { Session } from "../../engine/session.ts";
import { elements, pipeline, preparedShapes, preparedStatement } from "../../query/statements.ts";
import { assetById, type StoredRendering } from "./asset-pages.ts";

export const searchedAssetReads = (session: Session) =>
  ({
    async newestAssetIds({ project, limit }) {
      if (project !== undefined)
        return (await newestOf(session, "project")({ project, limit }))
          .filter(({ status }) => status !== "superseded")
          .map(({ id }) => id);
      // The index of all assets lacks the status. The superseded ones of the list are the newest of them.
      const [newest, superseded] = await pipeline([
        newestOf(session, "all")({ limit }),
        newestOf(session, "superseded")({ status: "superseded", limit }),
      ]);
      const old = new Set(superseded.map(({ id }) => id));
      return newest.map(({ id }) => id).filter((id) => !old.has(id));
    },
    searchedAssets: async (ids) =>
      ids.length === 0 ? [] : searchedColumns(session)({ ids: JSON.stringify(ids), limit: ids.length }),
    async assetsById(ids) {
      if (ids.length === 0) return [];
      const rows = await renderings(session)({ ids: JSON.stringify(ids), limit: ids.length });
      const render = async (id: string) => renderAsset((await assetById(session, id)) as AssetRow);
      return Promise.all(rows.map(async (row) => ({ ...row, wire: row.wire ?? (await render(row.id)) })));
    },
  }) satisfies Partial<LibraryReads>;

const newestOf = preparedShapes((session, which: "all" | "superseded" | "project") => {
  const { assets } = session.t;
  const { id, status, project } = assets;
  const query = session.db
    .select(which === "project" ? { id, status } : { id })
    .from(assets)
    .where(
      {
        all: undefined,
        superseded: eq(status, sql.placeholder("status")),
        project: eq(project, sql.placeholder("project")),
      }[which],
    )
    .orderBy(desc(assets.waiting), desc(assets.created_at), desc(id))
    .limit(sql.placeholder("limit"))
    .prepare();
  return session.dialect.reader<Pick<AssetRow, "id" | "status">>(session.db, query);
});

const hasListedId = ({ t: { assets }, dialect }: Session): SQL =>
  dialect.isIn(sql`${assets.id}`, sql`select value from ${elements(dialect, sql.placeholder("ids"))}`);

const searchedColumns = preparedStatement((session) => {
  const { assets } = session.t;
  const { id, project, title, description, set, key } = assets;
  const tags = sql<string>`cast(${assets.tags} as text)`.as("tags");
  const query = session.db
    .select({ id, project, title, description, set, key, tags })
    .from(assets)
    .where(hasListedId(session))
    .limit(sql.placeholder("limit"))
    .prepare();
  return session.dialect.reader<SearchedAsset>(session.db, query);
});

const renderings = preparedStatement((session) => {
  const { assets } = session.t;
  const { id, status, created_at, key, has_thumb, thumb_format, bundle_index, wire } = assets;
  const query = session.db
    .select({ id, status, created_at, key, has_thumb, thumb_format, bundle_index, wire })
    .from(assets)
    .where(hasListedId(session))
    .limit(sql.placeholder("limit"))
    .prepare();
  return session.dialect.reader<StoredRendering>(session.db, query, assets);
});
