/** Open review requests, and the reviewers that they ask. */

import { and, asc, eq, getTableColumns, isNull, lte, ne, or, type SQL, sql } from "drizzle-orm";
import type { Projects } from "../../../src/core/rows.ts";
import type { LibraryReads, LibraryWrites } from "../../../src/library/port.ts";
import type { ListedReviewRequest, ReviewRequestRow, ReviewState } from "../../../src/library/rows.ts";
import type { Session } from "../../engine/session.ts";
import { isOfReview, setRefOf } from "../../memory/set-ref.ts";
import { elements, preparedShapes, preparedStatement } from "../../query/statements.ts";
import { rejectionReads } from "../verdicts/verdicts.ts";

/** The reviewer that stands for everyone who can review. */
export const everyone = "";

/** All columns except the one that only sorts lists. */
function columnsOf({ t: { review_requests } }: Session) {
  const { sort_at: _, ...columns } = getTableColumns(review_requests);
  return columns;
}

type StoredRequest = Omit<ReviewRequestRow, "reviewers"> & { reviewers: string };

const parse = <R extends StoredRequest>(row: R): Omit<R, "reviewers"> & { reviewers: string[] } => ({
  ...row,
  reviewers: JSON.parse(row.reviewers),
});

/** The assets of a list, bound as one parameter. */
const listed = ({ dialect, t: { assets } }: Session): SQL =>
  dialect.isIn(assets.id, sql`select value from ${elements(dialect, sql.placeholder("ids"))}`);

/** Current decisions that name an asset at the time of its review: its own and that of its set. */
const decisionsMax = 2;

/** Every call that waits reads these, again and again (`bun run bench agents`). */
const readStates = preparedStatement((session) => {
  const { db, dialect, t } = session;
  const { assets, decisions } = t;
  const { id, status, sha256, reviewed_by, reviewed_at, review_note, project, kind } = assets;
  // A rejection and its decision have the same time, so this is one seek in `decisions_rejections`.
  const decisionOfReview = and(
    isOfReview(decisions),
    eq(decisions.project, project),
    eq(decisions.valid_from, reviewed_at),
    or(eq(decisions.source_ref, id), eq(decisions.source_ref, setRefOf("assets"))),
    isNull(decisions.valid_until),
  );
  const query = db
    .select({
      id,
      project,
      kind,
      status,
      sha256,
      reviewed_by,
      reviewed_at,
      note: sql<string | null>`${review_note}`.as("note"),
      decision_id: sql<number | null>`${decisions.id}`.mapWith(decisions.id).as("decision_id"),
      source_ref: decisions.source_ref,
    })
    .from(assets)
    .leftJoin(decisions, decisionOfReview)
    .where(listed(session))
    .limit(sql.placeholder("limit"));
  return dialect.reader<ReviewState & { source_ref: string | null }>(db, query.prepare());
});

const readSettled = preparedStatement((session) => {
  const { db, dialect, t } = session;
  const { id, status, reviewed_at } = t.assets;
  const query = db
    .select({ id, status, reviewed_at })
    .from(t.assets)
    .where(and(listed(session), ne(status, "pending")))
    .limit(sql.placeholder("limit"));
  return dialect.reader<Pick<ReviewState, "id" | "status" | "reviewed_at">>(db, query.prepare());
});

const selectRequest = preparedStatement((session) => {
  const { review_requests: requests } = session.t;
  return session.db
    .select(columnsOf(session))
    .from(requests)
    .where(eq(requests.asset, sql.placeholder("asset")))
    .prepare();
});

export function reviewRequestReads(session: Session) {
  const { db, t } = session;
  const { review_requests: requests } = t;
  return {
    settledReviews: (ids) => readSettled(session)({ ids: JSON.stringify(ids), limit: ids.length }),
    async reviewStates(projects, ids) {
      const found = await readStates(session)({ ids: JSON.stringify(ids), limit: ids.length * decisionsMax });
      const rows = found.filter(({ project }) => projects === null || projects.includes(project));
      // A variant with annotations has two decisions: its own counts, not that of its set.
      const isOwn = (row: (typeof rows)[number]) => Number(row.source_ref === row.id);
      const byId = new Map(rows.toSorted((a, b) => isOwn(a) - isOwn(b)).map((row) => [row.id, row]));
      return withLaterWords(
        session,
        [...byId.values()].map(({ source_ref: _, ...state }) => state),
      );
    },
    async reviewRequest(asset) {
      const [row] = await selectRequest(session).execute({ asset });
      return row ? parse(row) : null;
    },
    async reviewRequests(projects, { of, dueBefore, limit }) {
      const ids = of && (await askedOf(session, projects, of, limit));
      if (ids?.length === 0) return [];
      const among = ids ?? projects;
      const select = selectListed(session, ids ? "asset" : projects ? "project" : "all");
      const until = dueBefore === undefined ? Number.MAX_SAFE_INTEGER : dueBefore - 1;
      const rows = await select({ among: JSON.stringify(among), until, limit });
      return rows.map(parse);
    },
    async dueReviewReminders(now, limit) {
      const rows = await db
        .select(columnsOf(session))
        .from(requests)
        .where(lte(requests.remind_at, now))
        .orderBy(asc(requests.remind_at))
        .limit(limit);
      return rows.map(parse);
    },
  } satisfies Partial<LibraryReads>;
}

/** Where the decision of a review has ended, the one with its later words, if a person has changed them. */
async function withLaterWords(session: Session, states: ReviewState[]): Promise<ReviewState[]> {
  const { rejectionDecisions } = rejectionReads(session);
  const rejected = ["rejected", "superseded"];
  const isEnded = ({ status, decision_id, reviewed_at }: ReviewState) =>
    rejected.includes(status) && decision_id === null && reviewed_at !== null;
  const byProject = Map.groupBy(states.filter(isEnded), ({ project }) => project);
  const found = await Promise.all(
    [...byProject].map(([project, ended]) => {
      const timeOf = ({ id, reviewed_at }: ReviewState) => ({ id, set: null, reviewed_at: reviewed_at ?? 0 });
      return rejectionDecisions(project, ended.map(timeOf));
    }),
  );
  const current = found.flat().filter(({ valid_until }) => valid_until === null);
  return states.map((state) => ({
    ...state,
    decision_id: state.decision_id ?? current.find(({ source_ref }) => source_ref === state.id)?.id ?? null,
  }));
}

/** The requests of pending assets: of all, of these assets, or in these projects. */
const selectListed = preparedShapes((session, of: "all" | "asset" | "project") => {
  const { db, dialect, t } = session;
  const { review_requests: requests, assets } = t;
  const { title, version, set, id, waiting } = assets;
  const among = sql`select value from ${elements(dialect, sql.placeholder("among"))}`;
  const query = db
    .select({ ...columnsOf(session), title, version, set })
    .from(requests)
    // An expression, so that the planner does not start from the index of pending assets.
    .innerJoin(assets, and(eq(id, requests.asset), eq(sql`${waiting} + 0`, 1)))
    .where(
      and(
        of === "all" ? undefined : dialect.isIn(requests[of], among),
        lte(requests.sort_at, sql.placeholder("until")),
      ),
    )
    .orderBy(asc(requests.sort_at), asc(requests.asset))
    .limit(sql.placeholder("limit"));
  return dialect.reader<StoredRequest & Pick<ListedReviewRequest, "title" | "version" | "set">>(
    db,
    query.prepare(),
  );
});

/** The assets that these reviewers or everyone are asked about: one range of an index for each of them. */
async function askedOf(
  session: Session,
  projects: Projects,
  of: readonly string[],
  limit: number,
): Promise<string[]> {
  const select = selectAsked(session, projects === null);
  const values = { projects: JSON.stringify(projects), limit };
  const ranges = await Promise.all(
    [...new Set([...of, everyone])].map((reviewer) => select({ ...values, reviewer })),
  );
  return [...new Set(ranges.flat().map(({ asset }) => asset))];
}

const selectAsked = preparedShapes((session, isOfAll: boolean) => {
  const { db, dialect, t } = session;
  const { asset, project, reviewer, sort_at } = t.requested_reviewers;
  const projects = sql`select value from ${elements(dialect, sql.placeholder("projects"))}`;
  const query = db
    .select({ asset })
    .from(t.requested_reviewers)
    .where(
      and(
        eq(reviewer, sql.placeholder("reviewer")),
        isOfAll ? undefined : sql`${dialect.unindexed(project)} in (${projects})`,
      ),
    )
    .orderBy(asc(sort_at), asc(asset))
    .limit(sql.placeholder("limit"));
  return dialect.reader<{ asset: string }>(db, query.prepare());
});

export function reviewRequestWrites({ db, t }: Session) {
  const { review_requests: requests, requested_reviewers: reviewers } = t;
  const removeReviewRequest = async (asset: string) => {
    await db.delete(reviewers).where(eq(reviewers.asset, asset));
    await db.delete(requests).where(eq(requests.asset, asset));
  };
  return {
    async saveReviewRequest({ reviewers: names, ...request }) {
      const { asset, project } = request;
      const sort_at = request.due_at ?? Number.MAX_SAFE_INTEGER;
      await removeReviewRequest(asset);
      await db.insert(requests).values({ ...request, reviewers: JSON.stringify(names), sort_at });
      const rows = names.length > 0 ? names : [everyone];
      await db.insert(reviewers).values(rows.map((reviewer) => ({ reviewer, project, sort_at, asset })));
    },
    removeReviewRequest,
    async recordReviewReminder(asset, at, next) {
      await db
        .update(requests)
        .set({ reminders: sql`${requests.reminders} + 1`, reminded_at: at, remind_at: next })
        .where(eq(requests.asset, asset));
    },
  } satisfies Partial<LibraryWrites>;
}
