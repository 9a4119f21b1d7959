/** What arrived from each sender in the last days, from the audit log. */
import { type SenderName, senderNames } from "../../core/forges/schema.ts";
import { dayMicros, fromMicros } from "../../core/lib/time.ts";
import type { AuditRow } from "../../core/rows.ts";
import type { IntegrationsContext } from "../context.ts";
import { webhookPath } from "./senders.ts";

/** How far back the page looks. */
export const days = 7;
/** Rows of the audit log that are read; more are shown as a minimum. */
const rowsMax = 1_000;

export interface SenderSummary {
  name: SenderName;
  isConfigured: boolean;
  recorded: number;
  /** Refused, for example because of a wrong signature. */
  refused: number;
  isMinimum: boolean;
  /** When the last one was recorded. */
  last: string | null;
}

export async function loadIncomingWebhooks({
  config,
  data,
  now,
}: Pick<IntegrationsContext, "config" | "data" | "now">): Promise<SenderSummary[]> {
  const rows = await data.audit({
    what: ["webhook", "webhook rename", ...senderNames.map(webhookPath)],
    since: now() - days * dayMicros,
    limit: rowsMax,
  });
  return senderNames.map((name) => {
    const ofSender = rows.filter(({ who, what }) => who === name || what === webhookPath(name));
    const [recorded, refused] = [true, false].map((isRecorded) =>
      ofSender.filter(({ status }) => (status === 200) === isRecorded),
    ) as [AuditRow[], AuditRow[]];
    return {
      name,
      isConfigured: config.webhookSecrets[name].length > 0,
      recorded: total(recorded),
      refused: total(refused),
      isMinimum: rows.length === rowsMax,
      last: recorded[0] ? fromMicros(recorded[0].at) : null,
    };
  });
}

const total = (rows: AuditRow[]): number => rows.reduce((sum, row) => sum + row.count, 0);
