/** The measurements by name, and how one is run. */
import { measureAgents } from "./agents/agents.ts";
import { measureAppend } from "./append/append.ts";
import { measureAppendNodes } from "./append/append-nodes.ts";
import { measureBytes } from "./append/bytes.ts";
import { measureImport } from "./append/import.ts";
import { measureTelemetry } from "./append/telemetry.ts";
import { measureWebhooks } from "./append/webhooks.ts";
import { measureAssets } from "./assets/assets.ts";
import { measureDownload } from "./assets/download.ts";
import { measurePush } from "./assets/push.ts";
import { measureUpload } from "./assets/upload.ts";
import { measureUploads } from "./assets/uploads.ts";
import { measureFeed } from "./feed/feed.ts";
import { measureProjects } from "./feed/projects.ts";
import { measureRecall } from "./feed/recall.ts";
import { measureTail } from "./feed/tail.ts";
import { measureGrowth, measureGrowthOfPartitions, measureGrowthOnPostgres } from "./growth/growth.ts";
import { measureSoak } from "./growth/soak.ts";
import { measureMcp } from "./mcp/mcp.ts";
import { type Options, openPlace, type Result, type Waiting } from "./measuring/measure.ts";
import { measureFirstPaint } from "./pages/first-paint.ts";
import { measurePage } from "./pages/page.ts";
import { measurePageTimes } from "./pages/page-times.ts";
import { measureViews } from "./pages/views.ts";
import { measureHelp } from "./startup/help.ts";
import { measureIdle } from "./startup/idle.ts";
import { measureStart } from "./startup/start.ts";

export const measurements = {
  help: measureHelp,
  start: measureStart,
  idle: measureIdle,
  feed: measureFeed,
  projects: measureProjects,
  append: measureAppend,
  "append-nodes": measureAppendNodes,
  bytes: measureBytes,
  import: measureImport,
  tail: measureTail,
  telemetry: measureTelemetry,
  webhooks: measureWebhooks,
  mcp: measureMcp,
  page: measurePage,
  "page-times": measurePageTimes,
  "first-paint": measureFirstPaint,
  views: measureViews,
  recall: measureRecall,
  assets: measureAssets,
  // Before the large ones: what these leave to the disk slows down what is synced next.
  uploads: measureUploads,
  push: measurePush,
  upload: measureUpload,
  download: measureDownload,
  growth: measureGrowth,
  "growth-postgres": measureGrowthOnPostgres,
  "growth-partitions": measureGrowthOfPartitions,
  soak: measureSoak,
  agents: measureAgents,
};
export type Name = keyof typeof measurements;

/** These take long, or nothing is aimed at: they are measured where they are named. */
const named: readonly string[] = [
  "bytes",
  "append-nodes",
  "soak",
  "agents",
  "growth",
  "growth-postgres",
  "growth-partitions",
] satisfies Name[];

export const usualNames = (Object.keys(measurements) as Name[]).filter((name) => !named.includes(name));

export const isName = (name: string): name is Name => Object.hasOwn(measurements, name);

/** Begins a measurement in a place of its own, so that no server of one runs on beside the next, but to wait. */
export async function begin(name: Name, svc: string, options: Options): Promise<Result[] | Waiting> {
  const place = openPlace();
  try {
    const begun = await measurements[name](place, svc, options);
    if (Array.isArray(begun)) await place.close();
    return Array.isArray(begun) ? begun : { results: begun.results.finally(place.close) };
  } catch (error) {
    await place.close();
    throw error;
  }
}

export async function measure(name: Name, svc: string, options: Options): Promise<Result[]> {
  const begun = await begin(name, svc, options);
  return Array.isArray(begun) ? begun : begun.results;
}
