/** What files look like, and which rejected ones of a chain, title, or task a new file may repeat. */
import { and, asc, desc, eq, getTableColumns, isNotNull, sql } from "drizzle-orm";
import type { Micros } from "../../../src/core/lib/time.ts";
import type { LibraryReads, LibraryWrites } from "../../../src/library/port.ts";
import { textTypes } from "../../../src/library/repeats/schema.ts";
import type { AssetRow } from "../../../src/library/rows.ts";
import type { Session } from "../../engine/session.ts";
import { placeholders, preparedShapes, preparedWrite } from "../../query/statements.ts";
import { rowColumns } from "../assets/asset-pages.ts";

const scopes = ["root_id", "title", "issue", "pr"] as const;

/** A chain has one project. */
const selectNewest = preparedShapes(({ db, t: { fingerprints } }, scope: (typeof scopes)[number]) => {
  const { asset, project, picture, words, rejected_at } = fingerprints;
  const ofProject = scope === "root_id" ? undefined : eq(project, sql.placeholder("project"));
  return db
    .select({ id: asset, picture, words, rejected_at })
    .from(fingerprints)
    .where(and(eq(fingerprints[scope], sql.placeholder(scope)), ofProject, isNotNull(rejected_at)))
    .orderBy(desc(rejected_at))
    .limit(sql.placeholder("limit"))
    .prepare();
});

const insertFingerprint = preparedWrite(({ db, t: { fingerprints } }) =>
  db
    .insert(fingerprints)
    .values(
      placeholders(Object.keys(getTableColumns(fingerprints))) as unknown as typeof fingerprints.$inferInsert,
    )
    .onConflictDoNothing()
    .prepare(),
);

export function fingerprintReads(session: Session) {
  const { db, t } = session;
  const { assets, fingerprints } = t;
  const { asset } = fingerprints;
  return {
    async rejectedFiles(given, limit) {
      const found = new Map<
        string,
        Awaited<ReturnType<ReturnType<typeof selectNewest>["execute"]>>[number]
      >();
      for (const scope of scopes) {
        if (given[scope] === null) continue;
        const rows = await selectNewest(session, scope).execute({ ...given, limit });
        for (const row of rows) found.set(row.id, row);
      }
      return [...found.values()].sort((a, b) => Number(b.rejected_at) - Number(a.rejected_at));
    },
    dueFingerprints: (limit) =>
      db
        .select(rowColumns(session))
        .from(fingerprints)
        .innerJoin(assets, eq(assets.id, asset))
        .where(eq(fingerprints.waiting, sql`1`))
        .orderBy(asc(asset))
        .limit(limit),
  } satisfies Partial<LibraryReads>;
}

export function fingerprintWrites(session: Session) {
  const { db, t } = session;
  const { fingerprints } = t;
  return {
    async addFingerprint({ id, project, root_id, title, issue, pr }, picture) {
      const of = { asset: id, project, root_id, title, issue, pr };
      await insertFingerprint(session)({ ...of, picture, words: null, rejected_at: null, waiting: 0 });
    },
    async saveFingerprint(asset, found) {
      await db
        .update(fingerprints)
        .set({ ...found, waiting: 0 })
        .where(eq(fingerprints.asset, asset));
    },
  } satisfies Partial<LibraryWrites>;
}

/** Records that the newest review of an asset rejected it, or no longer does. */
export async function recordRejection(
  { db, t: { fingerprints } }: Session,
  {
    id,
    project,
    root_id,
    title,
    issue,
    pr,
    mime,
  }: Pick<AssetRow, "id" | "project" | "root_id" | "title" | "issue" | "pr" | "mime">,
  rejected_at: Micros | null,
): Promise<void> {
  if (rejected_at === null)
    return void (await db.update(fingerprints).set({ rejected_at }).where(eq(fingerprints.asset, id)));
  const row = { asset: id, project, root_id, title, issue, pr, picture: null, words: null, waiting: 1 };
  const { words } = fingerprints;
  const waiting = sql`case when ${words} is null then 1 else ${fingerprints.waiting} end`;
  const renewed = textTypes.test(mime) ? { waiting } : {};
  await db
    .insert(fingerprints)
    .values({ ...row, rejected_at })
    .onConflictDoUpdate({ target: fingerprints.asset, set: { rejected_at, ...renewed } });
}
