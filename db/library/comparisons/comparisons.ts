/** What changed in pending assets against the versions that were approved last. */
import { and, asc, desc, eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import { keyNumber } from "../../../src/core/task-key.ts";
import type { PictureChange } from "../../../src/files/probe/likeness/schema.ts";
import type { LibraryReads, LibraryWrites } from "../../../src/library/port.ts";
import type { Session } from "../../engine/session.ts";
import { placeholders, preparedStatement, preparedWrite } from "../../query/statements.ts";
import { rowColumns } from "../assets/asset-pages.ts";

const filterNames = ["id", "project", "kind", "issue", "pr", "set", "run_id"] as const;

const selectApprovedVersion = preparedStatement((session) => {
  const { assets, verdicts } = session.t;
  /** A version that was replaced keeps the time of its review, and its verdicts. */
  const approval = sql`select 1 from ${verdicts} where ${verdicts.asset} = ${assets.id}
    and ${verdicts.decision} = 'approved' and ${verdicts.at} = ${assets.reviewed_at}`;
  const isApproved: SQL = sql`(${assets.status} in ('approved', 'published')
    or (${assets.status} = 'superseded' and exists (${approval})))`;
  const isEarlier = sql`${assets.version} < ${sql.placeholder("version")}`;
  return session.db
    .select(rowColumns(session))
    .from(assets)
    .where(and(eq(assets.root_id, sql.placeholder("root_id")), isEarlier, isApproved))
    .orderBy(desc(assets.version))
    .limit(1)
    .prepare();
});

const selectApprovedNamesake = preparedStatement((session) => {
  const { assets } = session.t;
  const named = (["project", "title", "kind"] as const).map((name) =>
    eq(assets[name], sql.placeholder(name)),
  );
  // As its index `assets_approved_title` has it: with parameters, SQLite would read all files of the title.
  const isApproved = sql`${assets.status} in ('approved', 'published')`;
  return session.db
    .select(rowColumns(session))
    .from(assets)
    .where(and(...named, isApproved, sql`${assets.id} <> ${sql.placeholder("id")}`))
    .orderBy(desc(assets.created_at), desc(assets.id))
    .limit(1)
    .prepare();
});

const insertComparison = preparedWrite(({ db, t: { comparisons } }) =>
  db
    .insert(comparisons)
    .values(
      placeholders(Object.keys(getTableColumns(comparisons))) as unknown as typeof comparisons.$inferInsert,
    )
    .prepare(),
);

export function comparisonReads(session: Session) {
  const { db, t } = session;
  const { assets, comparisons } = t;
  const columns = rowColumns(session);
  return {
    async pendingComparisons(projects, given, limit) {
      const { task = null, ...named } = given;
      const filter = task === null ? named : { ...named, issue: keyNumber(task) };
      const { id, title, created_at } = assets;
      const { base, change, signature, waiting, failures } = comparisons;
      const rows = await db
        .select({ id, title, base, change, signature, waiting, failures })
        .from(assets)
        .leftJoin(comparisons, eq(comparisons.asset, id))
        .where(
          and(
            eq(assets.waiting, 1),
            projects ? inArray(assets.project, [...projects]) : undefined,
            ...filterNames.map((name) =>
              filter[name] === undefined ? undefined : sql`${assets[name]} = ${filter[name]}`,
            ),
          ),
        )
        .orderBy(desc(created_at), desc(id))
        .limit(limit);
      return rows.map(({ change, waiting, failures, ...row }) => ({
        ...row,
        failures: Number(failures),
        change: change === null ? null : (JSON.parse(change) as PictureChange),
        isWaiting: Number(waiting) === 1,
      }));
    },
    dueComparisons: (limit) =>
      db
        .select(columns)
        .from(comparisons)
        .innerJoin(assets, eq(assets.id, comparisons.asset))
        .where(eq(comparisons.waiting, sql`1`))
        .orderBy(asc(comparisons.created_at), asc(comparisons.asset))
        .limit(limit),
    async approvedBefore({ id, root_id, version, project, title, kind }) {
      if (version > 1) {
        const [before] = await selectApprovedVersion(session).execute({ root_id, version });
        if (before) return before;
      }
      const [namesake] = await selectApprovedNamesake(session).execute({ project, title, kind, id });
      return namesake ?? null;
    },
  } satisfies Partial<LibraryReads>;
}

/** The columns that one begins with. */
const unknown = { base: null, change: null, signature: null, failures: 0 };

export function comparisonWrites(session: Session) {
  const { db, t } = session;
  const { assets, comparisons } = t;
  return {
    async addComparison({ id, project, created_at }, known) {
      const waiting = known === null ? 1 : 0;
      await insertComparison(session)({ ...unknown, ...known, waiting, asset: id, project, created_at });
    },
    async saveComparison(asset, { base, change, signature, hasFailed }) {
      const failures = hasFailed ? sql`${comparisons.failures} + 1` : sql`0`;
      await db
        .update(comparisons)
        .set({ base, change: change && JSON.stringify(change), signature, waiting: 0, failures })
        .where(eq(comparisons.asset, asset));
    },
    async renewComparisons(project, title) {
      const pending = db
        .select({ id: assets.id })
        .from(assets)
        .where(and(eq(assets.project, project), eq(assets.title, title), eq(assets.waiting, 1)));
      await db.update(comparisons).set({ waiting: 1 }).where(inArray(comparisons.asset, pending));
    },
    async retryComparisons(assets) {
      await db
        .update(comparisons)
        .set({ waiting: 1 })
        .where(inArray(comparisons.asset, [...assets]));
    },
  } satisfies Partial<LibraryWrites>;
}
