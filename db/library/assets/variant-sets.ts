/** Variant sets. */

import { and, asc, count, eq, inArray, isNull, max, ne } from "drizzle-orm";
import type { LibraryReads } from "../../../src/library/port.ts";
import { reviewSource } from "../../../src/memory/schema.ts";
import { setRef } from "../../../src/memory/set-ref.ts";
import type { Session } from "../../engine/session.ts";
import { rowColumns } from "./asset-pages.ts";

export const variantSetReads = (session: Session) =>
  ({
    async setStatuses(project, sets) {
      const { assets } = session.t;
      if (sets.length === 0) return [];
      const rows = await session.db
        .select({
          set: assets.set,
          status: assets.status,
          count: count(),
          reviewed_at: max(assets.reviewed_at),
        })
        .from(assets)
        .where(
          and(inArray(assets.set, [...sets]), eq(assets.project, project), ne(assets.status, "superseded")),
        )
        .groupBy(assets.set, assets.status);
      return rows.map((row) => ({
        ...row,
        set: row.set as string,
        count: Number(row.count),
        reviewed_at: row.reviewed_at === null ? null : Number(row.reviewed_at),
      }));
    },
    variants(project, set, limit) {
      const { assets } = session.t;
      return session.db
        .select(rowColumns(session))
        .from(assets)
        .where(and(eq(assets.set, set), eq(assets.project, project), ne(assets.status, "superseded")))
        .orderBy(asc(assets.created_at), asc(assets.id))
        .limit(limit);
    },
    async decisionOfSet(project, set) {
      const { decisions } = session.t;
      const [row] = await session.db
        .select({ id: decisions.id, text: decisions.text })
        .from(decisions)
        .where(
          and(
            eq(decisions.project, project),
            isNull(decisions.valid_until),
            eq(decisions.source, reviewSource),
            eq(decisions.source_ref, setRef(set)),
          ),
        );
      return row ?? null;
    },
  }) satisfies Partial<LibraryReads>;
