/** What briefs and reports of usage read of annotations. */

import { and, desc, eq, inArray, isNotNull, isNull, or, sql } from "drizzle-orm";
import type { LibraryReads } from "../../../src/library/port.ts";
import type { Session } from "../../engine/session.ts";
import { columnsOf, parseAnnotation } from "./columns.ts";

export function briefReads(session: Session) {
  const { db, t } = session;
  const { annotations, assets } = t;
  const columns = columnsOf(session);
  return {
    async urgentAnnotations(project, limit) {
      const { id, title, version, status, issue, pr } = assets;
      const rows = await db
        .select({ ...columns, asset: { id, title, version, status, issue, pr } })
        .from(annotations)
        .innerJoin(assets, eq(id, annotations.asset_id))
        .where(and(eq(annotations.project, project), sql`${annotations.urgent_at} is not null`))
        .orderBy(desc(annotations.urgent_at))
        .limit(limit);
      return rows.map((row) => ({
        ...parseAnnotation(row),
        urgent_at: row.urgent_at as number, // safe because: the condition
        asset: row.asset,
      }));
    },
    async retiredAnnotations(ids, limit) {
      if (ids.length === 0) return [];
      const { chain, state, urgent_at, parent_id } = annotations;
      const versions = await db
        .select({ of: assets.id, chain: assets.root_id })
        .from(assets)
        .where(inArray(assets.id, [...ids]));
      const chains = [...new Set(versions.map((version) => version.chain))];
      if (chains.length === 0) return [];
      const isRetired = or(inArray(state, ["honoured", "withdrawn"]), isNotNull(urgent_at));
      const rows = await db
        .select(columns)
        .from(annotations)
        .where(and(inArray(chain, chains), isNull(parent_id), isRetired))
        .limit(limit);
      return versions.flatMap(({ of, chain }) =>
        rows.filter((row) => row.chain === chain).map((row) => ({ ...parseAnnotation(row), of })),
      );
    },
  } satisfies Partial<LibraryReads>;
}
