/** Reading the audit log. */
import type { CoreContext } from "../context.ts";
import { fromMicros } from "../lib/time.ts";
import type { CoreReads } from "../port.ts";
import { type Status, statuses } from "../problem.ts";
import type { AuditRow } from "../rows.ts";

export type AuditEntry = Omit<AuditRow, "at"> & { at: string; outcome: string };

/** The newest entries that match, oldest first. */
export async function listAudit(
  { data }: Pick<CoreContext, "data">,
  query: Parameters<CoreReads["audit"]>[0],
): Promise<AuditEntry[]> {
  const rows = await data.audit(query);
  return rows.toReversed().map((row) => ({ ...row, at: fromMicros(row.at), outcome: outcomeOf(row) }));
}

const outcomeOf = ({ status }: AuditRow): string =>
  status === 200 ? "ok" : `refused: ${status} ${statuses[status as Status]?.[0] ?? ""}`.trimEnd();
