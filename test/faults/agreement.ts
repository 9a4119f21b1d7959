/** The oracle of the library after any fault: rows, bytes and events agree, and nothing else is kept. */
import { expect } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { openData } from "../../db/open.ts";
import type { Context } from "../../src/api/context.ts";
import type { Data } from "../../src/api/port.ts";
import { secondMicros } from "../../src/core/lib/time.ts";
import { isBundle } from "../../src/files/probe/kind.ts";
import { storedFormat, thumbnailFormats } from "../../src/files/probe/thumbnails/thumbnail-format.ts";
import { hashObject } from "../../src/files/stores/objects.ts";
import { cleanUpAssets } from "../../src/library/assets/cleanup/retention.ts";
import { finishRemovals } from "../../src/library/removals/finish.ts";
import type { AssetRow } from "../../src/library/rows.ts";
import { assetRowsOf, must, owned, rowsOf, type TestDatabase, until } from "../support/harness.ts";
import type { TestPlace } from "../support/library.ts";

/** A small bundle: its pages are what such an asset keeps besides its bytes. */
export const pages = [
  { name: "index.html", data: "<!doctype html><script src=js/a.js></script>" },
  { name: "js/a.js", data: "1" },
];

/** Opens what a dead server left, as the next one would. */
export async function openLeft(database: TestDatabase): Promise<Data> {
  return openData(database.url, { now: () => Date.now() * 1000, log() {} });
}

/** Postgres ends what a client that is gone had asked for; only then is it known what became of it. */
export async function settled({ dialect, url }: TestDatabase): Promise<void> {
  const others =
    "select count(*)::int as others from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
  if (dialect === "postgres")
    await until(async () => (await rowsOf(url, others))[0]?.others === 0, "no other connection is open");
}

/**
 * Every row has its bytes, every chain one head, every asset its event, every publication its copy; nothing
 * else is kept.
 */
export async function requireAgreement(
  data: Data,
  { store, publicStore, folder }: TestPlace,
): Promise<AssetRow[]> {
  const rows = await assetRowsOf(data);
  const remaining: string[] = [];
  const published: string[] = [];
  for (const row of rows) {
    const removals = await data.removals([row.id]);
    if (removals.length > 0) expect(row.public_url).toBeNull();
    if (removals.some(({ kind }) => kind === "file")) {
      expect([row.key, row.has_thumb, row.bundle_index]).toEqual([null, false, null]);
      continue;
    }
    const key = must(row.key);
    expect(await hashObject(store, key)).toEqual({ size: row.size, sha256: row.sha256 });
    remaining.push(key);
    const format = storedFormat(row);
    if (format) remaining.push(`_variants/${row.id}/${thumbnailFormats[format].filename}`);
    const files = isBundle(row) ? pages.map(({ name }) => name) : [];
    remaining.push(...files.map((name) => `_variants/${row.id}/bundle/${name}`));
    if (row.public_url === null) continue;
    const copies = files.length ? files.map((name) => `atlas/${row.id}/${name}`) : [key];
    if (!files.length) expect((await hashObject(publicStore, key))?.sha256).toBe(row.sha256);
    published.push(...copies);
  }
  for (const chain of Map.groupBy(rows, (row) => row.root_id).values()) {
    const versions = chain.toSorted((a, b) => a.version - b.version);
    expect(versions.map(({ version }) => version)).toEqual(versions.map((_, index) => index + 1));
    expect(versions.map(({ parent_id }) => parent_id)).toEqual(
      versions.map((_, index) => versions[index - 1]?.id ?? null),
    );
    expect(versions.slice(0, -1).every(({ status }) => status === "superseded")).toBe(true);
    expect(versions.at(-1)?.status).not.toBe("superseded");
  }
  const events = (await data.feed(null, { order: "oldest first", after: 0, limit: 100_000 })).map(
    ({ wire }) => JSON.parse(wire),
  );
  const uploaded = events.filter(({ kind }) => kind === "asset.uploaded").map(({ summary }) => summary);
  expect(uploaded.toSorted()).toEqual(
    rows.map(({ title, version }) => `Uploaded ${title}, version ${version}`).sort(),
  );
  const count = (counted: string) => events.filter(({ kind }) => kind === counted).length;
  expect(count("asset.published") - count("asset.unpublished")).toBe(
    rows.filter((row) => row.public_url).length,
  );
  expect(count("asset.deleted")).toBe(rows.filter((row) => row.key === null).length);
  const notes = await data.currentDecisions("atlas", 100_000);
  expect([...new Set(notes.map(({ source_ref }) => source_ref))].sort()).toEqual(
    rows
      .filter(({ review_note }) => review_note !== null)
      .map(({ id }) => id)
      .sort(),
  );

  const ctx = {
    data,
    store: owned(store, data),
    publicStore: owned(publicStore, data),
    now: () => Date.now() * 1000,
  } as Context;
  await finishRemovals(ctx);
  expect(await data.unfinishedRemovals(1)).toEqual([]);
  await cleanUpAssets(ctx, -10 * secondMicros);
  const reserved = new Set<string>();
  const keys = await Array.fromAsync(store.list(""));
  for (const { key } of keys) if (await data.upload(must(key.split("/")[1]))) reserved.add(key);
  expect(
    keys
      .map(({ key }) => key)
      .filter((key) => !reserved.has(key))
      .sort(),
  ).toEqual(remaining.sort());
  expect((await Array.fromAsync(publicStore.list(""))).map(({ key }) => key).sort()).toEqual(
    published.sort(),
  );
  if (folder)
    for (const name of ["private", "public"])
      expect(await readdir(join(folder, name, "_tmp")).catch(() => [])).toEqual([]);
  return rows;
}
