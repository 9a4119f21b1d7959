/**
 * The CPU of the server, its Postgres included, for every page and the lists behind them: of the first request
 * of a process, and of later ones, before each of which a run ends, so that no cache answers. Before these, each
 * connection to Postgres has planned the statements once, as it has in a server that runs for a minute.
 */
import { openSession } from "../../support/test-server.ts";
import { cpuMs } from "../measuring/cpu-clock.ts";
import { median, openPlace } from "../measuring/measure.ts";
import { bearer, serveSvc, token } from "../measuring/svc.ts";
import { pendingAsset, slugOf } from "./deployment.ts";

const laterRequests = 3;
const settlingRequests = 8;
/** A server is idle once it takes less than so much in so long. */
const idleMs = 0.5;
const idleForMs = 40;

const task = `/projects/${slugOf(0)}/issues/29`;

/** The paths of pages, and of lists of the API. */
export const pagePaths = [
  "/",
  "/feed",
  "/tasks",
  "/tasks?as=table",
  "/tasks?as=table&stage=merged",
  "/tasks?as=table&sort=cost",
  task,
  "/runs",
  "/runs/run-28",
  "/assets",
  "/assets?status=pending&as=list",
  `/assets/${pendingAsset}`,
  "/review?status=pending",
  "/memory",
  "/memory/decisions/1",
  "/usage",
  "/usage?since=30d&by=actor",
  "/usage/events",
  "/search?query=ledger+29",
  "/projects",
  `/projects/${slugOf(0)}`,
  `/projects/${slugOf(0)}/review`,
  "/shares",
  "/views",
  "/more",
  "/methodology",
  "/docs",
  "/settings",
  "/settings/projects",
  `/settings/projects/${slugOf(0)}`,
  "/settings/tokens",
  "/settings/tokens/bench",
  "/settings/webhooks",
  "/settings/email",
  "/settings/audit",
  "/settings/deployment",
  "/removals",
  "/welcome",
];

export const listPaths = [
  "/today",
  "/inbox",
  "/feed",
  "/feed?view=runs",
  "/tasks",
  "/tasks?stage=waiting",
  "/tasks?sort=age",
  "/tasks/board",
  "/runs",
  "/runs?sort=cost",
  "/assets",
  "/decisions",
  "/recall?query=ledger+part",
  "/search?query=ledger+part",
  "/projects",
  `/projects/${slugOf(0)}`,
  `/projects/${slugOf(0)}/brief?issue=29`,
  "/usage",
  "/usage?by=actor",
  "/usage?by=task",
  "/usage/rejected",
  "/budgets",
].map((path) => `/api/v1${path}`);

export interface ServerTime {
  path: string;
  first: number;
  later: number;
  bytes: number;
}

export interface Database {
  url: string;
  /** The process of Postgres, whose CPU counts too. */
  pid?: number;
}

/** Starts a server for each path, or one for all: then `first` is not that of a process. */
export async function measureServerTimes(
  svc: string,
  database: Database,
  paths: readonly string[],
  servers: "one each" | "one",
): Promise<ServerTime[]> {
  const times: ServerTime[] = [];
  for (const group of servers === "one" ? [paths] : paths.map((path) => [path])) {
    const place = openPlace();
    try {
      const url = await serveSvc(place, svc, "server", { SVC_DATABASE_URL: database.url });
      const [server = 0] = place.pids(url);
      const pids = [server, ...(database.pid === undefined ? [] : [database.pid])];
      const cpu = () => pids.reduce((sum, pid) => sum + cpuMs(pid), 0);
      for (const path of group) times.push(await timesOf(url, path, cpu));
    } finally {
      await place.close();
    }
  }
  return times;
}

async function timesOf(url: string, path: string, cpu: () => number): Promise<ServerTime> {
  const cookies = path.startsWith("/api/") ? [] : await openSession(url, token);
  const Cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const headers = { ...bearer, ...(Cookie && { Cookie }) };
  let bytes = 0;
  const request = async () => {
    const response = await fetch(url + path, { headers });
    bytes = (await response.arrayBuffer()).byteLength;
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  };
  const take = async () => {
    await untilIdle(cpu);
    const before = cpu();
    await request();
    return cpu() - before;
  };
  const first = await take();
  const later: number[] = [];
  for (let number = 0; number < settlingRequests + laterRequests; number++) {
    await endRun(url, number);
    if (number < settlingRequests) await request();
    else later.push(await take());
  }
  return { path, first, later: median(later), bytes };
}

async function untilIdle(cpu: () => number): Promise<void> {
  for (let before = Number.NEGATIVE_INFINITY; ; ) {
    const now = cpu();
    if (now - before < idleMs) return;
    before = now;
    await Bun.sleep(idleForMs);
  }
}

async function endRun(url: string, request: number): Promise<void> {
  const event = {
    kind: "run.finished",
    project: slugOf(0),
    issue: 29,
    run_id: "run-28",
    actor: "agent:project-0-1",
    summary: `Finished again, ${request}`,
    cost_equiv: 0.01,
  };
  const response = await fetch(`${url}/api/v1/events`, {
    method: "POST",
    headers: { ...bearer, "Content-Type": "application/json" },
    body: JSON.stringify({ events: [event] }),
  });
  if (!response.ok) throw new Error(`the event was refused: ${await response.text()}`);
}
