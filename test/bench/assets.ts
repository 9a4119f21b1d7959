/**
 * Pages of fifty of a library of 100,000, each asset with two signed addresses, against a plain program of
 * the same page.
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { openData } from "../../db/open.ts";
import { renderAsset } from "../../src/assets/rendered-asset.ts";
import { cursorOf } from "../../src/lib/cursor.ts";
import type { AssetRow } from "../../src/rows.ts";
import { firing, inRounds, type Place, type Result, ratioOf } from "./measure.ts";
import { againstPeer, servePrebuilt } from "./peers.ts";

const count = 100_000;
const rounds = 15;
const forMs = 300;
const connections = 8;
const ratioMin = 1.3;
const token = "bench";
const start = Date.UTC(2026, 0, 1) * 1000;

export async function measureAssets(place: Place, svc: string): Promise<Result[]> {
  const path = place.path("library/svc.db");
  await makeLibrary(path);
  const env = {
    SVC_DATA_DIR: place.path("library"),
    SVC_PORT: "0",
    SVC_API_TOKENS: `${token}:assets:read`,
    SVC_RATE_LIMIT: "off",
  };
  const ours = await place.serve([svc, "serve"], env);
  const plain = await place.serve([process.execPath, join(import.meta.dir, "plain/assets.ts"), path]);
  await requireSame(`${ours}/api/v1/assets${pageAt(7)}`, `${plain}/${pageAt(7)}`);
  const body = await (
    await fetch(`${ours}/api/v1/assets`, { headers: { authorization: `Bearer ${token}` } })
  ).text();
  const prebuilt = await servePrebuilt(place, body);
  const results: Result[] = [];
  for (const [where, pages] of [
    ["newest page", [""]],
    ["random page", Array.from({ length: 500 }, (_, index) => pageAt((index * 61_803) % count))],
  ] as const) {
    const sendLoad = (url: string, path: string) => {
      const requests = pages.map(
        (query) =>
          `GET ${path}${query} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      );
      return firing(place, { url, connections, forMs, requests });
    };
    const runs = {
      svc: sendLoad(ours, "/api/v1/assets"),
      plain: sendLoad(plain, "/"),
      prebuilt: sendLoad(prebuilt, "/"),
    };
    const found = await inRounds(rounds, runs);
    const said = (name: keyof typeof found) => runs[name].says(found[name], "pages");
    const ratio = ratioOf(found.svc, found.plain);
    results.push({
      ...{
        measure: `assets, ${where}, against rows with two HMACs each`,
        svc: said("svc"),
        ceiling: said("plain"),
        ratio,
      },
      ...{ aim: `at least ${ratioMin.toFixed(2)} x`, reached: ratio >= ratioMin },
    });
    results.push(
      againstPeer(
        `assets, ${where}`,
        "Directus 12 on SQLite, a page of unsigned assets",
        found.svc,
        found.prebuilt,
        25,
      ),
    );
  }
  return results;
}

const idOf = (index: number): string => `01KJMMA2G0${String(index).padStart(16, "0")}`;
const pageAt = (index: number): string => `?cursor=${cursorOf(start + index, `0${idOf(index)}`)}`;

const assetOf = (index: number): AssetRow => ({
  ...{
    id: idOf(index),
    root_id: idOf(index),
    parent_id: null,
    project: "atlas",
    issue: 12,
    pr: null,
    version: 1,
    run_id: null,
  },
  ...{
    title: "Landing page",
    description: null,
    kind: "image",
    mime: "image/png",
    size: 65_536,
    width: 1280,
    height: 720,
  },
  ...{
    duration_ms: null,
    sha256: Bun.SHA256.hash(`${index}`, "hex"),
    status: "approved",
    tags: ["hero"],
    bundle_index: null,
  },
  ...{
    key: `atlas/${idOf(index)}/page.png`,
    has_thumb: true,
    uploader: null,
    set: null,
    created_by: "agent:codex",
    created_at: start + index,
  },
  ...{ reviewed_by: null, reviewed_at: null, review_note: null, public_url: null, expires_at: null },
});

/** Images that were approved; written around the data layer, which would take minutes. */
async function makeLibrary(path: string): Promise<void> {
  const data = await openData(`sqlite:${path}`, { now: () => Date.now() * 1000, log() {} });
  await data.atomically((writes) => writes.linkProject({ slug: "atlas", repo: "acme/atlas" }, start));
  await data.close();
  const database = new Database(path);
  const columns = [...Object.keys(assetOf(0)), "waiting", "wire"];
  const insert = database.prepare(
    `insert into assets (${columns.join()}) values (${columns.map(() => "?").join()})`,
  );
  database.transaction(() => {
    for (let index = 0; index < count; index++) {
      const row = assetOf(index);
      insert.run(...Object.values({ ...row, tags: JSON.stringify(row.tags) }), 0, renderAsset(row));
    }
  })();
  database.close();
}

/** Only programs that answer alike, but for signatures, can be compared. */
async function requireSame(...urls: string[]): Promise<void> {
  const texts = await Promise.all(
    urls.map(async (url) => {
      const page = await (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).json();
      const sorted = (_: string, value: unknown) =>
        typeof value === "object" && value && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).toSorted())
          : value;
      return JSON.stringify(page, sorted).replace(/http:[^"]+\/(view|thumb)\/(\w+)\/\d+-[\w-]+/g, "$1 $2");
    }),
  );
  if (new Set(texts).size > 1)
    throw new Error(`the programs answer differently: ${texts.map((text) => text.slice(0, 900)).join("\n")}`);
}
