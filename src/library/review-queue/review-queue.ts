/**
 * What waits for a review, by project. A variant set is one thing that waits, however many of its variants
 * are pending: every page, list, and message counts so. Files that repeat a rejected one come last.
 */

import type { Caller } from "../../core/auth/caller.ts";
import { type Json, jsonObject } from "../../core/rendered-json.ts";
import type { Projects } from "../../core/rows.ts";
import { setPageUrl } from "../../memory/set-ref.ts";
import { renderAssets } from "../assets/library.ts";
import type { Asset } from "../assets/schema.ts";
import type { LibraryContext } from "../context.ts";
import type { LibraryReads } from "../port.ts";
import type { PendingAssetsRow, PendingFilter, PendingSetRow, RenderedAsset } from "../rows.ts";
import type { PendingSet } from "../variant-sets/schema.ts";
import { approvedByCaller } from "../verdicts/approvals.ts";
import {
  countMax,
  itemOf,
  loadNewest,
  loadPendingSets,
  projectsMax,
  type QueueItem,
  repeatsOf,
  setItem,
} from "./items.ts";

export interface ProjectQueue {
  project: string;
  /** Up to `countMax`. */
  count: number;
  /** How many of them repeat a rejected file. */
  repeats: number;
  /** The oldest first, then those that repeat a rejected file. */
  oldest: [QueueItem, ...QueueItem[]];
}

/** @param limits `listed`: how many items of each project are returned, and how many repeats */
export async function loadQueues(
  data: LibraryReads,
  projects: Projects,
  { listed, ...filter }: PendingFilter & { listed: number },
): Promise<ProjectQueue[]> {
  const query = { ...filter, projects: projectsMax, count: countMax, listed };
  const [assets, sets] = await Promise.all([
    data.pendingAssets(projects, { ...query, order: "oldest first" }),
    loadPendingSets(data, projects, filter),
  ]);
  const setsOf = Map.groupBy(sets, ({ project }) => project);
  const rowOf = new Map(assets.map((row) => [row.project, row]));
  return [...new Set([...rowOf.keys(), ...setsOf.keys()])]
    .flatMap((project) => queueOf(project, rowOf.get(project), setsOf.get(project) ?? [], listed))
    .toSorted(({ oldest: [a] }, { oldest: [b] }) => Number(a.isRepeat) - Number(b.isRepeat) || a.at - b.at);
}

function queueOf(
  project: string,
  row: PendingAssetsRow | undefined,
  sets: PendingSetRow[],
  max: number,
): ProjectQueue[] {
  const items = [
    ...(row?.listed ?? []).map(itemOf),
    ...sets.map((set) => setItem(set, set.listed[0].created_at)),
  ];
  const [first, ...others] = [...items.sort((a, b) => a.at - b.at).slice(0, max), ...repeatsOf(row)];
  const count = Math.min(countMax, (row?.count ?? 0) + sets.length);
  return first ? [{ project, count, repeats: row?.repeats ?? 0, oldest: [first, ...others] }] : [];
}

export interface ProjectPending {
  /** The newest first: the pending assets, and of each set some variants. */
  assets: Asset[];
  /** Up to `countMax`, without what the caller approved. */
  count: number;
  /** Where a review begins. */
  first: QueueItem | null;
}

/** What waits for the caller in a project. @param project that the caller may see */
export async function loadProjectPending(
  ctx: LibraryContext,
  { project, max }: { project: string; max: number },
  caller: Pick<Caller, "name" | "actor">,
): Promise<ProjectPending> {
  const { data } = ctx;
  const approved = await approvedByCaller(ctx, caller);
  const [waiting, [queue]] = await Promise.all([
    loadNewest(data, project, max),
    loadQueues(data, [project], { listed: 1, without: [...approved.keys()] }),
  ]);
  const ids = waiting.flatMap(({ id, set }) => (set ? set.listed.map((one) => one.id) : [id]));
  const found = (await data.assetsById(ids)).toSorted((a, b) => b.created_at - a.created_at);
  return {
    assets: renderAssets(ctx, found).map(({ text }) => JSON.parse(text) as Asset),
    count: queue?.count ?? 0,
    // The desk goes from the newest to the oldest.
    first: waiting.find(({ id, set }) => set !== null || !approved.has(id)) ?? queue?.oldest[0] ?? null,
  };
}

/** Each queue with its oldest items. */
export async function renderQueues(ctx: LibraryContext, queues: readonly ProjectQueue[]) {
  const items = queues.flatMap(({ oldest }) => oldest);
  const variants = items.flatMap(({ set }) => set?.listed.map(({ id }) => id) ?? []);
  const found = await ctx.data.assetsById([...new Set([...items.map(({ id }) => id), ...variants])]);
  const assets = new Map(found.map((asset) => [asset.id, asset]));
  return queues.map(({ project, count, repeats, oldest }) =>
    jsonObject<RenderedQueue>({
      project,
      count,
      repeats,
      oldest: render(ctx, oldest, assets),
      sets: oldest.flatMap(({ set }) => (set ? [renderSet(ctx, set, assets)] : [])),
    }),
  );
}

interface RenderedQueue extends Pick<ProjectQueue, "project" | "count" | "repeats"> {
  oldest: Asset[];
  sets: PendingSet[];
}

type Assets = ReadonlyMap<string, RenderedAsset>;

const render = (ctx: LibraryContext, of: readonly { id: string }[], assets: Assets): Json<Asset>[] =>
  renderAssets(
    ctx,
    of.flatMap(({ id }) => assets.get(id) ?? []),
  );

const renderSet = (
  ctx: LibraryContext,
  { project, set, count, listed }: PendingSetRow,
  assets: Assets,
): Json<PendingSet> =>
  jsonObject<PendingSet>({
    set,
    count,
    url: setPageUrl(ctx.config, project, set),
    variants: render(ctx, listed, assets),
  });
