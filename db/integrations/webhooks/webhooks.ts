/** Webhooks: the subscriptions, and what is to be sent again. */

import { and, asc, desc, eq, isNotNull, isNull } from "drizzle-orm";
import type { IntegrationsReads, IntegrationsWrites } from "../../../src/integrations/port.ts";
import { settingReads, settingWrites } from "../../core/settings.ts";
import type { Session } from "../../engine/session.ts";
import { readFeedHead } from "../../feed/head.ts";
import { deliveryReads, deliveryWrites } from "./deliveries.ts";
import { laneReads } from "./lanes.ts";
import { leaseWrites } from "./leases.ts";
import { progressWrites } from "./progress.ts";

/** The setting that holds the version. */
const versionSetting = "webhooks_version";

export function webhookReads(session: Session) {
  const { db, t } = session;
  const { webhooks, webhook_replays } = t;
  return {
    webhooks: (of) =>
      db
        .select()
        .from(webhooks)
        .where(of && (of.owner === null ? isNull(webhooks.owner) : eq(webhooks.owner, of.owner)))
        .orderBy(desc(webhooks.id)),
    async webhook(id) {
      const [row] = await db.select().from(webhooks).where(eq(webhooks.id, id));
      return row ?? null;
    },
    replays: () => db.select().from(webhook_replays).orderBy(asc(webhook_replays.id)),
    webhooksVersion: () => settingReads(session).setting(versionSetting),
    ...laneReads(session),
    ...deliveryReads(session),
  } satisfies Partial<IntegrationsReads>;
}

export function webhookWrites(session: Session) {
  const { db, t } = session;
  const { webhooks, webhook_lanes, webhook_replays } = t;
  const renewVersion = () => settingWrites(session).setSetting(versionSetting, crypto.randomUUID());
  return {
    async addWebhook(webhook) {
      const { id: cursor } = await readFeedHead(session);
      await db.insert(webhooks).values({ ...webhook, status: "active", cursor });
      await renewVersion();
    },
    async changeWebhook(id, change) {
      const changed = await db
        .update(webhooks)
        .set(change)
        .where(eq(webhooks.id, id))
        .returning({ id: webhooks.id });
      if (changed.length === 0) return false;
      if (change.status === "active")
        await db
          .update(webhook_lanes)
          .set({ attempts: 0, due_at: 0, failing_since: null })
          .where(and(eq(webhook_lanes.webhook, id), isNotNull(webhook_lanes.failing_since)));
      await renewVersion();
      return true;
    },
    async removeWebhook(id) {
      const removed = await db.delete(webhooks).where(eq(webhooks.id, id)).returning({ id: webhooks.id });
      await db.delete(webhook_lanes).where(eq(webhook_lanes.webhook, id));
      await db.delete(webhook_replays).where(eq(webhook_replays.webhook, id));
      if (removed.length > 0) await renewVersion();
      return removed.length > 0;
    },
    async addReplay({ id, webhook, project, from, to }) {
      await db.insert(webhook_replays).values({ id, webhook, project, cursor: from - 1, until: to });
      await renewVersion();
    },
    ...deliveryWrites(session),
    ...leaseWrites(session),
    ...progressWrites(session),
  } satisfies Partial<IntegrationsWrites>;
}
