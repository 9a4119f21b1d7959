/**
 * The feed as a page, `/`, on a million events, against `GET /feed` of the same server: as people ask for it, again and again
 * the same, and with an address that nobody asked for before, where neither of both has an answer at hand.
 */
import { fromMicros } from "../../src/time.ts";
import { makeDatabase, timeOf } from "./events.ts";
import { inRounds, median, type Place, type Result } from "./measure.ts";

const eventCount = 1_000_000;
const rounds = 21;
const forMs = 200;
const pageLength = 50;
const connections = 8;
const freshCount = 200;
const timesMax = 2;

export async function measurePage(place: Place, svc: string): Promise<Result[]> {
  await makeDatabase(place.path("svc.db"), eventCount);
  const server = await place.serve([svc, "serve"], {
    SVC_DATA_DIR: place.path("."),
    SVC_PORT: "0",
    SVC_RATE_LIMIT: "off",
    SVC_PUBLIC_READ: "1",
  });
  for (const path of ["/", `/api/v1/feed?limit=${pageLength}`]) {
    const response = await fetch(server + path);
    if (!response.ok) throw new Error(`${path} answers ${response.status}`);
  }
  const fire = (path: string) => () => place.fire({ url: server, connections, forMs, requests: [get(path)] });
  /** Each address once, and none of a run before. */
  let asked = 0;
  const fireFresh = (path: string) => async () => {
    const requests = Array.from({ length: freshCount }, () => get(`${path}before=${before(asked++)}`));
    return place.fire({ url: server, connections, requests });
  };
  const seen = await inRounds(rounds, {
    ...{ page: fire("/"), feed: fire(`/api/v1/feed?limit=${pageLength}`) },
    ...{ freshPage: fireFresh("/?"), freshFeed: fireFresh(`/api/v1/feed?limit=${pageLength}&`) },
  });
  const compared = (measure: string, page: number[], feed: number[]): Result => {
    const ratio = median(feed.map((rate, round) => rate / (page[round] as number)));
    return { measure, svc: msOf(page), ceiling: msOf(feed), ratio, aim: `at most ${timesMax.toFixed(2)} x`, reached: ratio <= timesMax };
  };
  return [
    compared("/ as a page, time against GET /feed", seen.page, seen.feed),
    compared("the same, each address for the first time", seen.freshPage, seen.freshFeed),
  ];
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** A page further back each time: rows that nobody has seen. */
const before = (count: number): string => fromMicros(timeOf(eventCount - 1 - count * pageLength));

/** Of the server, for one answer. */
const msOf = (rates: number[]): string => `${(1000 / median(rates)).toFixed(2)} ms`;
