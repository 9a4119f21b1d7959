/** Leases: each active webhook belongs to one process, and each process has its fair share of them. */

import { and, asc, count, eq, inArray, isNotNull, isNull, lte, ne, notInArray, type SQL } from "drizzle-orm";
import type { IntegrationsWrites } from "../../../src/integrations/port.ts";
import type { Session } from "../../engine/session.ts";

export function leaseWrites({ db, t }: Session) {
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
