/**
 * For each kind of memory, the columns that a search returns and its conditions. Their values are bound by
 * placeholders.
 */
import { and, type Column, eq, gt, gte, inArray, isNull, lt, lte, ne, or, type SQL, sql } from "drizzle-orm";
import type { SearchHit, SearchQuery } from "../../../src/memory/rows.ts";
import type { MemoryKind } from "../../../src/memory/schema.ts";
import { reviewSource } from "../../../src/memory/set-ref.ts";
import type { Dialect } from "../../dialect/dialect.ts";
import type { Session } from "../../engine/session.ts";
import { elements } from "../../query/statements.ts";
import { reviewedAsset } from "./decision-documents.ts";

/** `projects` limits a search to these projects; absent means all. */
export type SourceQuery = SearchQuery & { projects?: readonly string[] };

/** Conditions that a search may have. Their placeholders have the same names; `projects` is bound as JSON. */
export const optionalConditions = ["project", "projects", "model", "asOf", "from", "until"] as const;

/** A row as the database returns it. */
export type SourceRow = Omit<SearchHit, "kind">;

type OfDecision = "standing" | "gone_at";

interface Source {
  table: Session["t"]["decisions" | "preferences" | "notes" | "guidance" | "events"];
  columns: Record<Exclude<keyof SourceRow, "event" | OfDecision>, unknown> & {
    [name in OfDecision]?: unknown;
  };
  conditions: (SQL | undefined)[];
}

const nullColumn = sql`null`;
const emptyColumn = sql`''`;

/** The columns that what is valid for a time has under the same names. */
function commonColumns(table: Session["t"]["decisions" | "preferences" | "notes"]) {
  const { id, project, actor, valid_from, valid_until } = table;
  return { id, project, actor, valid_from, valid_until };
}

export const sources: Record<MemoryKind, (session: Session, query: SourceQuery) => Source> = {
  decision(session, query) {
    const { decisions } = session.t;
    const { project, text, source, source_ref, standing, gone_at } = decisions;
    const common = { ...commonColumns(decisions), ...reviewedAsset(session) };
    const { reviews } = query;
    return {
      table: decisions,
      columns: { ...common, text, source, source_ref, standing, gone_at },
      conditions: [
        isValid(decisions, query),
        isInProjects(session.dialect, project, query),
        reviews === undefined ? undefined : reviews ? eq(source, reviewSource) : ne(source, reviewSource),
      ],
    };
  },
  preference({ t: { preferences }, dialect }, query) {
    const { project, key: head, value: text, source, source_ref } = preferences;
    return {
      table: preferences,
      columns: { ...commonColumns(preferences), head, about: emptyColumn, text, source, source_ref },
      conditions: [
        isValid(preferences, query),
        or(isNull(project), isInProjects(dialect, project, query) ?? sql`true`),
      ],
    };
  },
  note({ t: { notes }, dialect }, query) {
    const { project, title: head, text, asset: source_ref } = notes;
    const source = sql`'review'`;
    return {
      table: notes,
      columns: { ...commonColumns(notes), head, about: emptyColumn, text, source, source_ref },
      conditions: [isValid(notes, query), isInProjects(dialect, project, query)],
    };
  },
  guidance({ t: { guidance } }, query) {
    const { id, path, text, source, model, refreshed_at } = guidance;
    const fields = {
      source,
      source_ref: model,
      actor: source,
      valid_from: refreshed_at,
      valid_until: nullColumn,
    };
    return {
      table: guidance,
      columns: {
        id,
        project: nullColumn,
        head: sql`cast(${path} as text)`,
        about: emptyColumn,
        text,
        ...fields,
      },
      conditions: [
        existedThen(refreshed_at, query),
        query.model === undefined ? undefined : eq(model, sql.placeholder("model")),
      ],
    };
  },
  event({ t: { events }, dialect }, query) {
    const { id, project, kind, actor, ts, wire } = events;
    const fields = { source: kind, source_ref: nullColumn, actor, valid_from: ts, valid_until: nullColumn };
    return {
      table: events,
      columns: { id, project, head: emptyColumn, about: emptyColumn, text: wire, ...fields },
      conditions: [existedThen(ts, query), isInProjects(dialect, project, query)],
    };
  },
};

type Times = Record<"valid_from" | "valid_until", Column>;

const asOf = sql.placeholder("asOf");

/** The condition that a row is valid now, or was valid as of the given time. */
const isValid = ({ valid_from, valid_until }: Times, query: SourceQuery): SQL | undefined =>
  and(
    query.asOf === undefined
      ? isNull(valid_until)
      : and(lte(valid_from, asOf), or(isNull(valid_until), gt(valid_until, asOf))),
    isOfTime(valid_from, query),
  );

const existedThen = (time: Column, query: SourceQuery): SQL | undefined =>
  and(query.asOf === undefined ? undefined : lte(time, asOf), isOfTime(time, query));

const isOfTime = (time: Column, { from, until }: SourceQuery): SQL | undefined =>
  and(
    from === undefined ? undefined : gte(time, sql.placeholder("from")),
    until === undefined ? undefined : lt(time, sql.placeholder("until")),
  );

const isInProjects = (
  dialect: Dialect,
  column: Column,
  { project, projects }: SourceQuery,
): SQL | undefined =>
  and(
    project === undefined ? undefined : eq(column, sql.placeholder("project")),
    projects === undefined
      ? undefined
      : inArray(column, sql`(select value from ${elements(dialect, sql.placeholder("projects"))})`),
  );
