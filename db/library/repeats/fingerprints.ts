/** What files look like, and which rejected ones of a chain, title, or task a new file may repeat. */
import { and, asc, desc, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import type { Micros } from "../../../src/core/lib/time.ts";
import type { LibraryReads, LibraryWrites } from "../../../src/library/port.ts";
import type { AssetRow } from "../../../src/library/rows.ts";
import type { Session } from "../../engine/session.ts";
import { rowColumns } from "../assets/asset-pages.ts";

export function fingerprintReads(session: Session) {
  const { db, t } = session;
  const { assets, fingerprints } = t;
  const { asset, project, root_id, title, issue, pr, picture, words, rejected_at } = fingerprints;
  const newest = (condition: SQL | undefined, limit: number) =>
    db
      .select({ id: asset, picture, words, rejected_at })
      .from(fingerprints)
      .where(and(condition, isNotNull(rejected_at)))
      .orderBy(desc(rejected_at))
      .limit(limit);
  return {
    async rejectedFiles(scope, limit) {
      const ofProject = eq(project, scope.project);
      const conditions = [
        scope.root_id === null ? null : eq(root_id, scope.root_id),
        and(eq(title, scope.title), ofProject),
        scope.issue === null ? null : and(eq(issue, scope.issue), ofProject),
        scope.pr === null ? null : and(eq(pr, scope.pr), ofProject),
      ];
      const found = new Map<string, Awaited<ReturnType<typeof newest>>[number]>();
      for (const condition of conditions)
        if (condition) for (const row of await newest(condition, limit)) found.set(row.id, row);
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

export const fingerprintWrites = ({ db, t: { fingerprints } }: Session) =>
  ({
    async addFingerprint({ id, project, root_id, title, issue, pr }, found) {
      const row = { asset: id, project, root_id, title, issue, pr, ...found, rejected_at: null, waiting: 0 };
      await db.insert(fingerprints).values(row).onConflictDoNothing();
    },
    async saveFingerprint(asset, found) {
      await db
        .update(fingerprints)
        .set({ ...found, waiting: 0 })
        .where(eq(fingerprints.asset, asset));
    },
  }) satisfies Partial<LibraryWrites>;

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
  }: Pick<AssetRow, "id" | "project" | "root_id" | "title" | "issue" | "pr">,
  rejected_at: Micros | null,
): Promise<void> {
  if (rejected_at === null)
    return void (await db.update(fingerprints).set({ rejected_at }).where(eq(fingerprints.asset, id)));
  const row = { asset: id, project, root_id, title, issue, pr, picture: null, words: null, waiting: 1 };
  await db
    .insert(fingerprints)
    .values({ ...row, rejected_at })
    .onConflictDoUpdate({ target: fingerprints.asset, set: { rejected_at } });
}
