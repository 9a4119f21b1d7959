/** Reading the audit log. */
import type { CoreContext } from "../context.ts";
import { fromMicros, toMicros } from "../lib/time.ts";
import { type Status, statuses } from "../problem.ts";
import type { AuditRow } from "../rows.ts";
import type { AuditPage, AuditQuery } from "./schema.ts";

/** A page of the audit log, newest first. */
export async function listAudit(
  { data }: Pick<CoreContext, "data">,
  { since, token, before, limit = 50 }: AuditQuery,
): Promise<AuditPage> {
  const rows = await data.audit({
    ...(since !== undefined && { since: toMicros(since) }),
    ...(token !== undefined && { who: token }),
    ...(before !== undefined && { before }),
    limit: limit + 1,
  });
  const page = rows.slice(0, limit);
  return {
    entries: page.map((row) => ({ ...row, at: fromMicros(row.at), outcome: outcomeOf(row) })),
    next_before: (rows.length > limit && page.at(-1)?.id) || null,
  };
}

const outcomeOf = ({ status }: AuditRow): string =>
  status === 200 ? "ok" : `refused: ${status} ${statuses[status as Status]?.[0] ?? ""}`.trimEnd();
