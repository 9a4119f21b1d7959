/**
 * Fills a database with a deployment: tasks with four events each on average, which end in every stage, and
 * assets of those tasks. The same in every run, but for its times, which end now.
 */
import { openData } from "../../../db/open.ts";
import type { Data } from "../../../src/api/port.ts";
import { dayMicros } from "../../../src/core/lib/time.ts";
import type { Appendable } from "../../../src/feed/rows.ts";
import type { EventKind } from "../../../src/feed/schema.ts";
import { givenColumns } from "../../../src/library/assets/versions.ts";
import type { AssetRow } from "../../../src/library/rows.ts";
import { reviewSource } from "../../../src/memory/set-ref.ts";
import { copyDatabase } from "../measuring/copied-database.ts";

export interface Size {
  events: number;
  assets: number;
}

const eventsPerTask = 4;
const days = 60;
const projectCount = 100;
const decisionCount = 1_000;
/** The tasks of a period begin together; each step of them is one append. */
const periods = 125;
const rowsAtOnce = 200;

export const slugOf = (number: number): string => `project-${number}`;
/** Two projects have half of the tasks. */
const projectOf = (task: number): string =>
  slugOf(task % 4 < 2 ? task % 4 : 2 + ((task * 7) % (projectCount - 2)));
const things = ["parser", "scheduler", "harbor map", "importer", "gateway", "ledger", "renderer", "queue"];
const thingOf = (number: number): string => things[number % things.length] as string;

/** What happens to a task; those of one list are four on average. Only new tasks run, older ones ended. */
const histories: EventKind[][] = [
  ["issue.opened"],
  ["issue.opened", "run.started"],
  ["issue.opened", "run.started", "run.failed"],
  ["issue.opened", "run.started", "run.finished", "pr.opened"],
  ["issue.opened", "run.started", "run.finished", "pr.opened", "pr.merged"],
  ["issue.opened", "run.started", "run.finished", "pr.opened", "pr.merged"],
  ["issue.opened", "run.started", "step.usage", "run.finished", "issue.closed"],
  ["issue.opened", "run.started", "step.usage", "run.finished", "pr.opened", "pr.merged", "issue.closed"],
];

/** The deployment of `page-times` and `first-paint`. */
export const usualSize: Size = { events: 20_000, assets: 10_000 };

/** Of SQLite. */
export const copyDeployment = (path: string, size: Size): Promise<void> =>
  copyDatabase(path, `deployment-${size.events}-${size.assets}`, (source) =>
    fillDeployment(`sqlite:${source}`, size),
  );

export async function fillDeployment(url: string, size: Size): Promise<void> {
  const end = Date.now() * 1000;
  let now = end - days * dayMicros;
  const data = await openData(url, { now: () => now, log() {} });
  await data.atomically(async (writes) => {
    for (let number = 0; number < projectCount; number++)
      await writes.linkProject({ slug: slugOf(number), repo: `acme/${slugOf(number)}` }, now);
  });
  const taskCount = size.events / eventsPerTask;
  const apart = (days * dayMicros) / taskCount;
  const tasksAtOnce = Math.ceil(taskCount / periods);
  for (let first = 0; first < taskCount; first += tasksAtOnce) {
    const tasks = Array.from({ length: Math.min(tasksAtOnce, taskCount - first) }, (_, at) => first + at);
    for (let step = 0; step < Math.max(...histories.map(({ length }) => length)); step++) {
      await data.append(tasks.flatMap((task) => eventOf(task, step) ?? []));
      now += (apart * tasksAtOnce) / 10;
    }
    now = end - days * dayMicros + apart * (first + tasksAtOnce);
  }
  now = end;
  await addAssets(data, size.assets, taskCount, end);
  await addDecisions(data, end);
  await data.close();
}

function eventOf(task: number, step: number): Appendable | null {
  const kind = histories[task % histories.length]?.[step];
  if (kind === undefined) return null;
  const project = projectOf(task);
  const works = kind.startsWith("run.") || kind === "step.usage";
  const spends = works && kind !== "run.started";
  return {
    kind,
    project,
    repo: `acme/${project}`,
    issue: task + 1,
    pr: kind.startsWith("pr.") ? 1_000_000 + task : null,
    run_id: works ? `run-${task}` : null,
    actor: works ? `agent:${project}-${task % 3}` : `human:${["maria", "noor", "tomas"][task % 3]}`,
    lane: works ? `lane_${"abc"[task % 3]}` : null,
    model: works ? `model-${task % 5}` : null,
    summary: `#${task + 1}: draw the ${thingOf(task)} again, part ${task % 90}`,
    tokens_in: spends ? (task * 37) % 90_000 : 0,
    tokens_out: spends ? (task * 11) % 4_000 : 0,
    cost_equiv: spends ? ((task * 11) % 4_000) / 1_000 : 0,
    url: `https://github.com/acme/${project}/issues/${task + 1}`,
    dedupe_key: `deployment:${task}:${step}`,
  };
}

/** Pairs of versions: the first one is superseded, of the second ones one of ten is pending, one rejected. */
async function addAssets(data: Data, count: number, taskCount: number, end: number): Promise<void> {
  for (let first = 0; first < count; first += rowsAtOnce)
    await data.atomically(async (writes) => {
      for (let index = first; index < Math.min(count, first + rowsAtOnce); index++) {
        const asset = assetOf(index, count, taskCount, end);
        await writes.addAsset(asset);
        if (asset.status === "rejected")
          await writes.addDecision({
            project: asset.project,
            text: `The ${thingOf(index)} ${index} is too dark`,
            source: reviewSource,
            source_ref: asset.id,
            actor: "human:maria",
            valid_from: asset.reviewed_at as number,
          });
      }
    });
}

function assetOf(index: number, count: number, taskCount: number, end: number): AssetRow {
  const pair = index >> 1;
  const isSecond = index % 2 === 1;
  const task = Math.floor((pair * 2 * taskCount) / count);
  const status = !isSecond ? "superseded" : (["pending", "rejected"][pair % 10] ?? "approved");
  const isReviewed = status === "approved" || status === "rejected";
  const created_at = Math.floor(end - days * dayMicros + ((index + 1) * days * dayMicros) / (count + 1));
  return {
    ...givenColumns({}),
    id: idOf(index),
    root_id: idOf(pair * 2),
    parent_id: isSecond ? idOf(pair * 2) : null,
    version: isSecond ? 2 : 1,
    status: status as AssetRow["status"],
    project: projectOf(task),
    issue: task + 1,
    pr: null,
    run_id: `run-${task}`,
    title: `The ${thingOf(pair)} of ${pair}`,
    kind: "image",
    mime: "image/png",
    size: 48_211,
    sha256: String(index).padStart(64, "0"),
    width: 800,
    height: 600,
    duration_ms: null,
    created_by: `agent:${projectOf(task)}-${task % 3}`,
    created_at,
    reviewed_by: isReviewed ? "human:maria" : null,
    reviewed_at: isReviewed ? created_at + 1_000 : null,
    review_note: status === "rejected" ? "Too dark" : null,
    public_url: null,
    expires_at: null,
    filename: `map-${pair}.png`,
    has_thumb: true,
    thumb_format: null,
    bundle_index: null,
    uploader: null,
    repeats: null,
    key: `${projectOf(task)}/${index}/map.png`,
  };
}

/** In the order of a ULID, whose time is not that of the asset. */
const idOf = (index: number): string => `01K${String(index).padStart(23, "0")}`;
export const pendingAsset = idOf(1);

async function addDecisions(data: Data, end: number): Promise<void> {
  await data.atomically(async (writes) => {
    for (let index = 0; index < decisionCount; index++)
      await writes.addDecision({
        project: projectOf(index),
        text: `Decision ${index}: the ${thingOf(index)} stays as it is, for the sake of part ${index % 90}`,
        source: "mcp",
        source_ref: null,
        actor: "human:maria",
        valid_from: end - (decisionCount - index) * 1_000_000,
      });
  });
}
