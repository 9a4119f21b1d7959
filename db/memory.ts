/** Decisions and models. */
import { and, asc, desc, eq, isNull, sql } from "drizzle-orm";
import type { Reads, Writes } from "../src/data.ts";
import type { Session } from "./session.ts";

export function memoryReads({ db, t: { decisions, models } }: Session): Pick<Reads, "currentDecisions" | "models"> {
  return {
    currentDecisions: (slug, limit) =>
      db
        .select(shown(decisions))
        .from(decisions)
        .where(and(eq(decisions.project, slug), isNull(decisions.valid_until)))
        .orderBy(desc(decisions.valid_from), desc(decisions.id))
        .limit(limit),
    models: () => db.select().from(models).orderBy(asc(models.id)),
  };
}

/** What goes out of a decision. */
const shown = ({ id, project, text, source, source_ref, valid_from }: Session["t"]["decisions"]) => ({
  ...{ id, project, text, source, source_ref, valid_from },
});

export function memoryWrites({
  db,
  t: { decisions, models, projects },
}: Session): Pick<Writes, "addDecision" | "retireDecisions" | "saveModel"> {
  return {
    async addDecision(decision) {
      const { supersedes } = decision;
      if (supersedes !== undefined) {
        const ended = await db
          .update(decisions)
          .set({ valid_until: decision.valid_from })
          .where(and(eq(decisions.id, supersedes), eq(decisions.project, decision.project), isNull(decisions.valid_until)))
          .returning({ id: decisions.id });
        if (ended.length === 0) return null;
      }
      const [row] = await db.insert(decisions).values(decision).returning(shown(decisions));
      if (supersedes === undefined)
        await db
          .update(projects)
          .set({ decisions_count: sql`${projects.decisions_count} + 1` })
          .where(eq(projects.slug, decision.project));
      return row ?? null;
    },
    async retireDecisions(slug, { source, source_ref }, at) {
      const ended = await db
        .update(decisions)
        .set({ valid_until: at })
        .where(
          and(
            eq(decisions.project, slug),
            eq(decisions.source, source),
            eq(decisions.source_ref, source_ref as string),
            isNull(decisions.valid_until),
          ),
        )
        .returning({ id: decisions.id });
      if (ended.length === 0) return;
      await db
        .update(projects)
        .set({ decisions_count: sql`${projects.decisions_count} - ${ended.length}` })
        .where(eq(projects.slug, slug));
    },
    async saveModel(model) {
      await db.insert(models).values(model).onConflictDoUpdate({ target: models.id, set: model });
    },
  };
}
