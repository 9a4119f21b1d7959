/** Verdicts, review policies, checklists, and the decisions of rejections. */

import { and, asc, desc, eq, getTableColumns, inArray, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { AssetKind } from "../../../src/library/assets/schema.ts";
import type { LibraryReads, LibraryWrites } from "../../../src/library/port.ts";
import type { RejectionRow, ReviewPolicyRow, VerdictRow } from "../../../src/library/rows.ts";
import type { DecisionHistoryRow } from "../../../src/memory/rows.ts";
import { isDecisionOf, setOfRef } from "../../../src/memory/set-ref.ts";
import type { Session } from "../../engine/session.ts";
import { historyColumns } from "../../memory/decision-pages.ts";
import { isOfReview, setRefOf } from "../../memory/set-ref.ts";
import { elements, preparedShapes, preparedStatement } from "../../query/statements.ts";

const selectVerdicts = preparedStatement(({ db, dialect, t: { verdicts } }) => {
  const { is_open: _, ...columns } = getTableColumns(verdicts);
  const assets = sql`select value from ${elements(dialect, sql.placeholder("assets"))}`;
  return db
    .select(columns)
    .from(verdicts)
    .where(dialect.isIn(verdicts.asset, assets))
    .orderBy(asc(verdicts.at), asc(verdicts.voter))
    .prepare();
});

const selectApprovals = preparedStatement(({ db, t: { verdicts } }) => {
  const { asset, project, voter, decision } = verdicts;
  return db
    .select({ asset, project })
    .from(verdicts)
    .where(and(eq(voter, sql.placeholder("name")), sql`is_open`, eq(decision, "approved")))
    .limit(sql.placeholder("limit"))
    .prepare();
});

export const verdictReads = (session: Session) =>
  ({
    async verdicts(assets) {
      if (assets.length === 0) return [];
      const rows = await selectVerdicts(session).execute({ assets: JSON.stringify(assets) });
      return rows.map(
        ({ checklist, ...row }): VerdictRow => ({
          ...row,
          checklist: checklist === null ? null : JSON.parse(checklist),
        }),
      );
    },
    openApprovals: async (name, limit) => selectApprovals(session).execute({ name, limit }),
  }) satisfies Partial<LibraryReads>;

export function verdictWrites(session: Session) {
  const { db, t } = session;
  const { verdicts } = t;
  return {
    async saveVerdict({ checklist, ...verdict }) {
      const change = {
        ...verdict,
        checklist: checklist && JSON.stringify(checklist),
        is_open: true,
      };
      await db
        .insert(verdicts)
        .values(change)
        .onConflictDoUpdate({ target: [verdicts.asset, verdicts.voter], set: change });
    },
    async setVerdictsOpen(asset, isOpen) {
      await db.update(verdicts).set({ is_open: isOpen }).where(eq(verdicts.asset, asset));
    },
  } satisfies Partial<LibraryWrites>;
}

/** Review policies: one for each project and kind that has one. */
type StoredPolicy = Omit<ReviewPolicyRow, "need"> & { need: string };

const parse = ({ need, ...row }: StoredPolicy): ReviewPolicyRow => ({ ...row, need: JSON.parse(need) });

/** Every wait for a review reads them. */
const selectPolicies = preparedShapes(({ db, dialect, t }, shape: "all" | "listed") => {
  const { review_policies: policies } = t;
  const { project, kind } = policies;
  const list = sql`select value from ${elements(dialect, sql.placeholder("list"))}`;
  const query = db
    .select()
    .from(policies)
    .where(shape === "all" ? undefined : dialect.isIn(project, list))
    .orderBy(asc(project), asc(kind))
    .limit(sql.placeholder("limit"));
  return dialect.reader<StoredPolicy>(db, query.prepare());
});

const selectPolicy = preparedStatement(({ db, t: { review_policies: policies } }) =>
  db
    .select()
    .from(policies)
    .where(and(eq(policies.project, sql.placeholder("project")), eq(policies.kind, sql.placeholder("kind"))))
    .prepare(),
);

export const policyReads = (session: Session) =>
  ({
    async reviewPolicies(projects, limit) {
      const list = projects && JSON.stringify(projects);
      const rows = await selectPolicies(session, projects === null ? "all" : "listed")({ list, limit });
      return rows.map(parse);
    },
    async reviewPolicy(project, kind) {
      const [row] = await selectPolicy(session).execute({ project, kind });
      return row ? parse(row) : null;
    },
  }) satisfies Partial<LibraryReads>;

export const policyWrites = ({ db, t: { review_policies: policies } }: Session) =>
  ({
    async saveReviewPolicy({ need, ...policy }) {
      const row = { ...policy, need: JSON.stringify(need) };
      await db
        .insert(policies)
        .values(row)
        .onConflictDoUpdate({ target: [policies.project, policies.kind], set: row });
    },
    async removeReviewPolicy(project: string, kind: AssetKind) {
      await db.delete(policies).where(and(eq(policies.project, project), eq(policies.kind, kind)));
    },
  }) satisfies Partial<LibraryWrites>;

const selectChecklist = preparedShapes(({ db, t: { checklists } }, isNewest: boolean) =>
  db
    .select()
    .from(checklists)
    .where(
      and(
        eq(checklists.project, sql.placeholder("project")),
        eq(checklists.kind, sql.placeholder("kind")),
        isNewest ? undefined : eq(checklists.version, sql.placeholder("version")),
      ),
    )
    .orderBy(desc(checklists.version))
    .limit(1)
    .prepare(),
);

/** Checklists, with all their versions. */
export const checklistReads = (session: Session) =>
  ({
    async checklist(project, kind, version) {
      const select = selectChecklist(session, version === undefined);
      const [row] = await select.execute({ project, kind, version });
      return row ? { ...row, items: JSON.parse(row.items) } : null;
    },
  }) satisfies Partial<LibraryReads>;

export const checklistWrites = ({ db, t: { checklists } }: Session) =>
  ({
    async addChecklist({ items, ...checklist }) {
      await db.insert(checklists).values({ ...checklist, items: JSON.stringify(items) });
    },
  }) satisfies Partial<LibraryWrites>;

/** The decisions that rejections became, with the assets that they are about. */
export const rejectionReads = (session: Session) => {
  const {
    db,
    t: { decisions },
  } = session;
  return {
    async rejections(project, task, limit) {
      const rows = await selectRejections(session, task !== undefined)({ project, task, limit });
      return rows.map(toRejection);
    },
    async rejectionDecisions(project, reviews) {
      if (reviews.length === 0) return [];
      // The index has the time of a decision, which is that of the review, but not its source.
      const rows = await db
        .select(historyColumns(decisions))
        .from(decisions)
        .where(
          and(
            eq(decisions.project, project),
            inArray(
              decisions.valid_from,
              reviews.map(({ reviewed_at }) => reviewed_at),
            ),
          ),
        );
      return withRewordings(
        session,
        rows.filter((row) => reviews.some((review) => isDecisionOf(row, review))),
      );
    },
  } satisfies Partial<LibraryReads>;
};

const selectRejections = preparedShapes(({ db, dialect, t: { assets, decisions } }, isOfTask: boolean) => {
  const { id, valid_from, actor, text, source_ref } = decisions;
  const { title, version, status, issue, task, pr } = assets;
  const asset = { asset_id: sql`${assets.id}`.as("asset_id"), title, version, status, issue, task, pr };
  const query = db
    .select({ id, valid_from, actor, text, source_ref, ...asset })
    .from(decisions)
    .leftJoin(assets, and(eq(assets.id, source_ref), eq(assets.project, decisions.project)))
    .where(
      and(
        eq(decisions.project, sql.placeholder("project")),
        isNull(decisions.valid_until),
        isOfReview(decisions),
        isOfTask ? dialect.isIn(source_ref, refsOfTask(dialect)) : undefined,
      ),
    )
    .orderBy(desc(valid_from), desc(id))
    .limit(sql.placeholder("limit"));
  return dialect.reader<StoredRejection>(db, query.prepare());
});

/** What decisions about assets of a task refer to: these, and their sets. To join all rejections takes longer. */
function refsOfTask(dialect: Session["dialect"]): SQL {
  const isOfTask = sql`a.issue = ${sql.placeholder("task")}
    and ${dialect.unindexed(sql`a.project`)} = ${sql.placeholder("project")}`;
  return sql`select a.id from assets as a where ${isOfTask} union all
    select ${setRefOf("a")} from assets as a where a."set" is not null and ${isOfTask}`;
}

type StoredRejection = Omit<RejectionRow, "asset"> &
  Omit<NonNullable<RejectionRow["asset"]>, "id"> & { asset_id: string | null };

const toRejection = (row: StoredRejection): RejectionRow =>
  Object.assign(row, { asset: row.asset_id === null ? null : { ...row, id: row.asset_id } });

/** The decisions of rejections, and those that hold their later words. A set's is written again instead. */
async function withRewordings(
  { db, t: { decisions } }: Session,
  rows: readonly DecisionHistoryRow[],
): Promise<DecisionHistoryRow[]> {
  const isEnded = ({ valid_until, source_ref }: DecisionHistoryRow) =>
    valid_until !== null && setOfRef(source_ref) === null;
  const { supersedes } = decisions;
  const all = [...rows];
  for (let ended = rows.filter(isEnded); ended.length > 0; ) {
    const ids = ended.map(({ id }) => id);
    const later = await db
      .select(historyColumns(decisions))
      .from(decisions)
      // Not null, for Postgres to use the partial index.
      .where(and(isNotNull(supersedes), inArray(supersedes, ids), isOfReview(decisions)));
    all.push(...later);
    ended = later.filter(isEnded);
  }
  return all;
}
