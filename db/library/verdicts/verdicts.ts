/** Verdicts. */

import { and, asc, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import type { LibraryReads, LibraryWrites } from "../../../src/library/port.ts";
import type { VerdictRow } from "../../../src/library/rows.ts";
import type { Session } from "../../engine/session.ts";

export function verdictReads(session: Session) {
  const { db, t } = session;
  const { is_open: _, ...columns } = getTableColumns(t.verdicts);
  const { asset, project, voter, decision, at } = t.verdicts;
  return {
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
  } satisfies Partial<LibraryReads>;
}

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
