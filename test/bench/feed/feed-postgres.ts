/** `GET /feed?limit=50` on Postgres, against the same statement by Bun.SQL alone. CPU includes that of Postgres. */
import type { ExportedRow } from "../../../src/core/maintenance.ts";
import { columns, timeOf, valuesOf } from "../measuring/events.ts";
import { compareCpu, http, wrk } from "../measuring/load.ts";
import type { Place, Result } from "../measuring/measure.ts";
import type { Mix } from "../measuring/mixes.ts";
import { bearer, read, requireSame, servePlain, serveSvc, withData } from "../measuring/svc.ts";
import { randomPlaces } from "./feed.ts";

const eventCount = 50_000;
const batchLength = 1_000;
const path = "/api/v1/feed?limit=50";

export async function measureFeedOnPostgres(place: Place, svc: string, mix: Mix): Promise<Result[]> {
  const postgres = await place.startPostgres({ durable: false });
  await fill(postgres.url, mix);
  const ours = await serveSvc(place, svc, "feed-postgres", { SVC_DATABASE_URL: postgres.url });
  const plain = await servePlain(place, "feed", postgres.url);
  for (const url of [ours, plain]) place.addProcess(url, postgres.pid());
  const places = randomPlaces(eventCount);
  requireSame(await read(`${ours}${path}${places[0]}`), await read(`${plain}/wire?limit=50${places[0]}`));
  const get = (url: string, target: string, pages: string[]) =>
    wrk(place, { url, requests: pages.map((query) => http("GET", target + query, bearer)) });
  return await compareCpu(
    {
      newest: await get(ours, path, [""]),
      plainNewest: await get(plain, "/wire?limit=50", [""]),
      random: await get(ours, path, places),
      plainRandom: await get(plain, "/wire?limit=50", places),
    },
    [
      ["feed on Postgres, newest page, against its query by Bun.SQL", "newest", "plainNewest"],
      ["feed on Postgres, random page, against its query by Bun.SQL", "random", "plainRandom"],
    ],
    { unit: "pages" },
  );
}

async function fill(url: string, mix: Mix): Promise<void> {
  const rowOf = (index: number): ExportedRow => {
    const values = valuesOf(index, timeOf(index), mix);
    return { payload: null, ...Object.fromEntries(columns.map((name, at) => [name, values[at]])) };
  };
  await withData(url, (data) =>
    data.replaceAllRows(async (rows) => {
      for (let first = 0; first < eventCount; first += batchLength)
        await rows.put(
          "events",
          Array.from({ length: batchLength }, (_, index) => rowOf(first + index)),
        );
      await rows.put("feed_head", [{ one: 1, id: eventCount, ts: timeOf(eventCount - 1) }]);
    }),
  );
}
