/**
 * The feed as a page, `/feed`, on a million events, against `GET /feed` of the same server: as people ask for it,
 * again and again the same; with one row that nobody has seen each time, as after every event; and with rows
 * that nobody has seen at all.
 */
import { fromMicros } from "../../src/lib/time.ts";
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
  await makeDatabase(place.path("page/svc.db"), eventCount);
  const server = await place.serve([svc, "serve"], {
    SVC_DATA_DIR: place.path("page"),
    SVC_PORT: "0",
    SVC_RATE_LIMIT: "off",
    SVC_PUBLIC_READ: "1",
  });
  for (const path of ["/feed", `/api/v1/feed?limit=${pageLength}`]) {
    const response = await fetch(server + path);
    if (!response.ok) throw new Error(`${path} answers ${response.status}`);
  }
  const sendLoad = (path: string) => () =>
    place.fire({ url: server, connections, forMs, requests: [get(path)] });
  /**
   * Each address once, and none of a run before; each as many events further back as it shows rows of its
   * own.
   */
  let event = eventCount - 1;
  const fireFresh = (path: string, rows: number) => async () => {
    const next = () => get(`${path}before=${fromMicros(timeOf((event -= rows)))}`);
    return place.fire({ url: server, connections, requests: Array.from({ length: freshCount }, next) });
  };
  const compared = async (
    measure: string,
    page: () => Promise<number>,
    feed: () => Promise<number>,
    isAimed = false,
  ): Promise<Result> => {
    const found = await inRounds(rounds, { page, feed });
    const ratio = median(found.feed.map((rate, round) => rate / (found.page[round] as number)));
    return {
      ...{ measure, svc: msOf(found.page), ceiling: msOf(found.feed), ratio },
      ...{
        aim: isAimed ? `at most ${timesMax.toFixed(2)} x` : "none",
        reached: !isAimed || ratio <= timesMax,
      },
    };
  };
  const [page, feed] = ["/feed?", `/api/v1/feed?limit=${pageLength}&`] as const;
  return [
    await compared("feed page (HTML), time against GET /feed", sendLoad(page), sendLoad(feed), true),
    await compared("feed page, one new row per request", fireFresh(page, 1), fireFresh(feed, 1)),
    await compared("feed page, all rows new", fireFresh(page, pageLength), fireFresh(feed, pageLength)),
  ];
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** Of the server, for one answer. */
const msOf = (rates: number[]): string => `${(1000 / median(rates)).toFixed(2)} ms`;
