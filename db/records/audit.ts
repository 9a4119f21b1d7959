/** Who did what: a row for each request that wrote, counts of what was refused. */
import { and, desc, eq, gte, inArray, lt, or, sql } from "drizzle-orm";
import type { Reads, Writes } from "../../src/data.ts";
import type { Session } from "../engine/session.ts";
import { preparedWrite } from "../query/prepared-statement.ts";

export const auditReads = ({ db, t: { audit } }: Session): Pick<Reads, "audit"> => ({
  async audit({ since, who, limit }) {
    const rows = await db
      .select()
      .from(audit)
      .where(
        and(
          since === undefined ? undefined : gte(audit.at, since),
          who === undefined ? undefined : eq(audit.who, who),
        ),
      )
      .orderBy(desc(audit.id))
      .limit(limit);
    return rows.map(({ slot: _, ...row }) => row);
  },
});

const written = [
  "at",
  "who",
  "via",
  "what",
  "project",
  "target",
  "status",
  "address",
  "request",
  "count",
  "slot",
] as const;

const insertRow = preparedWrite(({ db, t: { audit } }) =>
  db
    .insert(audit)
    .values(
      Object.fromEntries(
        written.map((name) => [name, sql.placeholder(name)]),
      ) as unknown as typeof audit.$inferInsert,
    )
    .onConflictDoUpdate({
      target: audit.slot,
      targetWhere: sql`slot is not null`,
      set: { count: sql`${audit.count} + excluded.count` },
    })
    .prepare(),
);

/** A transaction removes so many at most: others wait for it. */
const trimmedAtOnce = 2_000;
/** What comes with every batch of events, and the feed itself keeps. */
const appends = ["appendEvents", "webhook"];

export function auditWrites(session: Session): Pick<Writes, "addAudit" | "trimAudit"> {
  const {
    db,
    t: { audit },
  } = session;
  const isBulk = or(inArray(audit.what, appends), sql`${audit.status} <> 200`);
  const oldest = (which: ReturnType<typeof and>, count: number) =>
    db.select({ id: audit.id }).from(audit).where(which).orderBy(audit.id).limit(count);
  const remove = async (which: ReturnType<typeof and>): Promise<number> =>
    (await db.delete(audit).where(which).returning({ id: audit.id })).length;
  return {
    async addAudit(row) {
      await insertRow(session)({ count: 1, slot: null, ...row });
    },
    async trimAudit(before, most) {
      let removed = await remove(
        and(lt(audit.at, before), inArray(audit.id, oldest(undefined, trimmedAtOnce))),
      );
      for (const which of [isBulk, sql`not (${isBulk})`]) {
        const [counted] = await db
          .select({ rows: sql`count(*)`.mapWith(Number) })
          .from(audit)
          .where(which);
        const more = Math.min(trimmedAtOnce, (counted?.rows ?? 0) - most);
        if (more > 0) removed += await remove(inArray(audit.id, oldest(which, more)));
      }
      return removed;
    },
  };
}
