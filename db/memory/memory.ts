/** Decisions, preferences and review notes: rows are added and ended, their text never changes. */

import { and, eq, inArray, isNull, ne, type SQL, sql } from "drizzle-orm";
import type { MemoryReads, MemoryWrites } from "../../src/memory/port.ts";
import type { PreferenceRow } from "../../src/memory/rows.ts";
import type { Session } from "../engine/session.ts";
import {
  confirmedDecisions,
  currentDecisions,
  decisionColumns,
  decisionPage,
  historyColumns,
} from "./decision-pages.ts";
import {
  preferenceColumns,
  selectAnchors,
  selectChecked,
  selectContradictions,
  selectGone,
  selectHeld,
  selectPreferences,
  selectProposed,
  selectSuperseded,
} from "./read-statements.ts";
import { decisionDocuments } from "./recall/decision-documents.ts";
import { documentOf, indexRows } from "./recall/term-index.ts";

export function memoryReads(session: Session) {
  const {
    db,
    t: { decisions },
  } = session;
  const current = (slug: string) => and(eq(decisions.project, slug), isNull(decisions.valid_until));
  return {
    confirmedDecisions: (project, limit) => confirmedDecisions(session)({ project, limit }),
    currentDecisions: (project, limit) => currentDecisions(session)({ project, limit }),
    decisions: (projects, page) => decisionPage(session, projects, page),
    async decision(projects, id) {
      const readable = projects === null ? undefined : inArray(decisions.project, [...projects]);
      const [row] = await db
        .select(historyColumns(decisions))
        .from(decisions)
        .where(and(eq(decisions.id, id), readable));
      return row ?? null;
    },
    async decisionsById(projects, ids) {
      if (ids.length === 0) return [];
      const rows = await db
        .select(historyColumns(decisions))
        .from(decisions)
        .where(inArray(decisions.id, [...ids]));
      return rows.filter(({ project }) => projects === null || projects.includes(project));
    },
    proposedDecisions: async (projects, limit) =>
      selectProposed(session, projects === null).execute({ projects: JSON.stringify(projects), limit }),
    checkedDecisions: (project, limit) => selectChecked(session).execute({ project, limit }),
    heldDecisions: async (projects, limit) =>
      selectHeld(session, projects === null).execute({ projects: JSON.stringify(projects), limit }),
    async decisionReplacing(id) {
      const [row] = await db
        .select(historyColumns(decisions))
        .from(decisions)
        .where(eq(decisions.supersedes, id))
        .limit(1);
      return row ?? null;
    },
    supersededDecisions: async (project) => selectSuperseded(session).execute({ project }),
    contradictions: async (project, limit) => selectContradictions(session).execute({ project, limit }),
    anchors: async (project, limit) => selectAnchors(session).execute({ project, limit }),
    goneDecisions: async (projects, limit) =>
      selectGone(session, projects === null).execute({ projects: JSON.stringify(projects), limit }),
    async decisionByText(slug, text) {
      const [row] = await db
        .select(decisionColumns(decisions))
        .from(decisions)
        .where(and(current(slug), eq(decisions.text, text), ne(decisions.source, "review")))
        .limit(1);
      return row ?? null;
    },
    preferences: async (project) => selectPreferences(session).execute({ project: project ?? "" }),
  } satisfies Partial<MemoryReads>;
}

export function memoryWrites(session: Session) {
  const {
    db,
    t: { decisions, notes, preferences, projects },
  } = session;
  const countDecisions = (slug: string, difference: number) =>
    db
      .update(projects)
      .set({ decisions_count: sql`${projects.decisions_count} + ${difference}` })
      .where(eq(projects.slug, slug));
  const end = async (project: string, condition: SQL | undefined, at: number): Promise<number> => {
    const ended = await db
      .update(decisions)
      .set({ valid_until: at })
      .where(and(eq(decisions.project, project), isNull(decisions.valid_until), condition))
      .returning({ id: decisions.id });
    return ended.length;
  };
  return {
    async addDecision(decision) {
      const { project, supersedes } = decision;
      if (
        supersedes !== undefined &&
        (await end(project, eq(decisions.id, supersedes), decision.valid_from)) === 0
      )
        return null;
      const [row] = await db.insert(decisions).values(decision).returning(decisionColumns(decisions));
      if (!row) return null;
      if (supersedes === undefined) await countDecisions(project, 1);
      await indexRows(session, "decision", await decisionDocuments(session, [row]));
      return row;
    },
    async decisionAnchors(id) {
      const [row] = await db
        .select({ anchors: decisions.anchors })
        .from(decisions)
        .where(eq(decisions.id, id));
      return JSON.parse(row?.anchors ?? "[]");
    },
    async setAnchors(id, anchors) {
      const unknown = { anchors, anchors_at: null, gone_at: null };
      await db.update(decisions).set(unknown).where(eq(decisions.id, id));
    },
    async setGone(id, reported) {
      await db.update(decisions).set(reported).where(eq(decisions.id, id));
    },
    async confirmDecision(id) {
      await db.update(decisions).set({ standing: "confirmed" }).where(eq(decisions.id, id));
    },
    async setHeld(id, held_at) {
      await db.update(decisions).set({ held_at }).where(eq(decisions.id, id));
    },
    async setChecks(id, checks) {
      const change = { checks: checks.length > 0 ? checks : null };
      await db.update(decisions).set(change).where(eq(decisions.id, id));
    },
    async countStops(id, added) {
      const [row] = await db
        .update(decisions)
        .set({ stops: sql`${decisions.stops} + ${added}` })
        .where(eq(decisions.id, id))
        .returning({ stops: decisions.stops });
      return row?.stops ?? 0;
    },
    async retireDecisions(project, which, at) {
      const condition =
        "id" in which
          ? eq(decisions.id, which.id)
          : and(eq(decisions.source, which.source), eq(decisions.source_ref, which.source_ref as string));
      const ended = await end(project, condition, at);
      if (ended > 0) await countDecisions(project, -ended);
      return ended;
    },
    async setPreference(preference) {
      const { project, key, value, valid_from } = preference;
      const isCurrent = and(
        project === null ? isNull(preferences.project) : eq(preferences.project, project),
        eq(preferences.key, key),
        isNull(preferences.valid_until),
      );
      const [before] = await db.select(preferenceColumns(preferences)).from(preferences).where(isCurrent);
      if (before?.value === value) return { preference: before, changed: false };
      await db.update(preferences).set({ valid_until: valid_from }).where(isCurrent);
      const added = await db
        .insert(preferences)
        .values({ ...preference, supersedes: before?.id ?? null })
        .returning(preferenceColumns(preferences));
      const row = added[0] as PreferenceRow;
      await indexRows(session, "preference", [documentOf.preference(row)]);
      return { preference: row, changed: true };
    },
    async addNote(note) {
      const [row] = await db.insert(notes).values(note).returning({ id: notes.id });
      if (row) await indexRows(session, "note", [documentOf.note({ ...note, ...row })]);
    },
    async retireNotes(asset, at) {
      await db
        .update(notes)
        .set({ valid_until: at })
        .where(and(eq(notes.asset, asset), isNull(notes.valid_until)));
    },
  } satisfies Partial<MemoryWrites>;
}
