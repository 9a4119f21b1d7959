/**
 * The rate-limit windows that all processes on one Postgres share: one row per client, one upsert per
 * report.
 */
import { sql } from "drizzle-orm";
import type { CoreData } from "../../src/core/port.ts";
import type { ClientWindow } from "../../src/core/rows.ts";
import type { ConnectionPool } from "../engine/connection-pool.ts";
import type { Session } from "../engine/session.ts";
import { allRows } from "../query/statements.ts";

/** How often expired rows are deleted. */
const cleanupIntervalMs = 60_000;

/** Implements `CoreData.countRequests`. */
export function requestCounter(
  pool: ConnectionPool,
  session: Session,
): NonNullable<CoreData["countRequests"]> {
  let cleanedAt = Number.NEGATIVE_INFINITY;

  return async (counts, now, length) => {
    if (performance.now() - cleanedAt > cleanupIntervalMs) {
      cleanedAt = performance.now();
      // the next cleanup deletes them too
      void pool
        .withTimeout(() => allRows(session, sql`delete from request_windows where ends_at < ${now - length}`))
        .catch(() => {});
    }
    // Ordered by client, so that two processes lock rows in the same order and cannot deadlock. A window that
    // ends implausibly late comes from a wrong clock and is restarted.
    const clients = JSON.stringify([...counts].map(([client, used]) => ({ client, used })));
    const upsert = sql`
      insert into request_windows as current (client, used, ends_at)
      select client, used, ${now + length}::bigint
      from json_to_recordset(${clients}::text::json) as given (client text, used bigint)
      order by client
      on conflict (client) do update set
        used = excluded.used + case
          when current.ends_at between ${now + 1}::bigint and ${now + 2 * length}::bigint
          then current.used else 0 end,
        ends_at = case
          when current.ends_at between ${now + 1}::bigint and ${now + 2 * length}::bigint
          then current.ends_at else excluded.ends_at end
      returning client, used, ends_at`;
    const rows = await pool.withTimeout(() =>
      allRows<{ client: string; used: number; ends_at: number }>(session, upsert),
    );
    return new Map(
      rows.map(({ client, used, ends_at }): [string, ClientWindow] => [
        client,
        { used: Number(used), endsAt: Number(ends_at) },
      ]),
    );
  };
}
