/** Annotations: reviewers' marks on versions of assets, and replies to them. */

import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  inArray,
  isNotNull,
  isNull,
  ne,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { rankOf } from "../../../src/library/annotations/rank.ts";
import type { AnnotationRow } from "../../../src/library/annotations/rows.ts";
import type { LibraryReads, LibraryWrites } from "../../../src/library/port.ts";
import type { AnnotationScope } from "../../../src/library/rows.ts";
import type { Session } from "../../engine/session.ts";
import { elements, preparedShapes, preparedStatement } from "../../query/statements.ts";

/** Literals: a partial index serves only conditions that are known when the query is planned. */
const isUnsettled = ({ t: { annotations } }: Session): SQL =>
  sql`${isNull(annotations.parent_id)} and ${annotations.state} in ('open', 'addressed')`;

const selectUnsettled = preparedShapes((session, isLater: boolean) => {
  const { annotations } = session.t;
  const { chain, rank, n } = annotations;
  const after = sql`(${rank}, ${n}) > (${sql.placeholder("rank")}, ${sql.placeholder("n")})`;
  return session.db
    .select(columnsOf(session))
    .from(annotations)
    .where(and(eq(chain, sql.placeholder("chain")), isUnsettled(session), isLater ? after : undefined))
    .orderBy(asc(rank), asc(n))
    .limit(sql.placeholder("limit"))
    .prepare();
});

export function annotationReads(session: Session) {
  const { db, t } = session;
  const { annotations } = t;
  const columns = columnsOf(session);
  const within = (scope: AnnotationScope): SQL =>
    "chain" in scope ? eq(annotations.chain, scope.chain) : eq(annotations.asset_id, scope.asset_id);
  return {
    async annotation(projects, id) {
      const [row] = await db.select(columns).from(annotations).where(eq(annotations.id, id));
      return row && (projects === null || projects.includes(row.project)) ? parseAnnotation(row) : null;
    },
    async annotationByNumber(chain, n) {
      const [row] = await db
        .select(columns)
        .from(annotations)
        .where(and(eq(annotations.chain, chain), eq(annotations.n, n), isNull(annotations.parent_id)));
      return row ? parseAnnotation(row) : null;
    },
    async annotations(scope, reader, { limit, after }) {
      const { n, id, state } = annotations;
      const visible = or(ne(state, "draft"), reader === null ? undefined : eq(annotations.reader, reader));
      const rows = await db
        .select(columns)
        .from(annotations)
        .where(and(within(scope), visible, after && sql`(${n}, ${id}) > (${after.n}, ${after.id})`))
        .orderBy(asc(n), asc(id))
        .limit(limit);
      return rows.map(parseAnnotation);
    },
    async unsettledAnnotations(chain, { limit, after }) {
      const rows = await selectUnsettled(session, after !== undefined).execute({ chain, limit, ...after });
      return rows.map(parseAnnotation);
    },
    countUnsettled: (chain) =>
      db.$count(annotations, and(eq(annotations.chain, chain), isUnsettled(session))),
    async annotationReplies(parents, limit) {
      if (parents.length === 0) return [];
      const rows = await db
        .select(columns)
        .from(annotations)
        .where(and(inArray(annotations.parent_id, [...parents]), ne(annotations.state, "draft")))
        // An expression, so that the planner does not walk the primary key instead of the few replies.
        .orderBy(desc(sql`${annotations.id} || ''`))
        .limit(limit);
      return rows.reverse().map(parseAnnotation);
    },
    ...briefReads(session),
  } satisfies Partial<LibraryReads>;
}

export function annotationWrites({ db, t }: Session) {
  const { annotations } = t;
  const stored = (row: AnnotationRow) => ({
    ...row,
    rank: rankOf(row),
    target: row.target === null ? null : JSON.stringify(row.target),
  });
  return {
    async addAnnotation(row) {
      await db.insert(annotations).values(stored(row));
    },
    async changeAnnotation(row, change) {
      const { id, ...values } = stored({ ...row, ...change });
      await db.update(annotations).set(values).where(eq(annotations.id, id));
    },
    async removeAnnotation(id) {
      await db.delete(annotations).where(eq(annotations.id, id));
    },
    async annotationCounts({ asset_id, chain }) {
      const [count, [last]] = await Promise.all([
        db.$count(annotations, eq(annotations.asset_id, asset_id)),
        db
          .select({ n: annotations.n })
          .from(annotations)
          .where(eq(annotations.chain, chain))
          .orderBy(desc(annotations.n))
          .limit(1),
      ]);
      return { count, n: last?.n ?? 0 };
    },
    async publishDrafts(assetId, reader, { by, at }) {
      const opened = await db
        .update(annotations)
        .set({ state: "open", state_by: by, state_at: at })
        .where(
          and(
            eq(annotations.asset_id, assetId),
            eq(annotations.state, "draft"),
            eq(annotations.reader, reader),
          ),
        )
        .returning({ id: annotations.id });
      return opened.length;
    },
    async endUrgency(chain) {
      await db
        .update(annotations)
        .set({ urgent_at: null })
        .where(and(eq(annotations.chain, chain), sql`${annotations.urgent_at} is not null`));
    },
  } satisfies Partial<LibraryWrites>;
}

const selectUrgent = preparedStatement((session) => {
  const { annotations, assets } = session.t;
  const { id, title, version, status, issue, task, pr } = assets;
  return session.db
    .select({ ...columnsOf(session), asset: { id, title, version, status, issue, task, pr } })
    .from(annotations)
    .innerJoin(assets, eq(id, annotations.asset_id))
    .where(and(eq(annotations.project, sql.placeholder("project")), isNotNull(annotations.urgent_at)))
    .orderBy(desc(annotations.urgent_at))
    .limit(sql.placeholder("limit"))
    .prepare();
});

const listed = (session: Session, name: string): SQL =>
  sql`select value from ${elements(session.dialect, sql.placeholder(name))}`;

const selectChains = preparedStatement((session) => {
  const { id, root_id } = session.t.assets;
  return session.db
    .select({ of: id, chain: root_id })
    .from(session.t.assets)
    .where(session.dialect.isIn(id, listed(session, "ids")))
    .prepare();
});

const selectRetired = preparedStatement((session) => {
  const { chain, state, urgent_at, parent_id } = session.t.annotations;
  const isRetired = or(sql`${state} in ('honoured', 'withdrawn')`, isNotNull(urgent_at));
  return session.db
    .select(columnsOf(session))
    .from(session.t.annotations)
    .where(and(session.dialect.isIn(chain, listed(session, "chains")), isNull(parent_id), isRetired))
    .limit(sql.placeholder("limit"))
    .prepare();
});

/** What briefs and reports of usage read of annotations. */
function briefReads(session: Session) {
  return {
    async urgentAnnotations(project, limit) {
      const rows = await selectUrgent(session).execute({ project, limit });
      return rows.map((row) => ({
        ...parseAnnotation(row),
        urgent_at: row.urgent_at as number, // safe because: the condition
        asset: row.asset,
      }));
    },
    async retiredAnnotations(ids, limit) {
      if (ids.length === 0) return [];
      const versions = await selectChains(session).execute({ ids: JSON.stringify(ids) });
      const chains = JSON.stringify([...new Set(versions.map(({ chain }) => chain))]);
      const rows = await selectRetired(session).execute({ chains, limit });
      return versions.flatMap(({ of, chain }) =>
        rows.filter((row) => row.chain === chain).map((row) => ({ ...parseAnnotation(row), of })),
      );
    },
  } satisfies Partial<LibraryReads>;
}

/** The columns of annotations, and how their rows are read. */
type StoredAnnotation = Omit<AnnotationRow, "target"> & { target: string | null };

/** The row with its target parsed. */
const parseAnnotation = (row: StoredAnnotation): AnnotationRow => ({
  ...row,
  target: row.target === null ? null : JSON.parse(row.target),
});

/** All columns except the one that only sorts lists. */
function columnsOf({ t: { annotations } }: Session) {
  const { rank: _, ...columns } = getTableColumns(annotations);
  return columns;
}
