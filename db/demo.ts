/** Demo data for mock mode: 30 days of a fictional team, up to now. */
import type { Data, Writes } from "../src/api/port.ts";
import { dayMicros, type Micros } from "../src/core/lib/time.ts";
import { mediaObjects } from "./demo/assets/media.ts";
import { addBriefs } from "./demo/briefs.ts";
import { addBudgets } from "./demo/budgets.ts";
import type { TimedEvent } from "./demo/draft.ts";
import { guidance } from "./demo/guidance.ts";
import type { DemoDecision } from "./demo/memory.ts";
import { models } from "./demo/models.ts";
import { type DemoMonth, generateMonth } from "./demo/month.ts";
import { addReviewRequest } from "./demo/review-request.ts";
import { addReviews } from "./demo/reviews.ts";
import { addShare } from "./demo/shares.ts";
import { digestedCount } from "./demo/tasks/routine.ts";
import { runIdOf } from "./demo/tasks/run.ts";
import { laneNames, projects } from "./demo/team.ts";
import { addDemoWebhook } from "./demo/webhook.ts";

const batchLength = 500;
/** More than a month of usage rows. */
const usageRowsMax = 10_000;

interface Demo {
  now: Micros;
  lanes: readonly string[];
}

/** Inserts the demo data; the same `now` gives the same rows. @returns the asset files by storage key */
export async function fillDemo(data: Data, { now, lanes }: Demo): Promise<Map<string, Blob>> {
  const month = generateMonth(now, lanes);
  await data.atomically(async (writes) => {
    for (const { slug, repo, stack, summary, check, lanes: places } of projects)
      await writes.linkProject(
        { slug, repo, stack, summary, check_cmd: check, lanes: laneNames(places, lanes) },
        month.linkedAt,
      );
    await saveModels(writes, now, lanes);
    const ids = await addDecisions(writes, month);
    for (const { project, key, value, by, at } of month.preferences)
      await writes.setPreference({
        project,
        key,
        value,
        actor: by,
        source: "cli",
        source_ref: null,
        valid_from: at,
      });
    for (const asset of month.assets) await writes.addAsset(asset);
    for (const note of month.notes) await writes.addNote(note);
    await appendSummarized(writes, month.events);
    await addBriefs(writes, month, ids);
    await addBudgets(writes, month.budgets);
    await addReviews(writes, month.reviews);
    await addReviewRequest(writes, month.reviewRequest);
    await addDemoWebhook(writes, month.linkedAt);
    if (month.share) await addShare(writes, month.share);
    for (const annotation of month.annotations) await writes.addAnnotation(annotation);
  });
  return mediaObjects(month.assets);
}

/** Appends the events; those until the last Sunday are summarized into memory, as the weekly job would. */
async function appendSummarized(writes: Writes, events: TimedEvent[]): Promise<void> {
  const summarized = 1 + events.findLastIndex(({ kind }) => kind === "memory.consolidated");
  await append(writes, events.slice(0, summarized));
  for (const { slug } of projects) {
    await writes.summarizeUsage(slug, usageRowsMax);
    await writes.setDigestedCount(slug, digestedCount(slug, events));
  }
  await append(writes, events.slice(summarized));
}

async function append(writes: Writes, events: TimedEvent[]): Promise<void> {
  for (let start = 0; start < events.length; start += batchLength)
    await writes.append(events.slice(start, start + batchLength));
}

async function saveModels(writes: Writes, now: Micros, lanes: readonly string[]): Promise<void> {
  const at = (ago: number | null) => (ago === null ? null : now - ago * dayMicros);
  for (const { id, provider, lanes: places, onboarded, refreshed } of models) {
    const none = { guidance_count: 0, skill_count: 0 };
    await writes.saveModel({
      id,
      provider,
      lanes: laneNames(places, lanes),
      ...none,
      onboarded_at: at(onboarded),
      refreshed_at: at(refreshed),
    });
    for (const { source, sections } of guidance.filter(({ model }) => model === id))
      await writes.saveGuidance(id, source, sections, at(refreshed) as Micros);
  }
}

/** @returns the ids of the decisions */
async function addDecisions(
  writes: Writes,
  { decisions: decided }: DemoMonth,
): Promise<Map<DemoDecision, number>> {
  const ids = new Map<DemoDecision, number>();
  for (const one of decided) {
    const { project, text, source, source_ref = null, by, at, replaces, run } = one;
    const replaced = decided.find(({ name }) => name !== undefined && name === replaces);
    const supersedes = replaced && ids.get(replaced);
    const row = await writes.addDecision({
      project,
      text,
      source,
      source_ref,
      actor: by,
      valid_from: at,
      ...(supersedes !== undefined && { supersedes }),
      ...(run && { run_id: runIdOf(run) }),
    });
    if (row) ids.set(one, row.id);
    if (row && one.retired) await writes.retireDecisions(project, { id: row.id }, one.retired);
  }
  return ids;
}
