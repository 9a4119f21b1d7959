/** Appends through `POST /events`: batches of 100 against a plain loop of inserts as durable, and single events of many writers at once. */
import { join } from "node:path";
import { eventOf, makeDatabase } from "./events.ts";
import { inRounds, median, type Place, type Result, ratioOf } from "./measure.ts";

const rounds = 15;
const batches = 100;
const batchLength = 100;
const connections = 4;

export async function measureAppend(place: Place, svc: string): Promise<Result[]> {
  for (const name of ["ours", "plain"]) await makeDatabase(place.path(`${name}.db`), 0);
  const url = await place.serve([svc, "serve"], {
    SVC_DATABASE_URL: `sqlite:${place.path("ours.db")}`,
    ...{ SVC_PORT: "0", SVC_RATE_LIMIT: "off", SVC_API_TOKENS: "bench:feed:write" },
  });
  const plain = place.run([process.execPath, join(import.meta.dir, "plain/append.ts"), place.path("plain.db")]);
  const firstOf = { ours: 0, plain: 0 };
  const nextFirst = (who: keyof typeof firstOf): number => (firstOf[who] += batches * batchLength);
  const seen = await inRounds(rounds, {
    ours: async () => {
      const first = nextFirst("ours");
      const requests = Array.from({ length: batches }, (_, batch) => append(first + batch * batchLength));
      return (await place.fire({ url, connections, requests })) * batchLength;
    },
    plain: () => plain({ first: nextFirst("plain"), batches }),
  });
  const ratio = ratioOf(seen.ours, seen.plain);
  const [svcRate, ceiling] = [perSecond(seen.ours), perSecond(seen.plain)];
  return [
    { measure: "append, batches of 100", svc: svcRate, ceiling, ratio, aim: "at least 0.60 x", reached: ratio >= 0.6 },
    await measureSingles(place, url),
  ];
}

const singles = 640;
const writers = 64;

/** What many writers gain from sharing commits, against one who waits for each of its own. */
async function measureSingles(place: Place, url: string): Promise<Result> {
  let first = 100_000_000;
  const fire = (connections: number) => () =>
    place.fire({ url, connections, requests: Array.from({ length: singles }, () => append(first++, 1)) });
  const seen = await inRounds(rounds, { together: fire(writers), alone: fire(1) });
  const ratio = ratioOf(seen.together, seen.alone);
  return {
    ...{
      measure: `append, single events, ${writers} writers against one`,
      svc: perSecond(seen.together),
      ceiling: perSecond(seen.alone),
      ratio,
    },
    ...{ aim: "at least 5.00 x", reached: ratio >= 5 },
  };
}

const perSecond = (rates: number[]): string => `${Math.round(median(rates))} events/s`;

function append(first: number, length = batchLength): string {
  const events = Array.from({ length }, (_, index) => ({ ...eventOf(first + index), dedupe_key: `bench:${first + index}` }));
  const body = JSON.stringify({ events });
  return `POST /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer bench\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
