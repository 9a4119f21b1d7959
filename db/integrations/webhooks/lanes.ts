/** Lanes of webhooks, and the events that they read: by id, which is the order of commits. */

import { and, asc, desc, eq, gt, gte, isNotNull, lt, sql } from "drizzle-orm";
import type { IntegrationsReads } from "../../../src/integrations/port.ts";
import type { LogEvent } from "../../../src/integrations/rows.ts";
import type { Session } from "../../engine/session.ts";
import { readFeedHead } from "../../feed/head.ts";
import { preparedStatement } from "../../query/prepared-statement.ts";
import { elements } from "../../query/sql.ts";

/** Events that an instant is looked for among: imported ones have an earlier time and a later id. */
const sinceMax = 1_000;
/** Rows that a backlog names. */
const namedMax = 100;

const selectEvents = preparedStatement(({ db, dialect, t: { events } }) => {
  const { id, ts, kind, project, wire } = events;
  const query = db
    .select({ id, ts, kind, project, wire })
    .from(events)
    .where(gt(id, sql.placeholder("after")))
    .orderBy(asc(id))
    .limit(sql.placeholder("limit"));
  return dialect.reader<LogEvent>(db, query.prepare());
});

export function laneReads(session: Session) {
  const { db, t, dialect } = session;
  const { events, webhooks, webhook_lanes: lanes } = t;
  return {
    webhookLanes: (ids) =>
      db
        .select()
        .from(lanes)
        .where(dialect.isIn(lanes.webhook, sql`select value from ${elements(dialect, [...ids])}`)),
    eventsById: (after, limit) => selectEvents(session)({ after, limit }),
    newestEventId: async () => (await readFeedHead(session)).id,
    async firstEventSince(ts) {
      const rows = await db
        .select({ id: events.id })
        .from(events)
        .where(gte(events.ts, ts))
        .orderBy(asc(events.ts))
        .limit(sinceMax);
      return rows.length === 0 ? null : Math.min(...rows.map(({ id }) => id));
    },
    async webhookBacklog(failingBefore) {
      const { id, name, paused_reason } = webhooks;
      const paused = await db
        .select({ id, name, paused_reason })
        .from(webhooks)
        .where(eq(webhooks.status, "paused"))
        .orderBy(desc(webhooks.id))
        .limit(namedMax);
      const { webhook, project, failing_since } = lanes;
      const behind = await db
        .select({ webhook, project, failing_since })
        .from(lanes)
        .innerJoin(webhooks, and(eq(webhooks.id, lanes.webhook), eq(webhooks.status, "active")))
        .where(and(isNotNull(lanes.failing_since), lt(lanes.failing_since, failingBefore)))
        .orderBy(asc(lanes.failing_since))
        .limit(namedMax);
      return { paused, behind };
    },
  } satisfies Partial<IntegrationsReads>;
}
