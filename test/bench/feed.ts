/** `GET /feed?limit=50` on a million events, against two plain servers of the same page. */
import { join } from "node:path";
import { openData } from "../../db/open.ts";
import { hashToken, mintToken } from "../../src/auth/token.ts";
import { fromMicros } from "../../src/time.ts";
import { makeDatabase, timeOf } from "./events.ts";
import { inRounds, median, type Place, type Result, ratioOf } from "./measure.ts";

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
    SVC_RATE_LIMIT: "off",
    SVC_PUBLIC_READ: "1",
  });
  const plain = await place.serve([process.execPath, join(import.meta.dir, "plain/feed.ts"), place.path("svc.db")]);

  await requireSame(`${ours}/api/v1/feed`, `${plain}/rows`, `${plain}/wire`);
  const fire =
    (url: string, path: string, where: "newest" | "random", field = "") =>
    () =>
      place.fire({
        url,
        connections,
        forMs,
        requests: pages(where).map((query) => `GET ${path}${query} HTTP/1.1\r\nHost: localhost\r\n${field}\r\n`),
      });
  const results: Result[] = [];
  for (const where of ["newest", "random"] as const) {
    const seen = await inRounds(rounds, {
      token: fire(ours, "/api/v1/feed", where, `Authorization: Bearer ${token}\r\n`),
      "public read": fire(ours, "/api/v1/feed", where),
      rows: fire(plain, "/rows", where),
      wire: fire(plain, "/wire", where),
    });
    for (const how of ["token", "public read"] as const) {
      for (const ceiling of ["rows", "wire"] as const) {
        const ratio = ratioOf(seen[how], seen[ceiling]);
        results.push({
          measure: `feed, ${where} page, ${how}, against ${ceilings[ceiling]}`,
          svc: perSecond(seen[how]),
          ceiling: perSecond(seen[ceiling]),
          ratio,
          aim: ceiling === "rows" ? "at least 1.00 x" : "none",
          reached: ceiling === "wire" || ratio >= 1,
        });
      }
    }
  }
  return results;
}

const ceilings = { rows: "columns + JSON.stringify", wire: "svc's own statement" };
const perSecond = (rates: number[]): string => `${Math.round(median(rates))} pages/s`;

/** Queries of pages: always the newest, or 500 places all over the feed. */
const pages = (where: "newest" | "random"): string[] =>
  where === "newest"
    ? ["?limit=50"]
    : Array.from({ length: 500 }, (_, index) => `?limit=50&before=${fromMicros(timeOf((index * 618_033) % eventCount))}`);

/** Only programs that answer alike can be compared. */
async function requireSame(...urls: string[]): Promise<void> {
  const texts = await Promise.all(urls.map(async (url) => (await fetch(url + pages("random")[1])).text()));
  if (new Set(texts).size > 1) throw new Error(`the programs answer differently: ${texts.map((text) => text.slice(0, 300)).join("\n")}`);
}

async function makeToken(path: string): Promise<string> {
  const data = await openData(`sqlite:${path}`, { now: () => Date.now() * 1000, log() {} });
  const token = mintToken();
  await data.atomically((writes) =>
    writes.addToken({ name: "bench", hash: hashToken(token), scopes: ["feed:read"], projects: null, created_at: 1, expires_at: null }),
  );
  await data.close();
  return token;
}
