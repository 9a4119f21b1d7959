/** The asset library. */

import {
  and,
  asc,
  count,
  eq,
  getTableColumns,
  inArray,
  isNotNull,
  isNull,
  lte,
  max,
  ne,
  sql,
} from "drizzle-orm";
import { renderAsset } from "../../../src/library/assets/rendered-asset.ts";
import type { LibraryReads, LibraryWrites } from "../../../src/library/port.ts";
import type { AssetChange, AssetRow, RenderedAsset } from "../../../src/library/rows.ts";
import { setRef } from "../../../src/memory/set-ref.ts";
import type { Session } from "../../engine/session.ts";
import { isOfReview } from "../../memory/set-ref.ts";
import { preparedStatement } from "../../query/statements.ts";
import { recordRejection } from "../repeats/fingerprints.ts";
import { assetById, assetFileById, assetPages, rowColumns, waitingOf } from "./asset-pages.ts";

const selectVersions = preparedStatement((session) => {
  const { assets } = session.t;
  return session.db
    .select(rowColumns(session))
    .from(assets)
    .where(eq(assets.root_id, sql.placeholder("root")))
    .orderBy(asc(assets.version))
    .prepare();
});

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
    versions: async (root) => selectVersions(session).execute({ root }),
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
      if (change.status === "rejected") await recordRejection(session, row, changed.reviewed_at);
      else if (change.status !== undefined && change.status !== "superseded")
        await recordRejection(session, row, null);
    },
  } satisfies Partial<LibraryWrites>;
}

/** Variant sets. */
export const variantSetReads = (session: Session) =>
  ({
    async setStatuses(project, sets) {
      const { assets } = session.t;
      if (sets.length === 0) return [];
      const rows = await session.db
        .select({
          set: assets.set,
          status: assets.status,
          count: count(),
          reviewed_at: max(assets.reviewed_at),
        })
        .from(assets)
        .where(
          and(inArray(assets.set, [...sets]), eq(assets.project, project), ne(assets.status, "superseded")),
        )
        .groupBy(assets.set, assets.status);
      return rows.map((row) => ({
        ...row,
        set: row.set as string,
        count: Number(row.count),
        reviewed_at: row.reviewed_at === null ? null : Number(row.reviewed_at),
      }));
    },
    variants(project, set, limit) {
      const { assets } = session.t;
      return session.db
        .select(rowColumns(session))
        .from(assets)
        .where(and(eq(assets.set, set), eq(assets.project, project), ne(assets.status, "superseded")))
        .orderBy(asc(assets.created_at), asc(assets.id))
        .limit(limit);
    },
    async decisionOfSet(project, set) {
      const { decisions } = session.t;
      const [row] = await session.db
        .select({ id: decisions.id, text: decisions.text })
        .from(decisions)
        .where(
          and(
            eq(decisions.project, project),
            isNull(decisions.valid_until),
            isOfReview(decisions),
            eq(decisions.source_ref, setRef(set)),
          ),
        );
      return row ?? null;
    },
  }) satisfies Partial<LibraryReads>;
