/**
 * What a search gives of each kind of row, and on what conditions. What is asked for comes by placeholders.
 */
import { and, type Column, eq, gt, inArray, isNull, lte, ne, or, type SQL, sql } from "drizzle-orm";
import { type MemoryKind, reviewSource } from "../../src/memory/schema.ts";
import type { SearchHit, SearchQuery } from "../../src/rows.ts";
import type { Session } from "../engine/session.ts";
import { elements } from "../query/sql.ts";
import { reviewedAsset } from "./decision-documents.ts";

/** `projects`: of these alone. */
export type Asked = SearchQuery & { projects?: readonly string[] };

/**
 * Conditions that are there or not; their values come by placeholders of the same names, `projects` as JSON.
 */
export const optional = ["project", "projects", "model", "asOf"] as const;

/** A row as the database has it: a heading may be a path. */
export type Shape = Omit<SearchHit, "kind" | "head"> & { head: string | string[] };

interface Source {
  table: Session["t"]["decisions" | "preferences" | "notes" | "guidance" | "events"];
  columns: Record<keyof Shape, unknown>;
  conditions: (SQL | undefined)[];
}

const nothing = sql`null`;
const none = sql`''`;

export const sources: Record<MemoryKind, (session: Session, asked: Asked) => Source> = {
  decision(session, asked) {
    const {
      t: { decisions },
      dialect,
    } = session;
    const { id, project, text, source, source_ref, actor, valid_from, valid_until } = decisions;
    const { reviews } = asked;
    return {
      table: decisions,
      columns: {
        id,
        project,
        ...reviewedAsset(session),
        text,
        source,
        source_ref,
        actor,
        valid_from,
        valid_until,
      },
      conditions: [
        holding(decisions, asked),
        within(dialect, project, asked),
        reviews === undefined ? undefined : reviews ? eq(source, reviewSource) : ne(source, reviewSource),
      ],
    };
  },
  preference({ t: { preferences }, dialect }, asked) {
    const { id, project, key, value, source, source_ref, actor, valid_from, valid_until } = preferences;
    return {
      table: preferences,
      columns: {
        id,
        project,
        head: key,
        about: none,
        text: value,
        source,
        source_ref,
        actor,
        valid_from,
        valid_until,
      },
      conditions: [
        holding(preferences, asked),
        or(isNull(project), within(dialect, project, asked) ?? sql`true`),
      ],
    };
  },
  note({ t: { notes }, dialect }, asked) {
    const { id, project, title, text, asset, actor, valid_from, valid_until } = notes;
    return {
      table: notes,
      columns: {
        id,
        project,
        head: title,
        about: none,
        text,
        source: sql`'review'`,
        source_ref: asset,
        actor,
        valid_from,
        valid_until,
      },
      conditions: [holding(notes, asked), within(dialect, project, asked)],
    };
  },
  guidance({ t: { guidance } }, asked) {
    const { id, path, text, source, model, refreshed_at } = guidance;
    const said = { source, source_ref: model, actor: source, valid_from: refreshed_at, valid_until: nothing };
    return {
      table: guidance,
      columns: { id, project: nothing, head: path, about: none, text, ...said },
      conditions: [
        before(refreshed_at, asked),
        asked.model === undefined ? undefined : eq(model, sql.placeholder("model")),
      ],
    };
  },
  event({ t: { events }, dialect }, asked) {
    const { id, project, summary, kind, url, actor, ts } = events;
    const said = { source: kind, source_ref: url, actor, valid_from: ts, valid_until: nothing };
    return {
      table: events,
      columns: { id, project, head: none, about: none, text: summary, ...said },
      conditions: [before(ts, asked), within(dialect, project, asked)],
    };
  },
};

type Times = Record<"valid_from" | "valid_until", Column>;

const asOf = sql.placeholder("asOf");

/** What holds now, or held then. */
const holding = ({ valid_from, valid_until }: Times, asked: Asked): SQL | undefined =>
  asked.asOf === undefined
    ? isNull(valid_until)
    : and(lte(valid_from, asOf), or(isNull(valid_until), gt(valid_until, asOf)));

const before = (time: Column, asked: Asked): SQL | undefined =>
  asked.asOf === undefined ? undefined : lte(time, asOf);

const within = (dialect: Session["dialect"], column: Column, { project, projects }: Asked): SQL | undefined =>
  and(
    project === undefined ? undefined : eq(column, sql.placeholder("project")),
    projects === undefined
      ? undefined
      : inArray(column, sql`(select value from ${elements(dialect, sql.placeholder("projects"))})`),
  );
