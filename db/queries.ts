/** The queries of all nouns, as the reads and writes of the data port. */

import type { Data, Reads } from "../src/api/port.ts";
import type { Log } from "../src/core/context.ts";
import { type Micros, secondMicros } from "../src/core/lib/time.ts";
import type { RewritePosition, Rewriting } from "../src/core/maintenance.ts";
import type { NewAudit } from "../src/core/rows.ts";
import type { AppendResult } from "../src/feed/port.ts";
import type { EventRow } from "../src/feed/schema.ts";
import { addAuditRows, auditReads, auditWrites } from "./core/audit.ts";
import { accessReads, accessWrites } from "./core/auth/access.ts";
import { identityReads, identityWrites } from "./core/auth/identities.ts";
import { sessionReads, sessionWrites } from "./core/auth/sessions.ts";
import { signInLinkReads, signInLinkWrites } from "./core/auth/sign-in-links.ts";
import { tokenReads, tokenWrites } from "./core/auth/tokens.ts";
import { personReads, personWrites } from "./core/people.ts";
import { settingReads, settingWrites } from "./core/settings.ts";
import type { BatchedWrites } from "./engine/append-batching.ts";
import type { Session } from "./engine/session.ts";
import { budgetReads } from "./feed/budgets/reads.ts";
import { budgetWrites } from "./feed/budgets/writes.ts";
import { afterCatchUp, tasksPerStep } from "./feed/catch-up.ts";
import { claimReads, claimWrites } from "./feed/claims.ts";
import { catchUp } from "./feed/derived-rows.ts";
import { append, feedReads, withTaskNumbers } from "./feed/events.ts";
import { filterValueReads } from "./feed/filter-values.ts";
import { projectReads, projectWrites } from "./feed/projects/projects.ts";
import { runReads } from "./feed/runs/reads.ts";
import { groupDayReads } from "./feed/usage/group-days.ts";
import { usageReads } from "./feed/usage/reads.ts";
import { digestReads, digestWrites } from "./integrations/email/digests.ts";
import { telemetryReads, telemetryWrites } from "./integrations/telemetry.ts";
import { webhookReads, webhookWrites } from "./integrations/webhooks/webhooks.ts";
import { annotationReads, annotationWrites } from "./library/annotations/annotations.ts";
import { assetReads, assetWrites, variantSetReads } from "./library/assets/assets.ts";
import { bundleReads, bundleWrites } from "./library/assets/bundles.ts";
import { provenanceReads, provenanceWrites } from "./library/assets/provenance.ts";
import { reviewRequestReads, reviewRequestWrites } from "./library/assets/review-requests.ts";
import { searchedAssetReads } from "./library/assets/searched-assets.ts";
import { uploadReads, uploadWrites } from "./library/assets/uploads.ts";
import { comparisonReads, comparisonWrites } from "./library/comparisons/comparisons.ts";
import { outboxReads, outboxWrites } from "./library/outbox.ts";
import { removalReads, removalWrites } from "./library/removals.ts";
import { fingerprintReads, fingerprintWrites } from "./library/repeats/fingerprints.ts";
import { repeatReads, repeatWrites } from "./library/repeats/repeats.ts";
import { reviewQueueReads } from "./library/review-queue/review-queue.ts";
import { shareReads, shareWrites } from "./library/shares/shares.ts";
import {
  checklistReads,
  checklistWrites,
  policyReads,
  policyWrites,
  rejectionReads,
  verdictReads,
  verdictWrites,
} from "./library/verdicts/verdicts.ts";
import { affectedRows, rewriteRows, rewriteSome } from "./maintenance/rewrite.ts";
import { guidanceReads, guidanceWrites } from "./memory/guidance.ts";
import { memoryReads, memoryWrites } from "./memory/memory.ts";
import { recallReads } from "./memory/recall/search.ts";
import { rollupReads, rollupWrites } from "./memory/rollups.ts";
import { answerReads } from "./overview/inbox/answers.ts";
import { inboxReads, inboxWrites } from "./overview/inbox/inbox.ts";
import { runMemoryReads } from "./overview/runs/reads.ts";
import { runMemoryWrites } from "./overview/runs/writes.ts";
import { savedViewReads, savedViewWrites } from "./overview/saved-views.ts";
import { taskReads } from "./overview/tasks/reads.ts";
import { refreshTasks } from "./overview/tasks/stored-tasks.ts";
import { readMarkerWrites, todayReads } from "./overview/today/today.ts";
import { reportReads } from "./overview/usage/reads.ts";
import { preparedStatement } from "./query/statements.ts";

/**
 * A system clock this far behind the newest event is logged: new events keep their order, but all get times
 * just after that event.
 */
const clockLagWarningMicros = 60 * secondMicros;

/** All reads, on a connection or in a transaction. */
export const readsOf = (session: Session): Reads => ({
  ...feedReads(session),
  ...filterValueReads(session),
  ...projectReads(session),
  ...runReads(session),
  ...runMemoryReads(session),
  ...memoryReads(session),
  ...guidanceReads(session),
  ...recallReads(session),
  ...rollupReads(session),
  ...usageReads(session),
  ...groupDayReads(session),
  ...reportReads(session),
  ...budgetReads(session),
  ...claimReads(session),
  ...assetReads(session),
  ...searchedAssetReads(session),
  ...uploadReads(session),
  ...bundleReads(session),
  ...repeatReads(session),
  ...reviewRequestReads(session),
  ...verdictReads(session),
  ...rejectionReads(session),
  ...policyReads(session),
  ...checklistReads(session),
  ...shareReads(session),
  ...provenanceReads(session),
  ...comparisonReads(session),
  ...fingerprintReads(session),
  ...variantSetReads(session),
  ...annotationReads(session),
  ...outboxReads(session),
  ...settingReads(session),
  ...tokenReads(session),
  ...identityReads(session),
  ...personReads(session),
  ...sessionReads(session),
  ...signInLinkReads(session),
  ...auditReads(session),
  ...accessReads(session),
  ...removalReads(session),
  ...taskReads(session),
  ...reviewQueueReads(session),
  ...todayReads(session),
  ...inboxReads(session),
  ...savedViewReads(session),
  ...answerReads(session),
  ...digestReads(session),
  ...telemetryReads(session),
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
      ...assetWrites(session),
      ...uploadWrites(session),
      ...bundleWrites(session),
      ...repeatWrites(session),
      ...reviewRequestWrites(session),
      ...verdictWrites(session),
      ...policyWrites(session),
      ...checklistWrites(session),
      ...shareWrites(session),
      ...provenanceWrites(session),
      ...comparisonWrites(session),
      ...fingerprintWrites(session),
      ...annotationWrites(session),
      ...runMemoryWrites(session),
      ...budgetWrites(session),
      ...claimWrites(session),
      ...outboxWrites(session),
      ...settingWrites(session),
      ...tokenWrites(session),
      ...identityWrites(session),
      ...personWrites(session),
      ...sessionWrites(session),
      ...signInLinkWrites(session),
      ...auditWrites(session),
      ...accessWrites(session),
      ...removalWrites(session),
      affectedRows: (rewriting: Rewriting) => affectedRows(session, rewriting),
      rewriteRows: (rewriting: Rewriting) => rewriteRows(session, rewriting),
      rewriteSome: (rewriting: Rewriting, after: RewritePosition | null) =>
        rewriteSome(session, rewriting, after),
      ...readMarkerWrites(session),
      ...inboxWrites(session),
      ...savedViewWrites(session),
      ...digestWrites(session),
      ...telemetryWrites(session),
      ...webhookWrites(session),
    },
    async () => {
      while (await catchUpAll(session));
    },
  ),
);

/** Derives what appends and others leave for later, of so many tasks. @returns whether tasks are left */
export async function catchUpAll(session: Session, tasks = tasksPerStep): Promise<boolean> {
  await catchUp(session);
  return refreshTasks(session, tasks);
}

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
  onAppended: (added: EventRow[]) => void,
): BatchedWrites {
  const appendEach: BatchedWrites["appendBatches"] = async (given, along) => {
    const batches = given.map(withTaskNumbers);
    let clock = 0;
    const results = await append(session, batches, () => (clock = now()), along);
    const added = results.flatMap((result) => result.added);
    onAppended(added);
    const events = batches.flat();
    const first = added.find((_, index) => events[index]?.ts === undefined);
    warnOfLag(log, first, clock);
    return results;
  };
  // Not copied: there are more than a hundred of them.
  const writes: Omit<BatchedWrites, "append" | "appendBatches" | "addAuditRows"> = Object.create(
    recordWrites(session),
  );
  return Object.assign(writes, {
    appendBatches: appendEach,
    addAuditRows: (rows: readonly NewAudit[]) => addAuditRows(session, rows),
    append: async (events: Parameters<Data["append"]>[0]) => (await appendEach([events]))[0] as AppendResult,
  });
}
