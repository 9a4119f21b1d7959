/** Variant sets. */
import { and, asc, eq, isNull, ne, type SQL, sql } from "drizzle-orm";
import { reviewSource } from "../../src/memory/schema.ts";
import type { Projects } from "../../src/rows.ts";
import type { PendingSetRow, VariantSetReads } from "../../src/variant-sets/port.ts";
import { setRef } from "../../src/variant-sets/set-ref.ts";
import type { Session } from "../engine/session.ts";
import { allRows, elements, literalCount } from "../query/sql.ts";
import { rowColumns } from "./asset-pages.ts";

export const variantSetReads = (session: Session): VariantSetReads => ({
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
  async pendingSets(projects, limits) {
    const rows = await allRows<PendingSetRow>(session, pendingSetsOf(session, projects, limits));
    return rows.map((row) => ({
      ...row,
      ...{ count: Number(row.count), since: Number(row.since), newest: Number(row.newest) },
    }));
  },
});

type Limits = Parameters<VariantSetReads["pendingSets"]>[1];

/** Finds each set by one seek in the index `assets_set_pending`, a "loose index scan", and reads its ends. */
function pendingSetsOf(session: Session, projects: Projects, limits: Limits): SQL {
  const pending = sql`assets where waiting = 1 and project = found.project and "set" = found."set"`;
  const first = (column: SQL) => sql`(select ${column} from ${pending} order by created_at, id limit 1)`;
  const set = sql`select "set" from assets where waiting = 1 and "set" is not null`;
  const project = projects
    ? sql`owner (project) as (select value from ${elements(session.dialect, projects)})`
    : sql`owner (project, n) as (
        select cast('' as text), 0 union all
        select (select assets.project from assets where waiting = 1 and "set" is not null
          and assets.project > owner.project order by assets.project limit 1), n + 1
        from owner where owner.project is not null and n < ${literalCount(limits.projects)})`;
  return sql`with recursive ${project},
    found (project, "set", n) as (
      select project, (${set} and assets.project = owner.project order by "set" limit 1), 1
      from owner where project > '' union all
      select project, (${set} and assets.project = found.project and assets."set" > found."set"
        order by "set" limit 1), n + 1
      from found where found."set" is not null and n < ${literalCount(limits.sets)})
    select project, "set", ${first(sql`id`)} as oldest, ${first(sql`created_at`)} as since,
      (select max(created_at) from ${pending}) as newest,
      (select count(*) from (select id from ${pending} limit ${literalCount(limits.count)}) as n) as count
    from found where "set" is not null`;
}
