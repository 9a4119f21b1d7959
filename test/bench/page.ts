/** The feed as a page, `/`, on a million events, against `GET /feed` of the same server. */
import { makeDatabase } from "./events.ts";
import { inRounds, median, type Place, type Result } from "./measure.ts";

const eventCount = 1_000_000;
const rounds = 21;
const forMs = 200;
const connections = 8;
const timesMax = 2;

export async function measurePage(place: Place, svc: string): Promise<Result[]> {
  await makeDatabase(place.path("svc.db"), eventCount);
  const server = await place.serve([svc, "serve"], {
    SVC_DATA_DIR: place.path("."),
    SVC_PORT: "0",
    SVC_RATE_LIMIT: "off",
    SVC_PUBLIC_READ: "1",
  });
  for (const path of ["/", "/api/v1/feed?limit=50"]) {
    const response = await fetch(server + path);
    if (!response.ok) throw new Error(`${path} answers ${response.status}`);
  }
  const fire = (path: string) => () =>
    place.fire({ url: server, connections, forMs, requests: [`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`] });
  const seen = await inRounds(rounds, { page: fire("/"), feed: fire("/api/v1/feed?limit=50") });
  const ratio = median(seen.feed.map((rate, round) => rate / (seen.page[round] as number)));
  return [
    {
      ...{ measure: "/ as a page, time against GET /feed", svc: msOf(seen.page), ceiling: msOf(seen.feed), ratio },
      ...{ aim: `at most ${timesMax.toFixed(2)} x`, reached: ratio <= timesMax },
    },
  ];
}

/** Of the server, for one answer. */
const msOf = (rates: number[]): string => `${(1000 / median(rates)).toFixed(2)} ms`;
