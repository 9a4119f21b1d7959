/** The contents of a backup: every row of one snapshot, and the files that those rows reference. */

import { fromMicros } from "../../core/lib/time.ts";
import type { DatabaseExport, ExportedRow } from "../../core/maintenance.ts";
import { commit, version } from "../../core/version.ts";
import { isBundle } from "../../files/probe/kind.ts";
import { pendingKey } from "../../files/stores/keys.ts";
import type { Store } from "../../files/stores/store.ts";
import type { AssetRow, UploadRow } from "../../library/rows.ts";
import type { Context } from "../context.ts";
import {
  type End,
  type Entry,
  encodeText,
  type Header,
  headerName,
  numberedName,
  singleChunk,
  textEntry,
} from "./archive.ts";

const rowsFileBytes = 4 * 2 ** 20;

type StoredAsset = Pick<
  AssetRow,
  "id" | "project" | "key" | "size" | "sha256" | "kind" | "mime" | "has_thumb" | "bundle_index" | "public_url"
>;
type PendingUpload = Pick<UploadRow, "id" | "key" | "is_final">;

export interface BackupContents {
  entries: AsyncGenerator<Entry>;
  /** Call after all entries have been read. */
  summary(): Omit<End, "entries" | "sha256" | "damaged">;
}

type Dependencies = Pick<Context, "data" | "store" | "publicStore" | "now">;

/** The entries of a backup: the header, the rows of one snapshot, then the files, and what was counted. */
export function openBackupContents(ctx: Dependencies, { bytes }: { bytes: boolean }): BackupContents {
  const summary = { rows: {} as Record<string, number>, swept: [] as string[], missing: [] as string[] };
  /** Memory grows with the number of assets and uploads, not with their size. */
  const assets: StoredAsset[] = [];
  const uploads: PendingUpload[] = [];

  async function* entries(): AsyncGenerator<Entry> {
    const snapshot = await openSnapshot(ctx);
    try {
      const header: Header = {
        format: 1,
        made_by: `svc ${version} (${commit})`,
        made_at: fromMicros(ctx.now()),
        migrations: await snapshot.rows.migrations(),
        bytes,
      };
      yield textEntry(headerName, `${JSON.stringify(header, null, 2)}\n`);
      for (const table of snapshot.rows.tables) yield* tableEntries(snapshot.rows, table);
    } finally {
      await snapshot.close();
    }
    if (!bytes) return;
    for (const asset of assets) yield* assetEntries(asset);
    if (ctx.store) for (const upload of uploads) yield* uploadEntries(ctx.store, upload);
  }

  async function* tableEntries(all: DatabaseExport, table: string): AsyncGenerator<Entry> {
    let lines: string[] = [];
    let length = 0;
    let number = 0;
    const file = () => {
      const bytes = encodeText(lines.join(""));
      [lines, length] = [[], 0];
      return { name: numberedName(`rows/${table}`, ++number), size: bytes.length, body: singleChunk(bytes) };
    };
    summary.rows[table] = 0;
    for await (const page of all.rows(table))
      for (const row of page) {
        collectStored(table, row);
        summary.rows[table]++;
        const line = `${JSON.stringify(row)}\n`;
        lines.push(line);
        length += line.length;
        if (length >= rowsFileBytes) yield file();
      }
    if (lines.length > 0) yield file();
  }

  function collectStored(table: string, row: ExportedRow): void {
    // safe because: the rows come from these tables
    if (table === "assets") {
      const { id, project, key, size, sha256, kind, mime, has_thumb, bundle_index, public_url } =
        row as unknown as StoredAsset;
      if (key ?? public_url)
        assets.push({ id, project, key, size, sha256, kind, mime, has_thumb, bundle_index, public_url });
    }
    if (table === "uploads") {
      const { id, key, is_final } = row as unknown as PendingUpload;
      uploads.push({ id, key, is_final });
    }
  }

  async function* assetEntries(asset: StoredAsset): AsyncGenerator<Entry> {
    const { id, project, key, sha256, has_thumb, bundle_index, public_url } = asset;
    const { store, publicStore, data } = ctx;
    if (public_url !== null && publicStore) {
      const hash = isBundle(asset) ? {} : { sha256 };
      for await (const found of publicStore.list(`${project}/${id}/`))
        yield* objectEntry("public", publicStore, found.key, hash);
    }
    if (key === null || !store) return;
    yield* objectEntry("private", store, key, { sha256 });
    if (has_thumb || bundle_index !== null)
      for await (const found of store.list(`_variants/${id}/`))
        yield* objectEntry("private", store, found.key);
    // Retention may have deleted the file after the snapshot; then its row no longer references one.
    if ((await data.asset(null, id))?.key === null) summary.swept.push(id);
  }

  /** The upload may have been finalized after the snapshot; the file is the same under its new key. */
  async function* uploadEntries(store: Store, { id, key, is_final }: PendingUpload): AsyncGenerator<Entry> {
    const pending = is_final ? null : await store.get(pendingKey(id));
    const stored = pending ?? (await store.get(key));
    const name = `private/${is_final ? key : pendingKey(id)}`;
    if (stored) yield { name, size: stored.size, body: stored.body };
  }

  async function* objectEntry(
    folder: string,
    store: Store,
    key: string,
    hash: Pick<Entry, "sha256"> = {},
  ): AsyncGenerator<Entry> {
    const stored = await store.get(key);
    if (stored) yield { name: `${folder}/${key}`, size: stored.size, body: stored.body, ...hash };
    else summary.missing.push(`${folder}/${key}`);
  }

  return {
    entries: entries(),
    summary: () => ({
      ...summary,
      missing: summary.missing.filter((name) => !summary.swept.some((id) => name.includes(id))),
    }),
  };
}

/** Opens a snapshot that stays open until `close` is called. */
async function openSnapshot({
  data,
}: Pick<Context, "data">): Promise<{ rows: DatabaseExport; close(): Promise<void> }> {
  const ready = Promise.withResolvers<DatabaseExport>();
  const closed = Promise.withResolvers<void>();
  const done = data.snapshot((rows) => {
    ready.resolve(rows);
    return closed.promise;
  });
  done.catch(ready.reject);
  return {
    rows: await ready.promise,
    close() {
      closed.resolve();
      return done;
    },
  };
}
