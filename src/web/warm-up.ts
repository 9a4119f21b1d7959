/**
 * Prepares a process for the next page of a visitor. Statements, checks, and much code are compiled when they
 * are first used: most of the CPU of the first request for a page (`bun run bench page-times`). So once a
 * browser came, each of the usual pages is rendered for no one, whenever no request comes for a moment.
 * A server that only agents use spends neither the time nor the memory.
 */
import type { Context } from "../api/context.ts";
import { adminCaller } from "../core/auth/caller.ts";
import { openMetrics } from "../core/metrics.ts";
import { listRuns } from "../feed/operations/feed.ts";
import { listProjects } from "../feed/operations/projects.ts";
import type { ProjectList } from "../feed/projects/schema.ts";
import type { RunPage } from "../feed/runs/schema.ts";
import type { AssetList } from "../library/assets/schema.ts";
import { listAssets } from "../library/operations/assets.ts";
import type { PageName } from "./routes.ts";
import { callOperation, type View } from "./view.ts";

/** Shorter than the pause between two pages of a visitor, longer than that between requests of many. */
const pauseMs = 20;

interface Target {
  page: PageName;
  path: string;
  params?: Record<string, string>;
}

const usualPages: readonly Target[] = [
  { page: "today", path: "/" },
  { page: "feed", path: "/feed" },
  { page: "tasks", path: "/tasks" },
  { page: "runs", path: "/runs" },
  { page: "assets", path: "/assets" },
  { page: "memory", path: "/memory" },
  { page: "usage", path: "/usage" },
  { page: "projects", path: "/projects" },
  { page: "search", path: "/search?query=a+word" },
];

/**
 * @param isRunning whether the server takes requests
 * @returns takes note of a request, and starts after the first one of a browser
 */
export function warmUpAfterVisit(ctx: Context, isRunning: () => boolean): (request: Request) => void {
  /** Null while a page is rendered, and after the last one. */
  let timer: Timer | null | undefined;
  let targets: Target[] | undefined;
  const arm = () => {
    timer = setTimeout(next, pauseMs);
    timer.unref();
  };
  async function next(): Promise<void> {
    timer = null;
    // What fails is left to those who ask for it.
    targets ??= [...usualPages, ...(await newestPages(viewOf(ctx, "/")).catch(() => []))];
    const target = targets.shift();
    if (!target || !isRunning()) return;
    await renderForNoOne(ctx, target).catch(() => {});
    arm();
  }
  return ({ headers }) => {
    if (timer) timer.refresh();
    else if (timer === undefined && headers.has("cookie")) arm();
  };
}

/** The pages of a project, an asset, and a run. */
async function newestPages(view: View): Promise<Target[]> {
  const [{ projects }, { assets }, { runs }] = await Promise.all([
    callOperation<ProjectList>(view, listProjects, { limit: 1 }),
    callOperation<AssetList>(view, listAssets, { limit: 1 }),
    callOperation<RunPage>(view, listRuns, { limit: 1 }),
  ]);
  const targets: Target[] = [];
  for (const { slug } of projects)
    targets.push({ page: "project", path: `/projects/${slug}`, params: { slug } });
  for (const { id } of assets) targets.push({ page: "asset", path: `/assets/${id}`, params: { id } });
  for (const { id, project } of runs)
    targets.push({ page: "run", path: `/runs/${encodeURIComponent(id)}?project=${project}`, params: { id } });
  return targets;
}

async function renderForNoOne(ctx: Context, { page, path, params = {} }: Target): Promise<void> {
  const { showPage } = await import("./site/site.ts");
  const view = viewOf(ctx, path, params);
  await showPage(page, view, new Request(view.url));
}

/** As an admin would see it; no metric counts it. */
const viewOf = (ctx: Context, path: string, params: Record<string, string> = {}): View => ({
  ctx: { ...ctx, metrics: openMetrics() },
  visitor: { caller: adminCaller, csrf: null, begun: null, signedIn: true },
  params,
  url: new URL(path, ctx.config.siteUrl),
});
