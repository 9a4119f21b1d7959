/** `GET /feed?limit=50` on 200,000 events, against plain servers of the same page. */
import { fromMicros } from "../../../src/core/lib/time.ts";
import { makeDatabase, makePlainDatabase, timeOf } from "../measuring/events.ts";
import { compareCpu, http, wrk } from "../measuring/load.ts";
import type { Options, Place, Result } from "../measuring/measure.ts";
import { bearer, read, requireSame, servePlain, servePrebuilt, serveSvc } from "../measuring/svc.ts";
import { measureFeedOnPostgres } from "./feed-postgres.ts";

const eventCount = 200_000;
const path = "/api/v1/feed?limit=50";

export async function measureFeed(place: Place, svc: string, { mix }: Options): Promise<Result[]> {
  await makeDatabase(place.path("feed/svc.db"), eventCount, mix);
  const ours = await serveSvc(place, svc, "feed");
  makePlainDatabase(place.path("feed/plain.db"), eventCount, mix);
  const plain = await servePlain(place, "feed", place.path("feed/svc.db"), place.path("feed/plain.db"));
  const newest = await fetch(ours + path, { headers: bearer });
  const etag = newest.headers.get("etag") ?? "";
  const prebuilt = await servePrebuilt(place, await newest.text());
  const places = randomPlaces(eventCount);
  const [page = ""] = places;
  requireSame(
    ...(await Promise.all([
      ...[ours + path, `${plain}/rows?limit=50`, `${plain}/wire?limit=50`].map((url) => read(url + page)),
    ])),
  );
  const get = (url: string, target: string, pages: string[], headers = {}) =>
    wrk(place, {
      url,
      requests: pages.map((query) => http("GET", target + query, { ...bearer, ...headers })),
    });
  const results = await compareCpu(
    {
      newest: await get(ours, path, [""]),
      unchanged: await get(ours, path, [""], { "If-None-Match": etag }),
      prebuilt: await get(prebuilt, "/", [""]),
      random: await get(ours, path, places),
      rows: await get(plain, "/rows?limit=50", places),
      query: await get(plain, "/wire?limit=50", places),
    },
    [
      ["feed, newest page, against a prebuilt response", "newest", "prebuilt"],
      ["feed, newest page, unchanged (304), against a prebuilt response", "unchanged", "prebuilt"],
      ["feed, random page, against rows and JSON.stringify", "random", "rows"],
      ["feed, random page, against the query of svc in a plain server", "random", "query"],
    ],
    { unit: "pages" },
  );
  return [...results, ...(await measureFeedOnPostgres(place, svc, mix))];
}

/** Far more pages all over the log than the server caches. */
export const randomPlaces = (count: number): string[] =>
  Array.from({ length: 5_000 }, (_, index) => `&before=${fromMicros(timeOf((index * 618_033) % count))}`);
