/**
 * An hour of everything at once, at the pace of a busy team: the memory and the CPU time for a request at the
 * end, against those early on. A plain server gets as many requests in the same rounds, since other work on the
 * machine changes what a request takes: the CPU time is given as a multiple of what its request takes.
 * `bun run bench soak 12` takes twelve minutes.
 */
import { openData } from "../../../db/open.ts";
import type { Asset } from "../../../src/library/assets/schema.ts";
import { toolMessage } from "../mcp/mcp.ts";
import { eventOf, makePlainDatabase } from "../measuring/events.ts";
import { median, type Options, type Place, type Result } from "../measuring/measure.ts";
import { servePlain } from "../measuring/svc.ts";

const usualMinutes = 60;
const filledWith = { batches: 60, events: 1_000 };
const pauseMs = 100;
/** A minute of an hour: /proc counts CPU in hundredths of a second, of which the plain server takes a hundred. */
const looksCount = 60;
const plainRequests = 9;
const growthMax = 1.05;
const token = "bench";

export async function measureSoak(
  place: Place,
  svc: string,
  { sizes: [minutes = usualMinutes] = [] }: Options,
): Promise<Result[]> {
  const url = await serveFilled(place, svc);
  makePlainDatabase(place.path("plain.db"), filledWith.batches * filledWith.events);
  const plain = await servePlain(place, "feed", place.path("soak/svc.db"), place.path("plain.db"));
  const looks: Look[] = [];
  const look = (rounds: number, requests: number): Counts => ({
    rounds,
    requests,
    svcSeconds: place.cpuSeconds(url),
    plainSeconds: place.cpuSeconds(plain),
  });
  const begun = performance.now();
  let requestCount = 0;
  let last = look(0, 0);
  for (let round = 0; looks.length < looksCount; round++) {
    const [count] = await Promise.all([allAtOnce(url, round), askPlain(plain)]);
    requestCount += count;
    const elapsedMs = performance.now() - begun;
    if (elapsedMs >= ((looks.length + 1) * minutes * 60_000) / looksCount) {
      const next = look(round + 1, requestCount);
      const found: Look = { ...costsBetween(last, next), megabytes: place.memory(url) };
      looks.push(found);
      last = next;
      process.stderr.write(`${Math.round(elapsedMs / 1000)} s: ${describe(found)}\n`);
    }
    await Bun.sleep(pauseMs);
  }
  return rowsOf(looks, minutes, requestCount);
}

/** What was counted since the start. */
interface Counts {
  rounds: number;
  requests: number;
  svcSeconds: number;
  plainSeconds: number;
}

/** What was seen between two counts. */
interface Look {
  megabytes: number;
  /** CPU time for a request: of the server and its descendants, and of the plain server. */
  svcMicros: number;
  plainMicros: number;
}

function costsBetween(last: Counts, next: Counts): Pick<Look, "svcMicros" | "plainMicros"> {
  return {
    svcMicros: ((next.svcSeconds - last.svcSeconds) / (next.requests - last.requests)) * 1e6,
    plainMicros:
      ((next.plainSeconds - last.plainSeconds) / ((next.rounds - last.rounds) * plainRequests)) * 1e6,
  };
}

const timesPlain = ({ svcMicros, plainMicros }: Look): number => svcMicros / plainMicros;

const describe = (look: Look): string =>
  `${Math.round(look.megabytes)} MB, ${Math.round(look.svcMicros)} µs CPU a request, ${Math.round(look.plainMicros)} µs of the plain server, ${timesPlain(look).toFixed(2)} x`;

/**
 * Compares the last sixth with the second: by then code is compiled, and the caches are full of a log that is larger
 * than they are.
 */
function rowsOf(looks: readonly Look[], minutes: number, requestCount: number): Result[] {
  const sixth = looksCount / 6;
  const early = looks.slice(sixth, 2 * sixth);
  const late = looks.slice(-sixth);
  const row = (
    measure: string,
    amountOf: (look: Look) => number,
    text: (value: number) => string,
  ): Result => {
    const [before, after] = [median(early.map(amountOf)), median(late.map(amountOf))];
    const ratio = after / before;
    return {
      measure: `${measure} after ${minutes} minutes of requests of every kind`,
      svc: `${text(after)} (${requestCount} requests)`,
      ceiling: `${text(before)} early`,
      ...{ ratio, amount: after },
      ...{ aim: `at most ${growthMax} times that of early on`, reached: ratio <= growthMax },
    };
  };
  return [
    row(
      "memory",
      ({ megabytes }) => megabytes,
      (value) => `${Math.round(value)} MB`,
    ),
    row("CPU time for a request", timesPlain, (value) => `${value.toFixed(2)} x that of a plain server`),
  ];
}

/** Starts a server on a log that is larger than its caches. */
async function serveFilled(place: Place, svc: string): Promise<string> {
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
  return url;
}

/** The pages that svc also answers from rows. */
async function askPlain(url: string): Promise<void> {
  const ask = async () => void (await (await fetch(`${url}/rows`)).arrayBuffer());
  await Promise.all(Array.from({ length: plainRequests }, ask));
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
