/** The log of deliveries. */

import { and, desc, eq, inArray, lt, sql } from "drizzle-orm";
import type { IntegrationsReads, IntegrationsWrites } from "../../../src/integrations/port.ts";
import type { DeliveryRow, NewDeliveryRow } from "../../../src/integrations/rows.ts";
import { deliveryOutcomes, WebhookDelivery } from "../../../src/integrations/webhooks/schema.ts";

import type { Session } from "../../engine/session.ts";
import { pipeline, placeholders, preparedWrite } from "../../query/statements.ts";

/** Webhooks whose newest delivery is read in one pipeline. */
const lastMax = 50;

export function deliveryReads({ db, t: { webhook_deliveries: deliveries } }: Session) {
  /** One outcome is one range of the index, so a page of all is merged from a page of each. */
  const pageOf = (
    webhook: string,
    outcome: DeliveryRow["outcome"],
    before: number | undefined,
    limit: number,
  ) =>
    db
      .select()
      .from(deliveries)
      .where(
        and(
          eq(deliveries.webhook, webhook),
          eq(deliveries.outcome, outcome),
          before === undefined ? undefined : lt(deliveries.id, before),
        ),
      )
      .orderBy(desc(deliveries.id))
      .limit(limit);
  const page: IntegrationsReads["deliveries"] = async (webhook, { outcome, before, limit }) => {
    const outcomes = outcome ? [outcome] : deliveryOutcomes;
    const pages = await pipeline(outcomes.map((one) => pageOf(webhook, one, before, limit)));
    return pages
      .flat()
      .sort((one, other) => other.id - one.id)
      .slice(0, limit);
  };
  return {
    deliveries: page,
    async delivery(id) {
      const [row] = await db.select().from(deliveries).where(eq(deliveries.id, id));
      return row ?? null;
    },
    async lastDeliveries(webhooks) {
      const last = new Map<string, DeliveryRow>();
      for (let start = 0; start < webhooks.length; start += lastMax) {
        const some = webhooks.slice(start, start + lastMax);
        const pages = await pipeline(some.map((webhook) => page(webhook, { limit: 1 })));
        for (const [row] of pages) if (row) last.set(row.webhook, row);
      }
      return last;
    },
  } satisfies Partial<IntegrationsReads>;
}

const insertDelivery = preparedWrite(({ db, t: { webhook_deliveries } }) =>
  db
    .insert(webhook_deliveries)
    .values(placeholders(deliveryFields) as unknown as NewDeliveryRow)
    .prepare(),
);

/** The inserts of these deliveries, for a pipeline. */
export const insertDeliveries = (session: Session, rows: readonly NewDeliveryRow[]): Promise<unknown>[] =>
  rows.map((row) => insertDelivery(session)({ ...row }));

/** Rows deleted per transaction: other writers wait for it. */
const trimMax = 2_000;

export const deliveryWrites = ({ db, t: { webhook_deliveries: deliveries } }: Session) =>
  ({
    async addDelivery(delivery) {
      const [row] = await db.insert(deliveries).values(delivery).returning({ id: deliveries.id });
      return (row as { id: number }).id;
    },
    async trimDeliveries(before) {
      const oldest = db.select({ id: deliveries.id }).from(deliveries).orderBy(deliveries.id).limit(trimMax);
      const removed = await db
        .delete(deliveries)
        .where(
          and(lt(deliveries.at, before), inArray(deliveries.id, sql`(select id from (${oldest}) as oldest)`)),
        )
        .returning({ id: deliveries.id });
      return removed.length;
    },
  }) satisfies Partial<IntegrationsWrites>;

const deliveryFields = (Object.keys(WebhookDelivery.properties) as (keyof DeliveryRow)[]).filter(
  (field): field is keyof NewDeliveryRow => field !== "id",
);
