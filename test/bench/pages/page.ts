/**
 * The feed as a page, `/feed`, on 200,000 events, against `GET /feed` of the same server: the same page again
 * and again; with one row that was not rendered before in each, as after every event; and with new rows only.
 */
import { fromMicros } from "../../../src/core/lib/time.ts";
import { makeDatabase, timeOf } from "../measuring/events.ts";
import { compareCpu, http, wrk } from "../measuring/load.ts";
import type { Place, Result } from "../measuring/measure.ts";
import { bearer, read, serveSvc } from "../measuring/svc.ts";

const eventCount = 200_000;
const pageLength = 50;
/** More than a run sends. */
const pagesMax = 20_000;

export async function measurePage(place: Place, svc: string): Promise<Result[]> {
  await makeDatabase(place.path("page/svc.db"), eventCount);
  const url = await serveSvc(place, svc, "page", { SVC_PUBLIC_READ: "1" });
  const [page, feed] = ["/feed?view=events&", `/api/v1/feed?limit=${pageLength}&`] as const;
  await Promise.all([read(url + page), read(url + feed)]);
  /** @param rows how many of a page are not on the one before */
  const get = (path: string, rows: number) => {
    const length = rows === 0 ? 1 : Math.min(pagesMax, eventCount / rows);
    const before = (index: number) => fromMicros(timeOf(eventCount - 1 - index * rows));
    const queries = Array.from({ length }, (_, index) => (rows === 0 ? "" : `before=${before(index)}`));
    return wrk(place, { url, requests: queries.map((query) => http("GET", path + query, bearer)) });
  };
  return compareCpu(
    {
      same: await get(page, 0),
      sameFeed: await get(feed, 0),
      oneNew: await get(page, 1),
      oneNewFeed: await get(feed, 1),
      allNew: await get(page, pageLength),
      allNewFeed: await get(feed, pageLength),
    },
    [
      ["feed page (HTML), against GET /feed", "same", "sameFeed"],
      ["feed page (HTML), one new row, against GET /feed", "oneNew", "oneNewFeed"],
      ["feed page (HTML), all rows new, against GET /feed", "allNew", "allNewFeed"],
    ],
    { unit: "pages" },
  );
}
