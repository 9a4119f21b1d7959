/** Rows for mock mode: the month of an imagined team, told up to now. */
import type { Data, Writes } from "../src/data.ts";
import { dayMicros, type Micros } from "../src/lib/time.ts";
import type { Dated } from "./demo/draft.ts";
import { guidance } from "./demo/guidance.ts";
import { objectsOf } from "./demo/media.ts";
import { models } from "./demo/models.ts";
import { type Month, tellMonth } from "./demo/month.ts";
import { digestedOf } from "./demo/routine.ts";
import { laneNames, projects } from "./demo/team.ts";

const batchLength = 500;
/** More than a month of sums. */
const foldMax = 10_000;

interface Demo {
  now: Micros;
  lanes: readonly string[];
}

/** The same `now` gives the same rows. @returns the bytes behind them, by their keys */
export async function fillDemo(data: Data, { now, lanes }: Demo): Promise<Map<string, Blob>> {
  const month = tellMonth(now, lanes);
  await data.atomically(async (writes) => {
    for (const { slug, repo, stack, summary, check, lanes: places } of projects)
      await writes.linkProject(
        { slug, repo, stack, summary, check_cmd: check, lanes: laneNames(places, lanes) },
        month.linkedAt,
      );
    await saveModels(writes, now, lanes);
    await addDecisions(writes, month);
    for (const { project, key, value, by, at } of month.preferred)
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
    await appendFolded(writes, month.events);
  });
  return objectsOf(month.assets);
}

/** What was folded into memory on the last Sunday is what had happened until then. */
async function appendFolded(writes: Writes, events: Dated[]): Promise<void> {
  const folded = 1 + events.findLastIndex(({ kind }) => kind === "memory.consolidated");
  await append(writes, events.slice(0, folded));
  for (const { slug } of projects) {
    await writes.summarizeUsage(slug, foldMax);
    await writes.setDigestedCount(slug, digestedOf(slug, events));
  }
  await append(writes, events.slice(folded));
}

async function append(writes: Writes, events: Dated[]): Promise<void> {
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

async function addDecisions(writes: Writes, { decided }: Month): Promise<void> {
  const ids = new Map<string, number>();
  for (const { project, text, source, source_ref = null, by, at, name, replaces } of decided) {
    const supersedes = replaces === undefined ? undefined : ids.get(replaces);
    const decision = { project, text, source, source_ref, actor: by, valid_from: at };
    const row = await writes.addDecision({ ...decision, ...(supersedes !== undefined && { supersedes }) });
    if (row && name) ids.set(name, row.id);
  }
}
