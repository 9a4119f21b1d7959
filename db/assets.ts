/** The asset library: rows of assets, reservations of uploads. */
import { and, asc, desc, eq, inArray, isNotNull, lte, type SQL, sql } from "drizzle-orm";
import type { Reads, Writes } from "../src/data.ts";
import type { AssetChange, AssetRow } from "../src/rows.ts";
import type { Session } from "./session.ts";

type AssetReads = Pick<Reads, "asset" | "versions" | "assets" | "upload" | "keptAssets" | "expiredAssets" | "expiredUploads">;

const filterable = ["project", "status", "kind", "issue", "pr", "sha256"] as const;
const waitingOf = ({ status }: Pick<AssetRow, "status">): number => (status === "pending" ? 1 : 0);

export function assetReads({ db, t: { assets, uploads } }: Session): AssetReads {
  return {
    async asset(projects, id) {
      const [row] = await db.select().from(assets).where(eq(assets.id, id));
      return row && (projects === null || projects.includes(row.project)) ? toAsset(row) : null;
    },
    async versions(rootId) {
      const rows = await db.select().from(assets).where(eq(assets.root_id, rootId)).orderBy(asc(assets.version));
      return rows.map(toAsset);
    },
    async assets(projects, { limit, after, ...filter }) {
      const conditions: (SQL | undefined)[] = filterable
        .filter((field) => filter[field] !== undefined)
        .map((field) => eq(assets[field], filter[field] as string));
      if (projects) conditions.push(inArray(assets.project, [...projects]));
      // One comparison of the three, so that an index finds the place.
      if (after)
        conditions.push(
          sql`(${assets.waiting}, ${assets.created_at}, ${assets.id}) < (${waitingOf(after)}, ${after.created_at}, ${after.id})`,
        );
      const rows = await db
        .select()
        .from(assets)
        .where(and(...conditions))
        .orderBy(desc(assets.waiting), desc(assets.created_at), desc(assets.id))
        .limit(limit);
      return rows.map(toAsset);
    },
    async upload(id) {
      const [row] = await db.select().from(uploads).where(eq(uploads.id, id));
      return row ?? null;
    },
    async keptAssets(ids, where) {
      if (ids.length === 0) return new Set();
      const rows = await db
        .select({ id: assets.id })
        .from(assets)
        .where(and(inArray(assets.id, ids), isNotNull(assets[where])));
      return new Set(rows.map((row) => row.id));
    },
    async expiredAssets(now, limit) {
      const rows = await db
        .select()
        .from(assets)
        .where(and(lte(assets.expires_at, now), isNotNull(assets.key)))
        .limit(limit);
      return rows.map(toAsset);
    },
    expiredUploads: (before, limit) => db.select().from(uploads).where(lte(uploads.expires_at, before)).limit(limit),
  };
}

type Row = Session["t"]["assets"]["$inferSelect"];
const toAsset = ({ waiting: _, ...row }: Row): AssetRow => row;

export function assetWrites({
  db,
  t: { assets, uploads },
}: Session): Pick<Writes, "addUpload" | "fillUpload" | "removeUpload" | "addAsset" | "changeAsset"> {
  return {
    async addUpload(upload) {
      await db.insert(uploads).values(upload);
    },
    async fillUpload(id, { size, sha256 }) {
      await db.update(uploads).set({ size, sha256 }).where(eq(uploads.id, id));
    },
    async removeUpload(id) {
      await db.delete(uploads).where(eq(uploads.id, id));
    },
    async addAsset(asset) {
      const added = await db
        .insert(assets)
        .values({ ...asset, waiting: waitingOf(asset) })
        .onConflictDoNothing({ target: assets.id })
        .returning({ id: assets.id });
      return added.length > 0;
    },
    async changeAsset(id, change: AssetChange) {
      await db
        .update(assets)
        .set({ ...change, ...(change.status && { waiting: waitingOf({ status: change.status }) }) })
        .where(eq(assets.id, id));
    },
  };
}
