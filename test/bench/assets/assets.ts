/**
 * Pages of fifty of a library of 100,000, each asset with two signed addresses, against a plain program of
 * the same page.
 */
import { Database } from "bun:sqlite";
import { openData } from "../../../db/open.ts";
import { cursorOf } from "../../../src/core/lib/cursor.ts";
import { renderAsset } from "../../../src/library/assets/rendered-asset.ts";
import { givenColumns } from "../../../src/library/assets/versions.ts";
import type { AssetRow } from "../../../src/library/rows.ts";
import { compareCpu, http, wrk } from "../measuring/load.ts";
import type { Place, Result } from "../measuring/measure.ts";
import { bearer, servePlain, serveSvc } from "../measuring/svc.ts";

const count = 100_000;
const start = Date.UTC(2026, 0, 1) * 1000;
const path = "/api/v1/assets";

export async function measureAssets(place: Place, svc: string): Promise<Result[]> {
  const database = place.path("library/svc.db");
  await makeLibrary(database, count);
  const ours = await serveSvc(place, svc, "library");
  const plain = await servePlain(place, "assets", database);
  await requireSame(`${ours}${path}${pageAt(7)}`, `${plain}/${pageAt(7)}`);
  const pages = Array.from({ length: 500 }, (_, index) => pageAt((index * 61_803) % count));
  const get = (url: string, target: string, queries: string[]) =>
    wrk(place, { url, requests: queries.map((query) => http("GET", target + query, bearer)) });
  return compareCpu(
    {
      newest: await get(ours, path, [""]),
      plainNewest: await get(plain, "/", [""]),
      random: await get(ours, path, pages),
      plainRandom: await get(plain, "/", pages),
    },
    [
      ["assets, newest page, against rows with two HMACs each", "newest", "plainNewest"],
      ["assets, random page, against rows with two HMACs each", "random", "plainRandom"],
    ],
    { unit: "pages" },
  );
}

const idOf = (index: number): string => `01KJMMA2G0${String(index).padStart(16, "0")}`;
const pageAt = (index: number): string => `?cursor=${cursorOf(start + index, `0${idOf(index)}`)}`;

const assetOf = (index: number): AssetRow => ({
  ...givenColumns({ issue: 12, title: "Landing page", tags: ["hero"] }),
  ...{
    id: idOf(index),
    root_id: idOf(index),
    parent_id: null,
    filename: null,
    project: "atlas",
    version: 1,
    run_id: null,
  },
  ...{
    title: "Landing page",
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
    bundle_index: null,
  },
  ...{
    key: `atlas/${idOf(index)}/page.png`,
    has_thumb: true,
    thumb_format: null,
    uploader: null,
    repeats: null,
    created_by: "agent:codex",
    created_at: start + index,
  },
  ...{ reviewed_by: null, reviewed_at: null, review_note: null, public_url: null, expires_at: null },
});

/** Images that were approved; written around the data layer, which would take minutes. */
export async function makeLibrary(path: string, count: number): Promise<void> {
  const data = await openData(`sqlite:${path}`, { now: () => Date.now() * 1000, log() {} });
  await data.atomically((writes) => writes.linkProject({ slug: "atlas", repo: "acme/atlas" }, start));
  await data.close();
  const database = new Database(path);
  const columns = [...Object.keys(assetOf(0)), "waiting", "wire"];
  const insert = database.prepare(
    `insert into assets (${columns.map((column) => `"${column}"`).join()}) values (${columns.map(() => "?").join()})`,
  );
  database.transaction(() => {
    for (let index = 0; index < count; index++) {
      const row = assetOf(index);
      insert.run(
        ...Object.values({ ...row, tags: JSON.stringify(row.tags), repeats: null }),
        0,
        renderAsset(row),
      );
    }
  })();
  database.close();
}

/** Only programs that answer alike, but for signatures, can be compared. */
async function requireSame(...urls: string[]): Promise<void> {
  const texts = await Promise.all(
    urls.map(async (url) => {
      const page = await (await fetch(url, { headers: bearer })).json();
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
