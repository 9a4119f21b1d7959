/** Statements of every brief, built once for each connection: that takes longer than running them. */
import { and, asc, desc, eq, getTableColumns, isNotNull, isNull, sql } from "drizzle-orm";
import type { Session } from "../engine/session.ts";
import { elements, preparedShapes, preparedStatement } from "../query/statements.ts";
import { decisionColumns, historyColumns } from "./decision-pages.ts";

const currentOf = ({ project, valid_until }: Session["t"]["decisions"]) =>
  and(eq(project, sql.placeholder("project")), isNull(valid_until));

/** Of few rows, which their own index has: SQLite would read that of all current decisions of the projects. */
const inProjects = ({ dialect, t }: Session, isOfAll: boolean) =>
  isOfAll
    ? undefined
    : dialect.isIn(
        dialect.unindexed(t.decisions.project),
        sql`select value from ${elements(dialect, sql.placeholder("projects"))}`,
      );

const anchorColumns = ({ anchors, anchors_at, gone_at }: Session["t"]["decisions"]) => ({
  anchors: sql<string>`${anchors}`,
  anchors_at,
  gone_at,
});

export const selectChecked = preparedStatement(({ db, t: { decisions } }) =>
  db
    .select(decisionColumns(decisions))
    .from(decisions)
    .where(
      and(
        currentOf(decisions),
        isNotNull(decisions.checks), // the condition of the index
        // With a parameter SQLite compiles it again each time, in case the value is that of an index.
        sql`${decisions.standing} = 'confirmed'`,
      ),
    )
    .orderBy(desc(decisions.id))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

export const selectProposed = preparedShapes((session, isOfAll: boolean) => {
  const { decisions } = session.t;
  return session.db
    .select(decisionColumns(decisions))
    .from(decisions)
    .where(
      and(
        sql`${decisions.standing} = 'proposed'`, // the condition of the index
        isNull(decisions.valid_until),
        inProjects(session, isOfAll),
      ),
    )
    .orderBy(desc(decisions.valid_from), desc(decisions.id))
    .limit(sql.placeholder("limit"))
    .prepare();
});

export const selectHeld = preparedShapes((session, isOfAll: boolean) => {
  const { decisions } = session.t;
  return session.db
    .select({ ...historyColumns(decisions), held_at: sql<number>`${decisions.held_at}` })
    .from(decisions)
    .where(and(isNotNull(decisions.held_at), inProjects(session, isOfAll)))
    .orderBy(sql`${session.dialect.unindexed(decisions.id)} desc`) // few are held: by their own index
    .limit(sql.placeholder("limit"))
    .prepare();
});

export const selectGone = preparedShapes((session, isOfAll: boolean) => {
  const { decisions } = session.t;
  return session.db
    .select({ ...decisionColumns(decisions), ...anchorColumns(decisions) })
    .from(decisions)
    .where(
      and(
        isNotNull(decisions.gone_at), // the condition of the index
        isNull(decisions.valid_until),
        sql`${decisions.standing} = 'confirmed'`,
        inProjects(session, isOfAll),
      ),
    )
    .orderBy(desc(decisions.gone_at), desc(decisions.id))
    .limit(sql.placeholder("limit"))
    .prepare();
});

export const selectContradictions = preparedStatement(({ db, t: { decisions } }) =>
  db
    .select({ id: decisions.id, contradicts: sql<string>`${decisions.contradicts}` })
    .from(decisions)
    .where(and(currentOf(decisions), isNotNull(decisions.contradicts)))
    .orderBy(desc(decisions.id))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

export const selectAnchors = preparedStatement(({ db, t: { decisions } }) =>
  db
    .select({ id: decisions.id, valid_from: decisions.valid_from, ...anchorColumns(decisions) })
    .from(decisions)
    .where(and(currentOf(decisions), isNotNull(decisions.anchors)))
    .orderBy(desc(decisions.id))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

export const selectPreferences = preparedStatement(({ db, t: { preferences } }) =>
  db
    .select(preferenceColumns(preferences))
    .from(preferences)
    .where(
      // The expression of the index.
      and(
        sql`coalesce(${preferences.project}, '') in ('', ${sql.placeholder("project")})`,
        isNull(preferences.valid_until),
      ),
    )
    .orderBy(asc(preferences.key), sql`${preferences.project} is null`)
    .prepare(),
);

export const selectSuperseded = preparedStatement(({ db, t: { decisions } }) => {
  const { id, project, supersedes, valid_until } = decisions;
  const newer = db
    .select({ id, supersedes })
    .from(decisions)
    .where(and(eq(project, sql.placeholder("project")), isNull(valid_until), isNotNull(supersedes)))
    .as("newer");
  return db
    .select({ ...decisionColumns(decisions), by: newer.id })
    .from(newer)
    .innerJoin(decisions, eq(id, newer.supersedes))
    .prepare();
});

/** The columns of a PreferenceRow. */
export function preferenceColumns(preferences: Session["t"]["preferences"]) {
  const { valid_until: _, supersedes: __, ...columns } = getTableColumns(preferences);
  return columns;
}
