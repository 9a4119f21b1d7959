/** The asset library: rows of assets, reservations of uploads. */
import { and, asc, desc, eq, getTableColumns, inArray, isNotNull, lte, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Reads, Writes } from "../src/data.ts";
import type { AssetChange, AssetRow } from "../src/rows.ts";
import { cellsOf, type Limited, plainRows } from "./plain.ts";
import { prepared } from "./prepared.ts";
import type { Session } from "./session.ts";

type AssetReads = Pick<Reads, "asset" | "versions" | "assets" | "upload" | "keptAssets" | "expiredAssets" | "expiredUploads">;

const filterable = ["project", "status", "kind", "issue", "pr", "sha256"] as const;
/** Those that many assets share, with an index in the order of the list. */
const led = ["project", "kind", "status"] as const;
const listOrder = ["waiting", "created_at", "id"] as const;
const tuple = (parts: SQLWrapper[]): SQL =>
  sql`(${sql.join(
    parts.map((part) => sql`${part}`),
    sql`, `,
  )})`;
const waitingOf = ({ status }: Pick<AssetRow, "status">): number => (status === "pending" ? 1 : 0);

export function assetReads(session: Session): AssetReads {
  const { db, t } = session;
  const { assets, uploads } = t;
  const shown = shownColumns(session);
  return {
    async asset(projects, id) {
      const [row] = await byId(session)({ id, limit: 1 });
      return row && (projects === null || projects.includes(row.project)) ? row : null;
    },
    versions: (rootId) => db.select(shown).from(assets).where(eq(assets.root_id, rootId)).orderBy(asc(assets.version)),
    assets: pagesOf(session),
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
    expiredAssets: (now, limit) =>
      db
        .select(shown)
        .from(assets)
        .where(and(lte(assets.expires_at, now), isNotNull(assets.key)))
        .limit(limit),
    expiredUploads: (before, limit) => db.select().from(uploads).where(lte(uploads.expires_at, before)).limit(limit),
  };
}

/** Everything but what is there for the order of the list alone. */
function shownColumns({ t: { assets } }: Session) {
  const { waiting: _, ...columns } = getTableColumns(assets);
  return columns;
}

type Page = Parameters<Reads["assets"]>[1];
type Values = Record<string, unknown> & { limit: number };
type Run = (values: Values) => Promise<AssetRow[]>;

/** Pages of the list, by statements that are built once for each set of filters: building one takes longer than running it. */
function pagesOf(session: Session): Reads["assets"] {
  const built = new Map<string, Run>();
  return async (projects, page) => {
    const { after, ...filter } = page;
    const values = { ...filter, ...(after && { waiting: waitingOf(after), created_at: after.created_at, id: after.id }) };
    if (projects) return buildPage(session, page, inArray(session.t.assets.project, [...projects]))(values);
    const shape = [...filterable, "after" as const].filter((field) => page[field] !== undefined).join();
    let run = built.get(shape);
    if (!run) built.set(shape, (run = buildPage(session, page)));
    return run(values);
  };
}

function buildPage(session: Session, page: Page, more?: SQL): Run {
  const { assets } = session.t;
  const field = session.dialect === "postgres" && !page.sha256 ? led.find((one) => page[one] !== undefined) : undefined;
  const conditions: (SQL | undefined)[] = filterable
    .filter((one) => one !== field && page[one] !== undefined)
    .map((one) => eq(assets[one], sql.placeholder(one)));
  // As in `stretch`: Postgres would look for what is frequent among all, from the newest on.
  if (field)
    for (const bound of [sql`>= (${sql.placeholder(field)}, 0)`, sql`<= (${sql.placeholder(field)}, 1)`])
      conditions.push(sql`(${assets[field]}, ${assets.waiting}) ${bound}`);
  const order = [...(field ? [field] : []), ...listOrder];
  // One comparison of all, so that an index finds the place.
  if (page.after) conditions.push(sql`${tuple(order.map((one) => assets[one]))} < ${tuple(order.map((one) => sql.placeholder(one)))}`);
  const query = session.db
    .select(shownColumns(session))
    .from(assets)
    .where(and(...conditions, more))
    .orderBy(...order.map((one) => desc(assets[one])))
    .limit(sql.placeholder("limit"))
    .prepare();
  return runnerOf(session, query);
}

const byId = prepared((session) => {
  const { assets } = session.t;
  const query = session.db
    .select(shownColumns(session))
    .from(assets)
    .where(eq(assets.id, sql.placeholder("id")))
    .limit(sql.placeholder("limit"))
    .prepare();
  return runnerOf(session, query);
});

function runnerOf(session: Session, query: Limited & { execute(values: Values): Promise<AssetRow[]> }): Run {
  if (session.dialect === "postgres") return (values) => query.execute(values);
  const all = plainRows<Record<string, unknown>>(session, query);
  const read = cellsOf(session.t.assets);
  return async (values) => all(values).map(read);
}

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
