/** Pages of decisions, newest first: of one project, of several, or of all. */
import { and, desc, getTableColumns, gt, isNotNull, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import type { Projects } from "../../src/core/rows.ts";
import type { MemoryReads } from "../../src/memory/port.ts";
import type { ConfirmedDecision, DecisionHistoryRow, DecisionRow } from "../../src/memory/rows.ts";
import type { Session } from "../engine/session.ts";
import { elements, literalCount, preparedStatement, tuple } from "../query/statements.ts";
import { isOfReview } from "./set-ref.ts";

type Page = Parameters<MemoryReads["decisions"]>[1];
type Decisions = Session["t"]["decisions"];

/** The columns of a DecisionRow. */
export function decisionColumns(decisions: Decisions) {
  const {
    valid_until: _,
    supersedes: __,
    contradicts: ___,
    anchors: ____,
    anchors_at: _____,
    gone_at: ______,
    held_at: _______,
    ...columns
  } = getTableColumns(decisions);
  return columns;
}

/** The columns of a DecisionHistoryRow. */
export const historyColumns = (decisions: Decisions) => ({
  ...decisionColumns(decisions),
  valid_until: decisions.valid_until,
  supersedes: decisions.supersedes,
});

/**
 * Reads a page as a range of one index. The pages of several projects are merged from the first rows of each.
 */
export async function decisionPage(
  session: Session,
  projects: Projects,
  page: Page,
): Promise<DecisionHistoryRow[]> {
  const { db, dialect, t } = session;
  const { valid_from, id } = t.decisions;
  const [only, ...more] = new Set(projects ?? []);
  if (projects !== null && only === undefined) return [];
  // As Today reads them.
  if (projects === null && page.status === "current" && page.asOf === undefined && !page.after)
    return newestDecisions(session)({ limit: page.limit });
  const rangeOf = (project: SQL) => rangeOfProject(t.decisions, project, page);
  const range =
    projects === null
      ? { where: and(isBefore([valid_from, id], [], page), hasStatus(t.decisions, page)), order: [] }
      : more.length === 0
        ? rangeOf(sql`${only}`)
        : null;
  const query = db.select(historyColumns(t.decisions)).from(t.decisions);
  const newestFirst = [desc(valid_from), desc(id)];
  if (range)
    return query
      .where(range.where)
      .orderBy(...range.order, ...newestFirst)
      .limit(page.limit);
  const { where, order } = rangeOf(sql`lists.value`);
  const head = sql`select ${id} from ${t.decisions} where ${where}
    order by ${sql.join([...order, ...newestFirst], sql`, `)} limit ${literalCount(page.limit)}`;
  const lists = sql`(select value from ${elements(dialect, [only as string, ...more])}) as lists`;
  return query
    .where(dialect.isIn(id, dialect.forEachRow(lists, ["id"], head)))
    .orderBy(...newestFirst)
    .limit(page.limit);
}

/** The current decisions of all projects, newest first. */
const newestDecisions = preparedStatement((session) => {
  const { db, dialect, t } = session;
  const { decisions } = t;
  const { valid_from, id } = decisions;
  const page = { status: "current" } as const;
  const query = db
    .select(historyColumns(decisions))
    .from(decisions)
    .where(and(isBefore([valid_from, id], [], page), hasStatus(decisions, page)))
    .orderBy(desc(valid_from), desc(id))
    .limit(sql.placeholder("limit"))
    .prepare();
  return dialect.reader<DecisionHistoryRow>(db, query, decisions);
});

/** A prepared read of current decisions of a project, newest first. */
const ofProject = <Row>(
  columnsOf: (decisions: Decisions) => Columns,
  condition?: (decisions: Decisions) => SQL,
) =>
  preparedStatement((session) => {
    const { db, dialect, t } = session;
    const { decisions } = t;
    const project = sql`${sql.placeholder("project")}`;
    const { where, order } = rangeOfProject(decisions, project, { status: "current" });
    const query = db
      .select(columnsOf(decisions))
      .from(decisions)
      .where(and(where, condition?.(decisions)))
      .orderBy(...order, desc(decisions.valid_from), desc(decisions.id))
      .limit(sql.placeholder("limit"))
      .prepare();
    return dialect.reader<Row>(db, query, decisions);
  });

type Columns = Partial<ReturnType<typeof historyColumns>>;

export const currentDecisions = ofProject<DecisionRow>(decisionColumns);

/** With the columns that a brief shows: it reads hundreds of rows. */
export const confirmedDecisions = ofProject<ConfirmedDecision>(
  ({ id, valid_from, actor, text }) => ({ id, valid_from, actor, text }),
  (decisions) => sql`not ${isOfReview(decisions)} and ${decisions.standing} = 'confirmed'`,
);

/**
 * The range of a project, as a comparison of row values: for an equality Postgres could choose the index of
 * all projects and skip the decisions of the others.
 */
function rangeOfProject(
  decisions: Decisions,
  slug: SQL,
  page: Omit<Page, "limit">,
): { where: SQL | undefined; order: SQL[] } {
  const { project, valid_from, id } = decisions;
  return {
    where: and(
      isBefore([project, valid_from, id], [slug], page),
      sql`${tuple([project, valid_from])} >= ${tuple([slug, 0])}`,
      hasStatus(decisions, page),
    ),
    order: [desc(project)],
  };
}

const last = Number.MAX_SAFE_INTEGER;

/** The rows after the page's position that had begun at `asOf`. */
function isBefore(
  columns: readonly unknown[],
  leading: readonly SQL[],
  { asOf = last, after }: Omit<Page, "limit">,
): SQL {
  const [ts, id] = after && after.valid_from <= asOf ? [after.valid_from, after.id] : [asOf, last];
  return sql`${tuple(columns)} < ${tuple([...leading, ts, id])}`;
}

function hasStatus({ valid_until }: Decisions, { status, asOf }: Omit<Page, "limit">): SQL | undefined {
  if (status === "all") return undefined;
  if (asOf === undefined) return status === "current" ? isNull(valid_until) : isNotNull(valid_until);
  return status === "current" ? or(isNull(valid_until), gt(valid_until, asOf)) : lte(valid_until, asOf);
}
