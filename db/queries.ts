/** The queries of all nouns, as the reads and writes of the data port. */
import type { Log } from "../src/context.ts";
import type { AppendResult, Data, Reads } from "../src/data.ts";
import type { EventRow } from "../src/feed/schema.ts";
import { type Micros, secondMicros } from "../src/lib/time.ts";
import { annotationReads, annotationWrites } from "./annotations/annotations.ts";
import { libraryReads, libraryWrites } from "./assets/queries.ts";
import { sessionReads, sessionWrites } from "./auth/sessions.ts";
import { signInLinkReads, signInLinkWrites } from "./auth/sign-in-links.ts";
import { tokenReads, tokenWrites } from "./auth/tokens.ts";
import { budgetReads } from "./budgets/reads.ts";
import { budgetWrites } from "./budgets/writes.ts";
import type { BatchedWrites } from "./engine/append-batching.ts";
import type { Session } from "./engine/session.ts";
import { afterCatchUp } from "./feed/catch-up.ts";
import { catchUp } from "./feed/derived-rows.ts";
import { append, feedReads } from "./feed/events.ts";
import { notificationReads, notificationWrites } from "./inbox/queries.ts";
import { guidanceReads, guidanceWrites } from "./memory/guidance.ts";
import { memoryReads, memoryWrites } from "./memory/memory.ts";
import { rollupReads, rollupWrites } from "./memory/rollups.ts";
import { projectReads, projectWrites } from "./projects/projects.ts";
import { preparedStatement } from "./query/prepared-statement.ts";
import { recallReads } from "./recall/search.ts";
import { reviewQueueReads } from "./review-queue/review-queue.ts";
import { runReads } from "./runs/reads.ts";
import { runWrites } from "./runs/writes.ts";
import { auditReads, auditWrites } from "./service/audit.ts";
import { outboxReads, outboxWrites } from "./service/outbox.ts";
import { settingReads, settingWrites } from "./service/settings.ts";
import { unplacedReads, unplacedWrites } from "./service/unplaced.ts";
import { taskReads } from "./tasks/reads.ts";
import { readMarkerWrites } from "./today/read-markers.ts";
import { todayReads } from "./today/reads.ts";
import { usageReads } from "./usage/reads.ts";
import { webhookReads, webhookWrites } from "./webhooks/webhooks.ts";

/**
 * A system clock this far behind the newest event is logged: new events keep their order, but all get times
 * just after that event.
 */
const clockLagWarningMicros = 60 * secondMicros;

/** All reads, on a connection or in a transaction. */
export const readsOf = (session: Session): Reads => ({
  ...feedReads(session),
  ...projectReads(session),
  ...runReads(session),
  ...memoryReads(session),
  ...guidanceReads(session),
  ...recallReads(session),
  ...rollupReads(session),
  ...usageReads(session),
  ...budgetReads(session),
  ...libraryReads(session),
  ...annotationReads(session),
  ...outboxReads(session),
  ...settingReads(session),
  ...tokenReads(session),
  ...sessionReads(session),
  ...signInLinkReads(session),
  ...auditReads(session),
  ...taskReads(session),
  ...reviewQueueReads(session),
  ...todayReads(session),
  ...notificationReads(session),
  ...unplacedReads(session),
  ...webhookReads(session),
});

/** Built once for each connection: building them costs as much as a transaction that appends one event. */
const recordWrites = preparedStatement((session) =>
  afterCatchUp(
    {
      ...readsOf(session),
      ...projectWrites(session),
      ...memoryWrites(session),
      ...guidanceWrites(session),
      ...rollupWrites(session),
      ...libraryWrites(session),
      ...annotationWrites(session),
      ...runWrites(session),
      ...budgetWrites(session),
      ...outboxWrites(session),
      ...settingWrites(session),
      ...tokenWrites(session),
      ...sessionWrites(session),
      ...signInLinkWrites(session),
      ...auditWrites(session),
      ...readMarkerWrites(session),
      ...notificationWrites(session),
      ...unplacedWrites(session),
      ...webhookWrites(session),
    },
    () => catchUp(session),
  ),
);

/** @param event one that got the next free microsecond at the time `clock` */
export function warnOfLag(log: Log, event: EventRow | undefined, clock: Micros): void {
  if (event && event.ts > clock + clockLagWarningMicros)
    log("warn", "the clock is behind the newest event", {
      behind_s: Math.round((event.ts - clock) / secondMicros),
    });
}

/** All writes of a transaction. A clock far behind the newest event is logged. */
export function writesOf(
  session: Session,
  { now, log }: { now(): Micros; log: Log },
  onAppended: (count: number) => void,
): BatchedWrites {
  const appendEach: BatchedWrites["appendBatches"] = async (batches, along) => {
    let clock = 0;
    const results = await append(session, batches, () => (clock = now()), along);
    onAppended(results.reduce((sum, { added }) => sum + added.length, 0));
    const events = batches.flat();
    const first = results.flatMap(({ added }) => added).find((_, index) => events[index]?.ts === undefined);
    warnOfLag(log, first, clock);
    return results;
  };
  // Not copied: there are more than a hundred of them.
  const writes: Omit<BatchedWrites, "append" | "appendBatches"> = Object.create(recordWrites(session));
  return Object.assign(writes, {
    appendBatches: appendEach,
    append: async (events: Parameters<Data["append"]>[0]) => (await appendEach([events]))[0] as AppendResult,
  });
}
