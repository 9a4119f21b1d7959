/** Verdicts, and with them review policies and checklists. */
import { and, asc, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import type { ChecklistReads, ChecklistWrites } from "../../src/checklists/port.ts";
import type { VerdictReads, VerdictRow, VerdictWrites } from "../../src/verdicts/port.ts";
import type { Session } from "../engine/session.ts";
import { checklistReads, checklistWrites } from "./checklists.ts";
import { policyReads, policyWrites } from "./policies.ts";

export function verdictReads(session: Session): VerdictReads & ChecklistReads {
  const { db, t } = session;
  const { is_open: _, ...columns } = getTableColumns(t.verdicts);
  const { asset, project, voter, decision, at } = t.verdicts;
  return {
    ...policyReads(session),
    ...checklistReads(session),
    async verdicts(assets) {
      if (assets.length === 0) return [];
      const rows = await db
        .select(columns)
        .from(t.verdicts)
        .where(inArray(asset, [...assets]))
        .orderBy(asc(at), asc(voter));
      return rows.map(
        ({ checklist, ...row }): VerdictRow => ({
          ...row,
          checklist: checklist === null ? null : JSON.parse(checklist),
        }),
      );
    },
    openApprovals: (name, limit) =>
      db
        .select({ asset, project })
        .from(t.verdicts)
        .where(and(eq(voter, name), sql`is_open`, eq(decision, "approved")))
        .limit(limit),
  };
}

export function verdictWrites(session: Session): VerdictWrites & ChecklistWrites {
  const { db, t } = session;
  const { verdicts } = t;
  return {
    ...policyWrites(session),
    ...checklistWrites(session),
    async saveVerdict({ checklist, ...verdict }) {
      const change = {
        ...{ ...verdict, checklist: checklist && JSON.stringify(checklist), is_open: true },
      };
      await db
        .insert(verdicts)
        .values(change)
        .onConflictDoUpdate({ target: [verdicts.asset, verdicts.voter], set: change });
    },
    async setVerdictsOpen(asset, isOpen) {
      await db.update(verdicts).set({ is_open: isOpen }).where(eq(verdicts.asset, asset));
    },
  };
}
