/**
 * `GET /feed?limit=50` on a million events with token and limiter, against plain servers of the same page.
 */
import { join } from "node:path";
import { openData } from "../../db/open.ts";
import { generateToken, hashToken } from "../../src/auth/token.ts";
import { fromMicros } from "../../src/lib/time.ts";
import { makeDatabase, timeOf } from "./events.ts";
import { measureFeedOnPostgres } from "./feed-postgres.ts";
import { firing, inRounds, type Place, type Result, ratioOf } from "./measure.ts";
import { againstPeer, type Peer, servePrebuilt } from "./peers.ts";

const eventCount = 1_000_000;
const rounds = 21;
const forMs = 200;
const connections = 8;

export async function measureFeed(place: Place, svc: string): Promise<Result[]> {
  await makeDatabase(place.path("svc.db"), eventCount);
  const token = await makeToken(place.path("svc.db"));
  const ours = await place.serve([svc, "serve"], {
    SVC_DATA_DIR: place.path("."),
    SVC_PORT: "0",
    SVC_RATE_LIMIT: "999999999/60",
  });
  const plain = await place.serve([
    process.execPath,
    join(import.meta.dir, "plain/feed.ts"),
    place.path("svc.db"),
  ]);
  await requireSame(token, `${ours}/api/v1/feed`, `${plain}/rows`, `${plain}/wire`);
  const newest = await fetch(`${ours}/api/v1/feed${pages("newest")[0]}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const prebuilt = await servePrebuilt(place, await newest.text());
  const sendLoad = (url: string, path: string, where: "newest" | "random", ...fields: string[]) =>
    firing(place, {
      url,
      connections,
      forMs,
      requests: pages(where).map(
        (query) => `GET ${path}${query} HTTP/1.1\r\n${["Host: localhost", ...fields].join("\r\n")}\r\n\r\n`,
      ),
    });
  const bearer = `Authorization: Bearer ${token}`;
  const results: Result[] = [];
  for (const where of ["newest", "random"] as const) {
    const runs = {
      ours: sendLoad(ours, "/api/v1/feed", where, bearer),
      held: sendLoad(ours, "/api/v1/feed", where, bearer, `If-None-Match: ${newest.headers.get("etag")}`),
      rows: sendLoad(plain, "/rows", where),
      wire: sendLoad(plain, "/wire", where),
      prebuilt: sendLoad(prebuilt, "/", where),
    };
    const found = await inRounds(rounds, runs);
    const said = (name: keyof typeof found) => runs[name].says(found[name], "pages");
    const against = (
      measure: string,
      us: keyof typeof found,
      ceiling: keyof typeof found,
      aim: number | null,
    ) => {
      const ratio = ratioOf(found[us], found[ceiling]);
      results.push({
        ...{ measure: `feed, ${where} page, ${measure}`, svc: said(us), ceiling: said(ceiling), ratio },
        ...{
          aim: aim === null ? "none" : `at least ${aim.toFixed(2)} x`,
          reached: aim === null || ratio >= aim,
        },
      });
    };
    against("against columns + JSON.stringify", "ours", "rows", 1.3);
    against("against svc's query in a plain server", "ours", "wire", null);
    const peer = (name: Peer, atLeast: number) =>
      results.push(againstPeer(`feed, ${where} page`, name, found.ours, found.prebuilt, atLeast));
    peer("Directus 12 on SQLite, a page of the feed", 40);
    peer("PostgREST on Postgres, a page of the feed", 3);
    if (where === "newest") {
      against("against a prebuilt response", "ours", "prebuilt", 0.4);
      against("unchanged (304), against a prebuilt response", "held", "prebuilt", 0.5);
    }
  }
  return [...results, ...(await measureFeedOnPostgres(place, svc))];
}

/** Queries of pages: always the newest, or 500 places all over the feed. */
const pages = (where: "newest" | "random"): string[] =>
  where === "newest"
    ? ["?limit=50"]
    : Array.from(
        { length: 500 },
        (_, index) => `?limit=50&before=${fromMicros(timeOf((index * 618_033) % eventCount))}`,
      );

/** Only programs that answer alike can be compared. */
async function requireSame(token: string, ...urls: string[]): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const texts = await Promise.all(
    urls.map(async (url) => (await fetch(url + pages("random")[1], { headers })).text()),
  );
  if (new Set(texts).size > 1)
    throw new Error(`the programs answer differently: ${texts.map((text) => text.slice(0, 300)).join("\n")}`);
}

async function makeToken(path: string): Promise<string> {
  const data = await openData(`sqlite:${path}`, { now: () => Date.now() * 1000, log() {} });
  const token = generateToken();
  await data.atomically((writes) =>
    writes.addToken({
      name: "bench",
      hash: hashToken(token),
      scopes: ["feed:read"],
      projects: null,
      created_at: 1,
      expires_at: null,
    }),
  );
  await data.close();
  return token;
}
