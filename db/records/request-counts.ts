/** Counts requests for all processes on one Postgres: a row for each client, an upsert for each report. */

import type { Data } from "../../src/data.ts";
import type { ClientWindow } from "../../src/rows.ts";
import type { ConnectionPool } from "../engine/connection-pool.ts";

/** Rows whose time is over are removed about so often. */
const tidyEveryMs = 60_000;

export function requestCounter(pool: ConnectionPool): NonNullable<Data["countRequests"]> {
  let tidiedAt = Number.NEGATIVE_INFINITY;

  return async (counts, now, length) => {
    if (performance.now() - tidiedAt > tidyEveryMs) {
      tidiedAt = performance.now();
      // the next one finds them as well
      void pool.sql`delete from request_windows where ends_at < ${now - length}`.catch(() => {});
    }
    // In the order of clients, so that no two processes wait for each other. A time far ahead is a clock that
    // was wrong.
    const clients = JSON.stringify([...counts].map(([client, used]) => ({ client, used })));
    const rows: { client: string; used: number; ends_at: number }[] = await pool.withTimeout(
      () => pool.sql`
      insert into request_windows as known (client, used, ends_at)
      select client, used, ${now + length}::bigint from json_to_recordset(${clients}::text::json) as given (client text, used bigint)
      order by client
      on conflict (client) do update set
        used = excluded.used + case when known.ends_at between ${now + 1}::bigint and ${now + 2 * length}::bigint then known.used else 0 end,
        ends_at = case when known.ends_at between ${now + 1}::bigint and ${now + 2 * length}::bigint then known.ends_at else excluded.ends_at end
      returning client, used, ends_at`,
    );
    return new Map(
      rows.map(({ client, used, ends_at }): [string, ClientWindow] => [
        client,
        { used: Number(used), endsAt: Number(ends_at) },
      ]),
    );
  };
}
