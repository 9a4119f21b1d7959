/** What goes into a backup: every row as it was at one moment, and the bytes that those rows promise. */

import type { Context } from "../context.ts";
import { fromMicros } from "../lib/time.ts";
import type { DatabaseExport, ExportedRow } from "../maintenance.ts";
import { isBundle } from "../probe/kind.ts";
import type { AssetRow, UploadRow } from "../rows.ts";
import { pendingKey } from "../stores/keys.ts";
import type { Store } from "../stores/store.ts";
import { commit, version } from "../version.ts";
import {
  bytesOf,
  type End,
  type Entry,
  type Header,
  headerName,
  numbered,
  once,
  textEntry,
} from "./archive.ts";

const fileBytes = 4 * 2 ** 20;

type Promised = Pick<
  AssetRow,
  "id" | "project" | "key" | "size" | "sha256" | "kind" | "mime" | "has_thumb" | "bundle_index" | "public_url"
>;
type Reserved = Pick<UploadRow, "id" | "key">;

export interface Packed {
  entries: AsyncGenerator<Entry>;
  /** To be asked for when all entries have been read. */
  facts(): Omit<End, "entries" | "sha256" | "damaged">;
}

type Needs = Pick<Context, "data" | "store" | "publicStore" | "now">;

export function pack(ctx: Needs, { bytes }: { bytes: boolean }): Packed {
  const facts = { rows: {} as Record<string, number>, swept: [] as string[], missing: [] as string[] };
  /**
   * Of every asset and every reservation a few words: what is kept in memory grows with their number, not
   * with their bytes.
   */
  const assets: Promised[] = [];
  const uploads: Reserved[] = [];

  async function* entries(): AsyncGenerator<Entry> {
    const moment = await momentOf(ctx);
    try {
      const header: Header = {
        ...{ format: 1, made_by: `svc ${version} (${commit})`, made_at: fromMicros(ctx.now()) },
        ...{ migrations: await moment.rows.migrations(), bytes },
      };
      yield textEntry(headerName, `${JSON.stringify(header, null, 2)}\n`);
      for (const table of moment.rows.tables) yield* files(moment.rows, table);
    } finally {
      await moment.close();
    }
    if (!bytes) return;
    for (const asset of assets) yield* bytesOfAsset(asset);
    if (ctx.store) for (const upload of uploads) yield* bytesOfUpload(ctx.store, upload);
  }

  async function* files(all: DatabaseExport, table: string): AsyncGenerator<Entry> {
    let lines: string[] = [];
    let length = 0;
    let number = 0;
    const file = () => {
      const whole = bytesOf(lines.join(""));
      [lines, length] = [[], 0];
      return { name: numbered(`rows/${table}`, ++number), size: whole.length, body: once(whole) };
    };
    facts.rows[table] = 0;
    for await (const page of all.rows(table))
      for (const row of page) {
        remember(table, row);
        facts.rows[table]++;
        const line = `${JSON.stringify(row)}\n`;
        lines.push(line);
        length += line.length;
        if (length >= fileBytes) yield file();
      }
    if (lines.length > 0) yield file();
  }

  function remember(table: string, row: ExportedRow): void {
    // safe because: these are the rows of those tables
    if (table === "assets") {
      const { id, project, key, size, sha256, kind, mime, has_thumb, bundle_index, public_url } =
        row as unknown as Promised;
      if (key ?? public_url)
        assets.push({ id, project, key, size, sha256, kind, mime, has_thumb, bundle_index, public_url });
    }
    if (table === "uploads") uploads.push({ id: row.id, key: row.key } as Reserved);
  }

  async function* bytesOfAsset(asset: Promised): AsyncGenerator<Entry> {
    const { id, project, key, sha256, has_thumb, bundle_index, public_url } = asset;
    const { store, publicStore, data } = ctx;
    if (public_url !== null && publicStore) {
      const said = isBundle(asset) ? {} : { sha256 };
      for await (const found of publicStore.list(`${project}/${id}/`))
        yield* object("public", publicStore, found.key, said);
    }
    if (key === null || !store) return;
    yield* object("private", store, key, { sha256 });
    if (has_thumb || bundle_index !== null)
      for await (const found of store.list(`_variants/${id}/`)) yield* object("private", store, found.key);
    // The time of a version may be over since that moment; then its row promises nothing any more.
    if ((await data.asset(null, id))?.key === null) facts.swept.push(id);
  }

  /** An upload may have become an asset since that moment; the bytes are the same. */
  async function* bytesOfUpload(store: Store, { id, key }: Reserved): AsyncGenerator<Entry> {
    const stored = (await store.get(pendingKey(id))) ?? (await store.get(key));
    if (stored) yield { name: `private/${pendingKey(id)}`, size: stored.size, body: stored.body };
  }

  async function* object(
    folder: string,
    store: Store,
    key: string,
    said: Pick<Entry, "sha256"> = {},
  ): AsyncGenerator<Entry> {
    const stored = await store.get(key);
    if (stored) yield { name: `${folder}/${key}`, size: stored.size, body: stored.body, ...said };
    else facts.missing.push(`${folder}/${key}`);
  }

  return {
    entries: entries(),
    facts: () => ({
      ...facts,
      missing: facts.missing.filter((name) => !facts.swept.some((id) => name.includes(id))),
    }),
  };
}

/** A snapshot that is open until it is closed. */
async function momentOf({
  data,
}: Pick<Context, "data">): Promise<{ rows: DatabaseExport; close(): Promise<void> }> {
  const ready = Promise.withResolvers<DatabaseExport>();
  const over = Promise.withResolvers<void>();
  const held = data.snapshot((rows) => {
    ready.resolve(rows);
    return over.promise;
  });
  held.catch(ready.reject);
  return {
    rows: await ready.promise,
    close() {
      over.resolve();
      return held;
    },
  };
}
