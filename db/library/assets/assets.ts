/** The asset library. */

import { and, asc, eq, getTableColumns, inArray, isNotNull, lte } from "drizzle-orm";
import { renderAsset } from "../../../src/library/assets/rendered-asset.ts";
import type { LibraryReads, LibraryWrites } from "../../../src/library/port.ts";
import type { AssetChange, AssetRow, RenderedAsset } from "../../../src/library/rows.ts";
import type { Session } from "../../engine/session.ts";
import { preparedStatement } from "../../query/prepared-statement.ts";
import { assetById, assetFileById, assetPages, rowColumns, waitingOf } from "./asset-pages.ts";

export function assetReads(session: Session) {
  const { db, t } = session;
  const { assets } = t;
  const columns = rowColumns(session);
  const pages = assetPages(session);
  return {
    async asset(projects, id) {
      const row = await assetById(session, id);
      return row && (projects === null || projects.includes(row.project)) ? row : null;
    },
    assetFile: (id) => assetFileById(session, id),
    versions: (rootId) =>
      db.select(columns).from(assets).where(eq(assets.root_id, rootId)).orderBy(asc(assets.version)),
    async assets(projects, page) {
      const rows = await pages(projects, page);
      for (const row of rows) row.wire ??= renderAsset((await assetById(session, row.id)) as AssetRow);
      return rows as RenderedAsset[];
    },
    async assetsWithFile(ids, where) {
      if (ids.length === 0) return new Set();
      const rows = await db
        .select({ id: assets.id })
        .from(assets)
        .where(and(inArray(assets.id, ids), isNotNull(assets[where])));
      return new Set(rows.map((row) => row.id));
    },
    expiredAssets: (now, limit) =>
      db
        .select(columns)
        .from(assets)
        .where(and(lte(assets.expires_at, now), isNotNull(assets.key)))
        .limit(limit),
  } satisfies Partial<LibraryReads>;
}

const assetInserter = preparedStatement(({ db, dialect, t: { assets } }) => ({
  // safe because: these are its columns
  columns: Object.keys(getTableColumns(assets)) as (keyof typeof assets.$inferSelect)[],
  insert: dialect.inserter(db, assets),
}));

export function assetWrites(session: Session) {
  const { db, t } = session;
  const { assets } = t;
  return {
    async addAsset(asset) {
      if (await assetFileById(session, asset.id)) return false;
      const { columns, insert } = assetInserter(session);
      const row = {
        ...asset,
        waiting: waitingOf(asset),
        wire: renderAsset(asset),
        has_thumb: Number(asset.has_thumb),
        tags: JSON.stringify(asset.tags),
        repeats: asset.repeats && JSON.stringify(asset.repeats),
      };
      await insert([columns.map((name) => row[name])]);
      return true;
    },
    async changeAsset(id, change: AssetChange) {
      const row = await assetById(session, id);
      if (!row) return;
      const changed = { ...row, ...change };
      await db
        .update(assets)
        .set({ ...change, waiting: waitingOf(changed), wire: renderAsset(changed) })
        .where(eq(assets.id, id));
    },
  } satisfies Partial<LibraryWrites>;
}
