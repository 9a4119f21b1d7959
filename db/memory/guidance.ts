/** Models, and the guidance that their vendors publish. */

import { and, asc, eq, sql } from "drizzle-orm";
import type { MemoryReads, MemoryWrites } from "../../src/memory/port.ts";
import type { Session } from "../engine/session.ts";
import { preparedStatement } from "../query/statements.ts";
import { documentOf, indexRows, removeRows } from "./recall/term-index.ts";

const selectModels = preparedStatement(({ db, t: { models } }) =>
  db.select().from(models).orderBy(asc(models.id)).prepare(),
);

export function guidanceReads(session: Session) {
  const {
    db,
    t: { guidance },
  } = session;
  const { id, model, source, file, path, text, refreshed_at } = guidance;
  return {
    models: async () => selectModels(session).execute(),
    guidance: (name, limit) =>
      db
        .select({ id, model, source, file, path, text, refreshed_at })
        .from(guidance)
        .where(eq(model, name))
        .orderBy(asc(source), asc(guidance.place))
        .limit(limit),
  } satisfies Partial<MemoryReads>;
}

/** Rows per insert: SQLite binds at most 32,766 parameters (SQLITE_MAX_VARIABLE_NUMBER). */
const rowsMax = 500;

export function guidanceWrites(session: Session) {
  const {
    db,
    t: { guidance, models },
  } = session;
  return {
    async saveModel(model) {
      await db.insert(models).values(model).onConflictDoUpdate({ target: models.id, set: model });
    },
    async saveGuidance(model, source, sections, at) {
      const removed = await db
        .delete(guidance)
        .where(and(eq(guidance.model, model), eq(guidance.source, source)))
        .returning({ id: guidance.id });
      await removeRows(
        session,
        "guidance",
        removed.map((row) => row.id),
      );
      const rows = sections.map((section, place) => ({ ...section, model, source, place, refreshed_at: at }));
      for (let start = 0; start < rows.length; start += rowsMax) {
        const added = await db
          .insert(guidance)
          .values(rows.slice(start, start + rowsMax))
          .returning({ id: guidance.id, path: guidance.path, text: guidance.text });
        await indexRows(session, "guidance", added.map(documentOf.guidance));
      }
      const skillFile = sql`case
        when lower(${guidance.file}) = 'skill.md' or lower(${guidance.file}) like '%/skill.md'
        then ${guidance.source} || ' ' || ${guidance.file} end`;
      const [counts] = await db
        .select({
          guidance_count: sql`count(*)`.mapWith(Number),
          skill_count: sql`count(distinct ${skillFile})`.mapWith(Number),
        })
        .from(guidance)
        .where(eq(guidance.model, model));
      await db
        .update(models)
        .set({ ...counts, refreshed_at: at })
        .where(eq(models.id, model));
    },
  } satisfies Partial<MemoryWrites>;
}
