/**
 * Lanes of webhooks and the events that they read, by id, which is the order of commits; and what deliveries
 * have changed, written under the lease of the process that made them.
 */
import { and, asc, desc, eq, gt, gte, inArray, isNotNull, lt, sql } from "drizzle-orm";
import type { IntegrationsReads, IntegrationsWrites } from "../../../src/integrations/port.ts";
import type { LaneRow, LogEvent } from "../../../src/integrations/rows.ts";
import type { Session } from "../../engine/session.ts";
import { isBackfilled } from "../../feed/backfilled.ts";
import { readFeedHead } from "../../feed/head.ts";
import {
  elements,
  pipeline,
  placeholders,
  preparedStatement,
  preparedWrite,
} from "../../query/statements.ts";
import { insertDeliveries } from "./deliveries.ts";

const laneState = ["cursor", "attempts", "due_at", "failing_since", "last_sent_at"] as const;

const moveWebhook = preparedWrite(({ db, t: { webhooks } }) =>
  db
    .update(webhooks)
    .set({ cursor: sql`${sql.placeholder("cursor")}` })
    .where(and(eq(webhooks.id, sql.placeholder("id")), eq(webhooks.lease_owner, sql.placeholder("node"))))
    .prepare(),
);

const moveReplay = preparedWrite(({ db, t: { webhook_replays: replays } }) =>
  db
    .update(replays)
    .set({ cursor: sql`${sql.placeholder("cursor")}` })
    .where(eq(replays.id, sql.placeholder("id")))
    .prepare(),
);

/** Inserts only lanes of webhooks that this process still holds: one may have been removed meanwhile. */
const saveLane = preparedWrite(({ db, t: { webhook_lanes: lanes } }) =>
  db
    .insert(lanes)
    .values(placeholders(["webhook", "replay", "project", ...laneState]) as unknown as LaneRow)
    .onConflictDoUpdate({
      target: [lanes.webhook, lanes.replay, lanes.project],
      set: Object.fromEntries(laneState.map((name) => [name, sql.raw(`excluded.${name}`)])),
    })
    .prepare(),
);

const removeLane = preparedWrite(({ db, t: { webhook_lanes: lanes } }) =>
  db
    .delete(lanes)
    .where(
      and(
        eq(lanes.webhook, sql.placeholder("webhook")),
        eq(lanes.replay, sql.placeholder("replay")),
        eq(lanes.project, sql.placeholder("project")),
      ),
    )
    .prepare(),
);

export const progressWrites = (session: Session) =>
  ({
    async recordProgress({ node }, { deliveries, webhooks, replays, finished, lanes, removed }) {
      const { db, t } = session;
      const [lease] = await db
        .select({ id: t.webhook_nodes.id })
        .from(t.webhook_nodes)
        .where(eq(t.webhook_nodes.id, node));
      if (!lease) return false;
      const held = await heldAmong(session, node, lanes);
      await pipeline([
        ...insertDeliveries(session, deliveries),
        ...webhooks.map(({ id, cursor }) => moveWebhook(session)({ id, cursor, node })),
        ...replays.map(({ id, cursor }) => moveReplay(session)({ id, cursor })),
        ...lanes.filter(({ webhook }) => held.has(webhook)).map((lane) => saveLane(session)({ ...lane })),
        ...removed.map(({ webhook, replay, project }) => removeLane(session)({ webhook, replay, project })),
      ]);
      if (finished.length > 0) {
        await db.delete(t.webhook_replays).where(inArray(t.webhook_replays.id, finished));
        await db.delete(t.webhook_lanes).where(inArray(t.webhook_lanes.replay, finished));
      }
      return true;
    },
  }) satisfies Partial<IntegrationsWrites>;

/** The webhooks of these lanes that the process holds: others were removed or given up meanwhile. */
async function heldAmong(
  { db, t: { webhooks } }: Session,
  node: string,
  lanes: readonly LaneRow[],
): Promise<Set<string>> {
  if (lanes.length === 0) return new Set();
  const rows = await db
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(
      and(
        eq(webhooks.lease_owner, node),
        inArray(webhooks.id, [...new Set(lanes.map(({ webhook }) => webhook))]),
      ),
    );
  return new Set(rows.map(({ id }) => id));
}

/** Events that an instant is looked for among: imported ones have an earlier time and a later id. */
const sinceMax = 1_000;

/** Rows that a backlog names. */
const namedMax = 100;

const selectEvents = preparedStatement(({ db, dialect, t: { events } }) => {
  const { id, ts, kind, project, wire } = events;
  const query = db
    .select({ id, ts, kind, project, wire, past: isBackfilled(events.payload).as("past") })
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
