/** The audit log: one row per request that wrote, and counts of refused requests. */

import { and, desc, eq, gte, inArray, lt, or, sql } from "drizzle-orm";
import type { CoreReads, CoreWrites } from "../../src/core/port.ts";
import type { NewAudit } from "../../src/core/rows.ts";
import type { Session } from "../engine/session.ts";
import { preparedStatement, preparedWrite } from "../query/statements.ts";

export const auditReads = ({ db, t: { audit } }: Session) =>
  ({
    async audit({ since, who, what, before, limit }) {
      const rows = await db
        .select()
        .from(audit)
        .where(
          and(
            since === undefined ? undefined : gte(audit.at, since),
            who === undefined ? undefined : eq(audit.who, who),
            what === undefined ? undefined : inArray(audit.what, what),
            before === undefined ? undefined : lt(audit.id, before),
          ),
        )
        .orderBy(desc(audit.id))
        .limit(limit);
      return rows.map(({ slot: _, ...row }) => row);
    },
  }) satisfies Partial<CoreReads>;

const insertedColumns = [
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
        insertedColumns.map((name) => [name, sql.placeholder(name)]),
      ) as unknown as typeof audit.$inferInsert,
    )
    .onConflictDoUpdate({
      target: audit.slot,
      targetWhere: sql`slot is not null`,
      set: { count: sql`${audit.count} + excluded.count` },
    })
    .prepare(),
);

const inserter = preparedStatement(({ db, dialect, t: { audit } }) => dialect.inserter(db, audit, "", "id"));

/** Adds rows without a slot. A statement for each would take a tenth of an append (`bun run bench append`). */
export const addAuditRows = (session: Session, rows: readonly NewAudit[]): Promise<unknown> =>
  inserter(session)(
    rows.map((row) => {
      const values = { count: 1, slot: null, ...row };
      return insertedColumns.map((name) => values[name]);
    }),
  );

/** Rows deleted per transaction: other writers wait for it. */
const trimMax = 2_000;
/** Operations that append events: frequent, and recorded in the feed as well. */
const appendOperations = ["appendEvents", "webhook", "receiveTelemetry"];

export function auditWrites(session: Session) {
  const {
    db,
    t: { audit },
  } = session;
  const isBulk = or(inArray(audit.what, appendOperations), sql`${audit.status} <> 200`);
  const oldest = (condition: ReturnType<typeof and>, count: number) =>
    db.select({ id: audit.id }).from(audit).where(condition).orderBy(audit.id).limit(count);
  const remove = async (condition: ReturnType<typeof and>): Promise<number> =>
    (await db.delete(audit).where(condition).returning({ id: audit.id })).length;
  return {
    async addAudit(row) {
      await insertRow(session)({ count: 1, slot: null, ...row });
    },
    async trimAudit(before, most) {
      let removed = await remove(and(lt(audit.at, before), inArray(audit.id, oldest(undefined, trimMax))));
      for (const condition of [isBulk, sql`not (${isBulk})`]) {
        const [counted] = await db
          .select({ rows: sql`count(*)`.mapWith(Number) })
          .from(audit)
          .where(condition);
        const excess = Math.min(trimMax, (counted?.rows ?? 0) - most);
        if (excess > 0) removed += await remove(inArray(audit.id, oldest(condition, excess)));
      }
      return removed;
    },
  } satisfies Partial<CoreWrites>;
}
