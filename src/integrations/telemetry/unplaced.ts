/** Telemetry that fits no project: counted by source and reason, and explained to admins. */
import type { Caller } from "../../core/auth/caller.ts";
import { dayMicros } from "../../core/lib/time.ts";
import type { IntegrationsContext } from "../context.ts";
import type { UnplacedReason, UnplacedRow } from "../rows.ts";

/** By reason: what is wrong, for the sender; and what an admin does about it. */
export const explanations: Record<UnplacedReason, { problem: string; fix: string }> = {
  "no project": {
    problem: "no project: set svc.project in OTEL_RESOURCE_ATTRIBUTES, or use a token that is limited to one",
    fix: "set OTEL_RESOURCE_ATTRIBUTES=svc.project=<slug>, or use a token that is limited to one project",
  },
  "unknown project": {
    problem: "svc.project names no project that the token can write to",
    fix: "correct svc.project in OTEL_RESOURCE_ATTRIBUTES, or create a token for that project",
  },
  "unknown repository": {
    problem: "the repository is not linked to a project that the token can write to",
    fix: "link it with svc project link <slug> --repo <owner/name>, or create a token for its project",
  },
};

/** Counts what a request had that fits no project. */
export async function countUnplaced(
  { data, now }: Pick<IntegrationsContext, "data" | "now">,
  caller: Pick<Caller, "name">,
  misses: readonly Pick<UnplacedRow, "source" | "reason">[],
): Promise<void> {
  if (misses.length === 0) return;
  const rows = new Map<string, UnplacedRow>();
  const common = { token: caller.name ?? "none", last_at: now() };
  for (const { source, reason } of misses) {
    const key = `${source} ${reason}`;
    const row = rows.get(key) ?? { source, reason, count: 0, ...common };
    rows.set(key, { ...row, count: row.count + 1 });
  }
  // In one order, so that two servers cannot lock rows against each other.
  const sorted = [...rows.keys()].toSorted().map((key) => rows.get(key) as UnplacedRow);
  await data.atomically((writes) => writes.countUnplaced(sorted));
}

const recentDays = 7;

/** The counts of senders that were refused within the last seven days. */
export async function recentlyUnplaced({
  data,
  now,
}: Pick<IntegrationsContext, "data" | "now">): Promise<UnplacedRow[]> {
  const since = now() - recentDays * dayMicros;
  return (await data.unplaced()).filter(({ last_at }) => last_at >= since);
}
