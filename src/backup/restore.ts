/**
 * Back from a backup: everything in it is verified first, then the bytes are put where they are missing, then
 * all rows at once.
 */

import { servingOf } from "../assets/response-headers.ts";
import type { Context } from "../context.ts";
import type { DatabaseImport, ExportedRow } from "../maintenance.ts";
import { mimeOfName } from "../probe/bundle/extension.ts";
import { isBundle, kindOf } from "../probe/kind.ts";
import type { AssetRow, NewAudit } from "../rows.ts";
import { hashObject, hashSource } from "../stores/objects.ts";
import { takeOver } from "../stores/owned-store.ts";
import type { PutOptions, Store } from "../stores/store.ts";
import { type Archive, BackupError, type End, type Entry, type Header, readText } from "./archive.ts";
import { verify } from "./manifest.ts";

export interface RestoreOptions {
  /** Replaces what is there. */
  force: boolean;
  /** Rows alone. */
  bytes: boolean;
  /** The stores become this database's own, whichever deployment they belonged to. */
  takeOver: boolean;
  /** What the audit will say of it. */
  audit: Omit<NewAudit, "at" | "status">;
  onBytes(bytes: number): void;
  onStep(step: string): void;
}

type Needs = Pick<Context, "data" | "store" | "publicStore" | "now">;

/**
 * A run that was killed is started again: until the last moment there are no rows, and bytes that are there
 * already stay.
 * @returns what the backup says of itself
 */
export async function restore(ctx: Needs, archive: Archive, options: RestoreOptions): Promise<End> {
  const isEmpty = await ctx.data.snapshot((all) => all.isEmpty());
  if (!options.force && !isEmpty)
    throw new BackupError("this database holds data already; --force replaces all of it");
  const types = new Map<string, string>();
  options.onStep("verifying");
  const onText = (name: string, text: string) => {
    if (name.startsWith("rows/assets/"))
      for (const row of rowsIn(text)) rememberType(types, row as unknown as AssetRow);
  };
  const { header, end } = await verify(archive, { onText, onBytes: options.onBytes });
  await requireKnown(ctx, header);
  if (options.bytes && header.bytes) await putBytes(ctx, archive, end, types, options);
  options.onStep("rows");
  // Older rows know nothing of newer files. An empty database has an id that no store of another deployment
  // names.
  if (!isEmpty && !options.takeOver) await ctx.data.renewDeployment();
  await ctx.data.replaceAllRows((rows) => putRows(ctx, rows, archive, end, options));
  // Not before: with the store but without its rows, a server would delete every file.
  if (options.takeOver) await takeOver(ctx);
  return end;
}

async function requireKnown({ data }: Needs, { migrations, made_by }: Header): Promise<void> {
  const known = new Set(await data.snapshot((all) => all.migrations()));
  if (migrations.some((name) => !known.has(name)))
    throw new BackupError(`it was made by a newer program, ${made_by}; restore it with that`);
}

/** A public bucket serves its objects itself, so it has to know what they are. */
function rememberType(types: Map<string, string>, asset: AssetRow): void {
  if (asset.public_url !== null && !isBundle(asset)) types.set(asset.id, asset.mime);
}

/** Bytes of the same name that are other ones go, where that was asked for, and are put in a second round. */
async function putBytes(
  ctx: Needs,
  archive: Archive,
  { swept }: End,
  types: Map<string, string>,
  options: RestoreOptions,
): Promise<void> {
  const gone = new Set(swept);
  const stores = { private: ctx.store, public: ctx.publicStore };
  options.onStep("bytes");
  for (let only: Set<string> | null = null; ; ) {
    const others = new Set<string>();
    for await (const entry of archive()) {
      const [, place, key] = /^(private|public)\/(.+)$/s.exec(entry.name) ?? [];
      const id = key?.split("/")[1] ?? "";
      if (key === undefined || (place === "private" && gone.has(id)) || (only && !only.has(entry.name)))
        continue;
      const store = stores[place as keyof typeof stores] ?? noPlace(place as keyof typeof stores);
      options.onBytes(entry.size);
      if (await isPut(store, key, entry, place === "public" ? published(types.get(id), key) : privateBytes))
        continue;
      if (!options.force || only)
        throw new BackupError(`other bytes are kept as ${entry.name}; --force replaces them`);
      others.add(entry.name);
      await store.delete(key);
    }
    if (others.size === 0) return;
    only = others;
  }
}

const privateBytes = { type: "application/octet-stream" };

/** As publishing put it: a file of a type that its row knows, or one of a bundle. */
function published(known: string | undefined, key: string): Pick<PutOptions, "type" | "serving"> {
  const type = known ?? mimeOfName(key);
  return { type, serving: servingOf(type, key, known === undefined || kindOf(type) === "html") };
}

function noPlace(place: "private" | "public"): never {
  const variable = place === "private" ? "SVC_ASSET_STORE" : "SVC_PUBLIC_STORE";
  throw new BackupError(
    `it holds ${place} bytes, and ${variable} is none: set it, or leave the bytes out with --no-bytes`,
  );
}

/**
 * Bytes may be left of a run that was killed: reading them is less than writing them again. False where they
 * are other ones.
 */
async function isPut(
  store: Store,
  key: string,
  { size, body }: Entry,
  as: Pick<PutOptions, "type" | "serving">,
): Promise<boolean> {
  const there = await store.stat(key);
  if (!there) return (await store.put(key, body, { ...as, size, maxBytes: size })) !== "taken";
  if (there.size !== size) return false;
  return (await hashSource(body)).sha256 === (await hashObject(store, key))?.sha256;
}

/** All or nothing; and what is there then has to be what was put. */
async function putRows(
  ctx: Needs,
  rows: DatabaseImport,
  archive: Archive,
  end: End,
  options: RestoreOptions,
): Promise<void> {
  const gone = new Set(end.swept);
  const bare = { key: null, has_thumb: false, bundle_index: null };
  const put = new Map(rows.tables.map((table) => [table, new Digest()]));
  for await (const entry of archive()) {
    const [, table] = /^rows\/(\w+)\//.exec(entry.name) ?? [];
    if (table === undefined) {
      if (/^(private|public)\//.test(entry.name)) break; // no rows come behind them
      continue;
    }
    const digest = put.get(table);
    if (!digest) throw new BackupError(`it holds a table '${table}' that this svc does not have`);
    const page = [...rowsIn(await readText(entry))].map((row) =>
      table === "assets" && gone.has(row.id as string) ? { ...row, ...bare } : row,
    );
    for (const row of page) digest.add(row);
    for (let at = 0; at < page.length; at += rowsAtOnce)
      await rows.put(table, page.slice(at, at + rowsAtOnce));
  }
  let lastAct = 0;
  for (const table of rows.tables) {
    const kept = new Digest();
    for await (const page of rows.rows(table)) {
      for (const row of page) kept.add(row);
      if (table === "audit") lastAct = page.at(-1)?.id as number;
    }
    if (!kept.equals(put.get(table) as Digest))
      throw new BackupError(`the rows of ${table} did not arrive as they were; nothing was changed`);
  }
  await rows.put("audit", [{ id: lastAct + 1, ...bareAudit, ...options.audit, at: ctx.now() }]);
}

const rowsAtOnce = 250;
const bareAudit = {
  project: null,
  target: null,
  status: 200,
  address: null,
  request: null,
  count: 1,
  slot: null,
};

function* rowsIn(text: string): Generator<ExportedRow> {
  for (const line of text.split("\n")) if (line) yield JSON.parse(line);
}

/** Of rows in any order: the databases sort texts differently. */
class Digest {
  #rows = 0;
  readonly #sum = new Uint8Array(32);

  add(row: ExportedRow): void {
    this.#rows++;
    // A column that a later migration added is null in a row of an older backup.
    const values = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
    const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify(values)).digest();
    for (let at = 0; at < 32; at++) (this.#sum[at] as number) ^= hash[at] as number;
  }

  equals(other: Digest): boolean {
    return this.#rows === other.#rows && Buffer.compare(this.#sum, other.#sum) === 0;
  }
}
