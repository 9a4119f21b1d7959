/**
 * Restores a backup in three steps: verify all of it, store the missing files, then replace all rows in one
 * transaction.
 */

import { jsonInKeyOrder } from "../../core/lib/key-order.ts";
import { mimeOfName } from "../../core/lib/mime-of-name.ts";
import type { DatabaseImport, ExportedRow } from "../../core/maintenance.ts";
import type { NewAudit } from "../../core/rows.ts";
import { isBundle, kindOf } from "../../files/probe/kind.ts";
import { hashObject, hashSource } from "../../files/stores/objects.ts";
import { takeOver } from "../../files/stores/owned-store.ts";
import type { PutOptions, Store } from "../../files/stores/store.ts";
import { fileNameOf, servingHeaders } from "../../library/assets/files/response-headers.ts";
import type { AssetRow } from "../../library/rows.ts";
import type { Context } from "../context.ts";
import { type Archive, BackupError, type End, type Entry, readText } from "./archive.ts";
import { type KeptRemovals, openRemovals } from "./kept-removals.ts";
import { verifyArchive } from "./manifest.ts";
import { openRevocations, type Revived, type Revocations } from "./revocations.ts";

export interface RestoreOptions {
  /** Replace existing data. */
  force: boolean;
  /** Restore the files as well; false restores rows only. */
  bytes: boolean;
  /** Make the stores this deployment's own, even if they belonged to another one. */
  takeOver: boolean;
  /** Fields of the audit entry. */
  audit: Omit<NewAudit, "at" | "status">;
  onBytes(bytes: number): void;
  onStep(step: string): void;
}

type Dependencies = Pick<Context, "data" | "store" | "publicStore" | "now">;

export interface Restored extends End {
  made_at: string;
  /** What is valid again, as far as the replaced database could not tell whether it was revoked. */
  revived: Revived;
}

/**
 * Restores a backup. After an interruption it can be run again: rows are written last, and files that are
 * already stored are kept.
 * @returns the backup's `end.json`, and what became valid again
 * @throws {BackupError} if the backup is unusable, or the database is not empty and `force` is not set
 */
export async function restore(
  ctx: Dependencies,
  archive: Archive,
  options: RestoreOptions,
): Promise<Restored> {
  const isEmpty = await ctx.data.snapshot((all) => all.isEmpty());
  if (!options.force && !isEmpty)
    throw new BackupError("this database is not empty; pass --force to replace all of its data");
  const published = new Map<string, PublishedFile>();
  options.onStep("verifying");
  const onText = (name: string, text: string) => {
    if (name.startsWith("rows/assets/"))
      for (const row of parseRows(text)) collectPublished(published, row as unknown as AssetRow);
  };
  const { header, end } = await verifyArchive(archive, { onText, onBytes: options.onBytes });
  const refusal = await ctx.data.snapshot(async (all) => all.refusalOf(header.migrations));
  if (refusal) throw new BackupError(`this backup, made by ${header.made_by}, ${refusal}`);
  const removals = await openRemovals(ctx, header.made_at);
  if (options.bytes && header.bytes) await restoreFiles(ctx, archive, end, { published, removals }, options);
  options.onStep("restoring rows");
  // The restored rows do not reference files that are newer than the backup. With a new deployment id the
  // stores are no longer ours, so cleanup deletes none of them. An empty database has a new id already.
  if (!isEmpty && !options.takeOver) await ctx.data.renewDeployment();
  const revocations = await openRevocations(ctx, header.made_at);
  await ctx.data.replaceAllRows((rows) =>
    restoreRows(ctx, rows, { archive, end, revocations, removals }, options),
  );
  // Only after the rows: a server that owns the store and has no rows would delete every file.
  if (options.takeOver) await takeOver(ctx);
  return { ...end, made_at: header.made_at, revived: revocations.revived };
}

/** Absent for a file of a bundle. */
type PublishedFile = Pick<AssetRow, "mime" | "filename">;

/** A public bucket serves its objects directly, so each needs its MIME type and its name. */
function collectPublished(published: Map<string, PublishedFile>, asset: AssetRow): void {
  const { id, mime, filename } = asset;
  if (asset.public_url !== null && !isBundle(asset)) published.set(id, { mime, filename });
}

/**
 * Stores the missing files. With `force`, files with the same key and other content are replaced in a second
 * pass.
 */
async function restoreFiles(
  ctx: Dependencies,
  archive: Archive,
  { swept }: End,
  { published, removals }: { published: Map<string, PublishedFile>; removals: KeptRemovals },
  options: RestoreOptions,
): Promise<void> {
  const sweptIds = new Set(swept);
  const stores = { private: ctx.store, public: ctx.publicStore };
  options.onStep("restoring files");
  for (let retryNames: Set<string> | null = null; ; ) {
    const conflicting = new Set<string>();
    for await (const entry of archive()) {
      const [, storeName, key] = /^(private|public)\/(.+)$/s.exec(entry.name) ?? [];
      const id = key?.split("/")[1] ?? "";
      if (
        key === undefined ||
        (storeName === "private" && sweptIds.has(id)) ||
        removals.areFilesGone(storeName as string, id) ||
        (retryNames && !retryNames.has(entry.name))
      )
        continue;
      const store =
        stores[storeName as keyof typeof stores] ?? failWithoutStore(storeName as keyof typeof stores);
      options.onBytes(entry.size);
      if (
        await putOrCompare(
          store,
          key,
          entry,
          storeName === "public" ? publicPutOptions(published.get(id), key) : privatePutOptions,
        )
      )
        continue;
      if (!options.force || retryNames)
        throw new BackupError(`the store already has a different ${entry.name}; pass --force to replace it`);
      conflicting.add(entry.name);
      await store.delete(key);
    }
    if (conflicting.size === 0) return;
    retryNames = conflicting;
  }
}

const privatePutOptions = { type: "application/octet-stream" };

/** The options that publishing used: the MIME type of the row, or of the file name inside a bundle. */
function publicPutOptions(
  file: PublishedFile | undefined,
  key: string,
): Pick<PutOptions, "type" | "serving"> {
  const type = file?.mime ?? mimeOfName(key);
  const filename = fileNameOf({ filename: file?.filename ?? null, key });
  return { type, serving: servingHeaders(type, filename, file === undefined || kindOf(type) === "html") };
}

function failWithoutStore(storeName: "private" | "public"): never {
  const variable = storeName === "private" ? "SVC_ASSET_STORE" : "SVC_PUBLIC_STORE";
  throw new BackupError(
    `the backup contains ${storeName} files, but ${variable} is none. Set it, or pass --no-bytes to ` +
      "restore rows only.",
  );
}

/**
 * Stores a file unless it is already there from an interrupted restore: reading and comparing it is cheaper
 * than writing it again.
 * @returns false if the store has other content under this key
 */
async function putOrCompare(
  store: Store,
  key: string,
  { size, body }: Entry,
  options: Pick<PutOptions, "type" | "serving">,
): Promise<boolean> {
  const existing = await store.stat(key);
  if (!existing) return (await store.put(key, body, { ...options, size, maxBytes: size })) !== "exists";
  if (existing.size !== size) return false;
  return (await hashSource(body)).sha256 === (await hashObject(store, key))?.sha256;
}

/** Replaces all rows in one transaction, then reads them back and compares. */
async function restoreRows(
  ctx: Dependencies,
  rows: DatabaseImport,
  {
    archive,
    end,
    revocations,
    removals,
  }: { archive: Archive; end: End; revocations: Revocations; removals: KeptRemovals },
  options: RestoreOptions,
): Promise<void> {
  const sweptIds = new Set(end.swept);
  const withoutFile = { key: null, has_thumb: false, bundle_index: null };
  const digests = new Map(rows.tables.map((table) => [table, new RowsDigest()]));
  for await (const entry of archive()) {
    const [, table] = /^rows\/(\w+)\//.exec(entry.name) ?? [];
    if (table === undefined) {
      if (/^(private|public)\//.test(entry.name)) break; // rows come before the files
      continue;
    }
    const digest = digests.get(table);
    if (!digest)
      throw new BackupError(`the backup contains a table '${table}' that this version of svc does not have`);
    const page: ExportedRow[] = [];
    for (const row of parseRows(await readText(entry))) {
      const isSwept = table === "assets" && sweptIds.has(row.id as string);
      const restored = isSwept ? { ...row, ...withoutFile } : revocations.keep(table, row);
      const remaining = removals.keep(table, restored);
      if (remaining) page.push(remaining);
    }
    for (let at = 0; at < page.length; at += insertRowsMax)
      await rows.put(table, page.slice(at, at + insertRowsMax));
    for (const row of page) digest.add(row);
  }
  const removed = removals.rows();
  await rows.put("removals", removed);
  for (const row of removed) digests.get("removals")?.add(row);
  let lastAuditId = 0;
  for (const table of rows.tables) {
    const stored = new RowsDigest();
    for await (const page of rows.rows(table)) {
      for (const row of page) stored.add(row);
      if (table === "audit") lastAuditId = page.at(-1)?.id as number;
    }
    if (!stored.equals(digests.get(table) as RowsDigest))
      throw new BackupError(`the rows of ${table} differ after the restore; nothing was changed`);
  }
  await rows.put("audit", [{ id: lastAuditId + 1, ...emptyAuditRow, ...options.audit, at: ctx.now() }]);
}

const insertRowsMax = 250;
const emptyAuditRow = {
  project: null,
  target: null,
  status: 200,
  address: null,
  request: null,
  count: 1,
  slot: null,
};

function* parseRows(text: string): Generator<ExportedRow> {
  for (const line of text.split("\n")) if (line) yield JSON.parse(line);
}

/** A hash of rows that does not depend on their order: SQLite and Postgres sort text differently. */
class RowsDigest {
  #rows = 0;
  readonly #sum = new Uint8Array(32);

  add(row: ExportedRow): void {
    this.#rows++;
    // Skip nulls: a column added by a later migration is missing in an older backup and null when read back.
    const values = Object.fromEntries(
      Object.entries(row)
        .filter(([, value]) => value !== null)
        .map(([name, value]) => [name, typeof value === "object" ? jsonInKeyOrder(value) : value]),
    );
    const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify(values)).digest();
    for (let at = 0; at < 32; at++) (this.#sum[at] as number) ^= hash[at] as number;
  }

  equals(other: RowsDigest): boolean {
    return this.#rows === other.#rows && Buffer.compare(this.#sum, other.#sum) === 0;
  }
}
