/**
 * The views on top of the feed: runs, Today, tasks, search, usage and annotations, as the API or the site gives
 * them, on a month of 50 projects; each against a limit of CPU.
 */
import { openData } from "../../../db/open.ts";
import { dayMicros } from "../../../src/core/lib/time.ts";
import type { Run, RunPage } from "../../../src/feed/runs/schema.ts";
import { noisyPng } from "../../support/assets/media.ts";
import { openSession } from "../../support/test-server.ts";
import { longLogEvent, slugOf } from "../growth/long-log.ts";
import { seedProjects } from "../growth/seed-projects.ts";
import { cpuOf, describe, http, type Sample, wrk } from "../measuring/load.ts";
import { inRounds, median, type Place, type Result } from "../measuring/measure.ts";
import { bearer, read, serveSvc, sqliteUrl, token } from "../measuring/svc.ts";
import { type Measure, resultOf } from "../measuring/targets.ts";

const eventCount = 50_000;
const batchLength = 100;
const annotationCount = 100;
const rounds = 3;

/** Each view, its limit in CPU milliseconds, and its addresses, asked for in turn. */
type Views = Partial<Record<Measure, { limitMs: number; paths: string[] }>>;

export async function measureViews(place: Place, svc: string): Promise<Result[]> {
  await fillMonth(sqliteUrl(place, "views"));
  const url = await serveSvc(place, svc, "views");
  const views = viewsOf(await annotatedAsset(url), await someRuns(url));
  const cookies = await openSession(url, token);
  const headers = { ...bearer, Cookie: cookies.map(({ name, value }) => `${name}=${value}`).join("; ") };
  const sides = Object.entries(views).map(async ([measure, { paths }]) => [
    measure,
    await wrk(place, { url, requests: paths.map((path) => http("GET", path, headers)) }),
  ]);
  const samples = await inRounds<string, Sample>(rounds, Object.fromEntries(await Promise.all(sides)));
  return Object.entries(views).map(([measure, { limitMs }]) => {
    const some = samples[measure] ?? [];
    const ms = median(cpuOf(some)) * 1000;
    const row = resultOf(
      measure as Measure,
      describe(some, "answers"),
      `${limitMs} ms CPU`,
      ms / limitMs,
      ms,
    );
    return { ...row, rounds: cpuOf(some) };
  });
}

/** Events of the last 30 days, appended in their order. */
async function fillMonth(url: string): Promise<void> {
  let now = (Date.now() - 30 * 86_400_000) * 1000;
  const data = await openData(url, { now: () => now, log() {} });
  await seedProjects(data);
  const apart = (30 * dayMicros) / eventCount;
  for (let first = 0; first < eventCount; first += batchLength) {
    const batch = Array.from({ length: batchLength }, (_, index) => {
      const { ts, ...event } = longLogEvent(first + index, eventCount);
      return event;
    });
    now += apart * batchLength;
    await data.atomically((writes) => writes.append(batch));
  }
  await data.close();
}

async function someRuns(url: string): Promise<Run[]> {
  const { runs }: RunPage = JSON.parse(await read(`${url}/api/v1/runs?limit=100`));
  return runs;
}

/** @returns the ID of an image with annotations */
async function annotatedAsset(url: string): Promise<string> {
  const send = async (path: string, body: FormData | string): Promise<{ id: string }> => {
    const type = typeof body === "string" ? { "Content-Type": "application/json" } : {};
    const response = await fetch(`${url}/api/v1${path}`, {
      ...{ method: "POST", body, headers: { ...bearer, ...type } },
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response.json() as Promise<{ id: string }>;
  };
  const form = new FormData();
  form.append("project", slugOf(0));
  form.append("file", new File([noisyPng(800, 600) as BlobPart], "map.png"));
  const { id } = await send("/assets", form);
  for (let index = 0; index < annotationCount; index++)
    await send(
      `/assets/${id}/annotations`,
      JSON.stringify({
        weight: "should",
        body: `Move it ${index}`,
        target: { shape: "point", x: index, y: 9 },
      }),
    );
  return id;
}

const viewsOf = (asset: string, runs: Run[]): Views => ({
  "runs, newest page": { limitMs: 1.5, paths: ["/api/v1/runs?limit=50"] },
  "runs of an actor": {
    limitMs: 1.5,
    paths: runs.map(({ actor }) => `/api/v1/runs?limit=50&actor=${actor}`),
  },
  "a run, as a page": { limitMs: 5, paths: runs.map(({ id }) => `/runs/${id}`) },
  "a task, as a page": {
    limitMs: 5,
    paths: runs.map(({ project, issue }) => `/projects/${project}/issues/${issue}`),
  },
  "Today, as a page": { limitMs: 30, paths: ["/"] },
  "recall of two words": {
    limitMs: 3,
    paths: runs.map(({ issue }) => `/api/v1/recall?query=parser+${issue}`),
  },
  "the search page": { limitMs: 20, paths: runs.map(({ issue }) => `/search?query=ledger+${issue}`) },
  "usage by model": { limitMs: 3, paths: ["/api/v1/usage?by=model"] },
  "annotations, 100 of an image": { limitMs: 1.5, paths: [`/api/v1/assets/${asset}/annotations`] },
  "the desk, an image with 100 annotations": { limitMs: 20, paths: [`/assets/${asset}`] },
});
