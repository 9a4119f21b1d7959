/**
 * An hour of everything at once, at the pace of a busy team: the memory and the CPU time for a request at the
 * end, against those early on.
 */
import { openData } from "../../../db/open.ts";
import type { Asset } from "../../../src/library/assets/schema.ts";
import { toolMessage } from "../mcp/mcp.ts";
import { eventOf } from "../measuring/events.ts";
import { median, type Place, type Result } from "../measuring/measure.ts";

const hourMs = 3_600_000;
/** By then code is compiled, and the caches are full of a log that is larger than they are. */
const warmMs = hourMs / 6;
const filledWith = { batches: 60, events: 1_000 };
const pauseMs = 100;
const lookEvery = 50;
const growthMax = 1.05;
const token = "bench";

export async function measureSoak(place: Place, svc: string): Promise<Result[]> {
  const data = await openData(`sqlite:${place.path("soak/svc.db")}`, {
    now: () => Date.now() * 1000,
    log() {},
  });
  await data.atomically((writes) => writes.linkProject({ slug: "atlas", repo: "acme/atlas" }, 1));
  await data.close();
  const scopes = "feed:read,feed:write,memory:read,memory:write,assets:read,assets:write,assets:review";
  const env = {
    SVC_DATA_DIR: place.path("soak"),
    SVC_PORT: "0",
    SVC_API_TOKENS: `${token}:${scopes}`,
    SVC_RATE_LIMIT: "999999999/60",
  };
  const url = await place.serve([svc, "serve"], env);
  await fill(url);
  const early: Period = { megabytes: [], cpuMicros: [] };
  const late: Period = { megabytes: [], cpuMicros: [] };
  const begun = performance.now();
  let requestCount = 0;
  let last = { requestCount, cpuSeconds: place.cpuSeconds(url) };
  for (let round = 0; performance.now() - begun < hourMs; round++) {
    requestCount += await allAtOnce(url, round);
    if (round % lookEvery === 0) {
      const elapsed = performance.now() - begun;
      const next = { requestCount, cpuSeconds: place.cpuSeconds(url) };
      const period =
        elapsed > hourMs - warmMs ? late : elapsed > warmMs && elapsed < 2 * warmMs ? early : undefined;
      period?.megabytes.push(place.memory(url));
      period?.cpuMicros.push(
        ((next.cpuSeconds - last.cpuSeconds) / (next.requestCount - last.requestCount)) * 1e6,
      );
      last = next;
    }
    await Bun.sleep(pauseMs);
  }
  const row = (measure: string, values: keyof Period, unit: string): Result => {
    const ratio = median(late[values]) / median(early[values]);
    return {
      measure: `${measure} after an hour and ${requestCount} requests of every kind`,
      svc: `${Math.round(median(late[values]))} ${unit}`,
      ceiling: `${Math.round(median(early[values]))} ${unit} early`,
      ...{ ratio, amount: median(late[values]) },
      ...{ aim: `at most ${growthMax} times that of early on`, reached: ratio <= growthMax },
    };
  };
  return [row("memory", "megabytes", "MB"), row("CPU time for a request", "cpuMicros", "µs")];
}

/** What was seen in a part of the hour. */
interface Period {
  megabytes: number[];
  /** Of the server and its descendants, for each request of the last rounds. */
  cpuMicros: number[];
}

const api = "/api/v1";

/** @throws unless the response has this status */
async function ask(url: string, init: RequestInit = {}, status = 200): Promise<Response> {
  const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` };
  const response = await fetch(url, { ...init, headers });
  if (response.status !== status)
    throw new Error(`${url} was answered with ${response.status}: ${await response.text()}`);
  return response;
}

const send = (url: string, fields: object, method = "POST") =>
  ask(url, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(fields) });

const eventNumber = (index: number, key: string) => ({
  ...eventOf(index),
  project: "atlas",
  dedupe_key: key,
});

/** Appends the events that were there before. */
async function fill(url: string): Promise<void> {
  for (let batch = 0; batch < filledWith.batches; batch++) {
    const first = batch * filledWith.events;
    const events = Array.from({ length: filledWith.events }, (_, index) =>
      eventNumber(first + index, `before:${first + index}`),
    );
    await send(`${url}${api}/events`, { events });
  }
}

/** @returns how many requests */
async function allAtOnce(url: string, round: number): Promise<number> {
  const read = async (path: string) => void (await (await ask(url + path)).arrayBuffer());
  const jobs = [
    read(`${api}/feed`),
    read(`${api}/feed?kind=run.finished&limit=20`),
    read(`${api}/feed?before=${anyTimeOf(round)}`),
    read(`${api}/projects/atlas`),
    read(`${api}/assets`),
    read("/healthz"),
    send(`${url}${api}/events`, { events: [eventNumber(round, `soak:${round}`)] }),
    recallOnce(url, `${eventOf(round).summary} in round ${round}`),
    listenOnce(url),
  ];
  if (round % 10 === 0) {
    const body = new FormData();
    body.append("project", "atlas");
    body.append("file", new File([`round ${round} `.repeat(4_000)], "note.txt"));
    const { id, url: bytes }: Asset = await (
      await ask(`${url}${api}/assets`, { method: "POST", body }, 201)
    ).json();
    jobs.push(read(new URL(bytes as string).pathname));
    const review = { decision: "rejected", note: `Not in round ${round}.` };
    await send(`${url}${api}/assets/${id}/review`, review, "PUT");
  }
  await Promise.all(jobs);
  return jobs.length + (round % 10 === 0 ? 2 : 0);
}

/** Another one each time, of the time that the soak has taken. */
const anyTimeOf = (round: number): string =>
  new Date(Date.now() - ((Math.imul(round, 0x9e3779b1) >>> 0) % (round + 1)) * pauseMs).toISOString();

/** Over MCP; words that nobody asked for before. */
async function recallOnce(url: string, query: string): Promise<void> {
  const { headers, body } = toolMessage("svc_recall", { query });
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { ...headers, authorization: `Bearer ${token}` },
    body,
  });
  const text = await response.text();
  if (response.status !== 200 || text.includes('"isError":true'))
    throw new Error(`recall was answered with ${response.status}: ${text}`);
}

/** A live reader that comes, hears something and goes. */
async function listenOnce(url: string): Promise<void> {
  const gone = new AbortController();
  const response = await fetch(`${url}/api/v1/feed/stream`, {
    headers: { authorization: `Bearer ${token}` },
    signal: gone.signal,
  });
  await response.body?.getReader().read();
  gone.abort();
}
