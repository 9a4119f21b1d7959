/** What deliveries have changed, written under the lease of the process that made them. */

import { and, eq, inArray, sql } from "drizzle-orm";
import type { IntegrationsWrites } from "../../../src/integrations/port.ts";
import type { LaneRow } from "../../../src/integrations/rows.ts";
import type { Session } from "../../engine/session.ts";
import { pipeline } from "../../query/pipeline.ts";
import { placeholders, preparedWrite } from "../../query/prepared-statement.ts";
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
