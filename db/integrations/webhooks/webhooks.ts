/** Webhooks: the subscriptions, and what is to be sent again. */
import {
  and,
  asc,
  count,
  desc,
  eq,
  inArray,
  isNotNull,
  isNull,
  lte,
  ne,
  notInArray,
  type SQL,
} from "drizzle-orm";
import type { IntegrationsReads, IntegrationsWrites } from "../../../src/integrations/port.ts";
import { settingReads, settingWrites } from "../../core/settings.ts";
import type { Session } from "../../engine/session.ts";
import { readFeedHead } from "../../feed/head.ts";
import { deliveryReads, deliveryWrites } from "./deliveries.ts";
import { laneReads, progressWrites } from "./progress.ts";

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

/** Leases: each active webhook belongs to one process, and each process has its fair share of them. */
function leaseWrites({ db, t }: Session) {
  const { webhooks, webhook_nodes: nodes } = t;
  const free = (of: SQL | undefined) => db.update(webhooks).set({ lease_owner: null }).where(of);
  const isActive = eq(webhooks.status, "active");
  /** Frees the webhooks of unknown processes, and of silent ones, which find out at their next write. */
  async function endSilentLeases(node: string, now: number) {
    await db.delete(nodes).where(and(lte(nodes.until, now), ne(nodes.id, node)));
    const known = db.select({ id: nodes.id }).from(nodes);
    await free(and(isNotNull(webhooks.lease_owner), notInArray(webhooks.lease_owner, known)));
  }
  return {
    async leaseWebhooks({ node, now, until, released }) {
      if (released.length > 0)
        await free(and(eq(webhooks.lease_owner, node), inArray(webhooks.id, released)));
      await db
        .insert(nodes)
        .values({ id: node, until })
        .onConflictDoUpdate({ target: nodes.id, set: { until } });
      await endSilentLeases(node, now);
      const [active] = await db.select({ rows: count() }).from(webhooks).where(isActive);
      const [sharers] = await db.select({ rows: count() }).from(nodes);
      const share = Math.ceil((active?.rows ?? 0) / (sharers?.rows ?? 1));
      const own = and(isActive, eq(webhooks.lease_owner, node));
      const readHeld = () => db.select({ id: webhooks.id }).from(webhooks).where(own);
      const held = await readHeld();
      if (held.length >= share) return { held: held.map(({ id }) => id), surplus: held.length - share };
      const taken = db
        .select({ id: webhooks.id })
        .from(webhooks)
        .where(and(isActive, isNull(webhooks.lease_owner)))
        .orderBy(asc(webhooks.id))
        .limit(share - held.length);
      const added = await db
        .update(webhooks)
        .set({ lease_owner: node })
        .where(inArray(webhooks.id, taken))
        .returning({ id: webhooks.id });
      return { held: [...held, ...added].map(({ id }) => id), surplus: 0 };
    },
    async endLease(node) {
      await db.delete(nodes).where(eq(nodes.id, node));
      await free(eq(webhooks.lease_owner, node));
    },
  } satisfies Partial<IntegrationsWrites>;
}
