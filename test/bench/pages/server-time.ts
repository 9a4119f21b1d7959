/**
 * The CPU of the server, its Postgres included, for every page and the lists behind them: of the first request
 * of a process, and of later ones, before each of which a run ends, so that no cache answers. Before these, each
 * connection to Postgres has planned the statements once, as it has in a server that runs for a minute.
 */
import { openSession } from "../../support/test-server.ts";
import { median, openPlace, type Place, waitForTurn } from "../measuring/measure.ts";
import { cpuSeconds } from "../measuring/process-cost.ts";
import { bearer, startSvc, token } from "../measuring/svc.ts";
import { pendingAsset, slugOf } from "./deployment.ts";

const laterRequests = 3;
const measuredAgain = 5;
/** Of SQLite, and of Postgres with its connections. */
const settlingRequests = { own: 3, pooled: 8 };
const serversAtOnce = 4;
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

export interface PageTime {
  path: string;
  /** CPU milliseconds of a request. */
  ms: number;
  bytes: number;
}

export interface Database {
  url: string;
  /** The process of Postgres, whose CPU counts too. */
  pid?: number;
}

/** The CPU of the first request of a process for each of the paths of pages, which gets a server of its own. */
export async function measureFirstRequests(
  svc: string,
  database: Database,
  paths: readonly string[],
): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < paths.length; at += serversAtOnce)
    times.push(...(await firstRequests(svc, database, paths.slice(at, at + serversAtOnce))));
  return times;
}

/** One server after the other gets its request once all of them are idle: most of their start is waiting. */
async function firstRequests(svc: string, database: Database, paths: readonly string[]): Promise<number[]> {
  await waitForTurn();
  const place = openPlace();
  try {
    const servers = await Promise.all(
      paths.map(async (path, index) => ({
        ...(await startServer(place, svc, database, `server-${index}`)),
        path,
      })),
    );
    for (const { cpu } of servers) await untilIdle(cpu);
    const times: number[] = [];
    for (const { path, cpu, request } of servers) times.push((await measureRequest(request, path, cpu)).ms);
    return times;
  } finally {
    await place.close();
  }
}

/**
 * The CPU of later requests of one server. Every path is measured once, and those that may be the slowest of their
 * list again: the others are not what the rows say.
 */
export async function measureLaterRequests(
  svc: string,
  database: Database,
  lists: readonly (readonly string[])[],
): Promise<PageTime[][]> {
  const place = openPlace();
  try {
    const { url, cpu, request } = await startServer(place, svc, database, "server");
    const settling = settlingRequests[database.pid === undefined ? "own" : "pooled"];
    for (let number = 0; number < settling; number++) {
      await endRun(url, number);
      for (const path of lists.flat()) await request(path);
    }
    const measure = async (path: string): Promise<PageTime> => {
      await waitForTurn();
      await endRun(url, settling);
      return measureRequest(request, path, cpu);
    };
    const found: PageTime[][] = [];
    for (const paths of lists) {
      const times: PageTime[] = [];
      for (const path of paths) times.push(await measure(path));
      for (const time of times.toSorted((a, b) => b.ms - a.ms).slice(0, measuredAgain)) {
        const taken = [time.ms];
        while (taken.length < laterRequests) taken.push((await measure(time.path)).ms);
        time.ms = median(taken);
      }
      found.push(times);
    }
    return found;
  } finally {
    await place.close();
  }
}

interface Server {
  url: string;
  /** CPU milliseconds so far of the server and its Postgres. */
  cpu(): number;
  /** @returns the bytes of the response */
  request: Request;
}

type Request = (path: string) => Promise<number>;

/** A server that a browser has signed in to. */
async function startServer(place: Place, svc: string, database: Database, name: string): Promise<Server> {
  const url = await startSvc(place, svc, name, { SVC_DATABASE_URL: database.url });
  const [server = 0] = place.pids(url);
  const pids = [server, ...(database.pid === undefined ? [] : [database.pid])];
  const cookies = await openSession(url, token);
  const Cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  return {
    url,
    cpu: () => pids.reduce((sum, pid) => sum + cpuSeconds(pid) * 1_000, 0),
    async request(path) {
      const headers = { ...bearer, ...(!path.startsWith("/api/") && { Cookie }) };
      const response = await fetch(url + path, { headers });
      const { byteLength } = await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
      return byteLength;
    },
  };
}

async function measureRequest(request: Request, path: string, cpu: () => number): Promise<PageTime> {
  await untilIdle(cpu);
  const before = cpu();
  const bytes = await request(path);
  return { path, ms: cpu() - before, bytes };
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
