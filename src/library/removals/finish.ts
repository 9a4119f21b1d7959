/**
 * Deletes what is left of what was taken back: files in the stores, and copies of texts in the files of the
 * database. The removal is committed first: from then on no page, API or signed URL leads to any of it, and a
 * crash or an unavailable store only delays the deletion.
 */

import { deleteAssetFiles } from "../assets/files/derivatives.ts";
import { deletePublicCopy } from "../assets/publish.ts";
import type { LibraryContext } from "../context.ts";
import { eraseRest, isErasing } from "./erase.ts";
import type { RemovalRow } from "./rows.ts";

const batchSize = 100;

/** Finishes removals. @returns how many removals it finished */
export async function finishRemovals(ctx: LibraryContext): Promise<number> {
  let finished = 0;
  // A project has many files.
  for (let more = batchSize; more === batchSize; finished += more) more = await finishSome(ctx);
  return finished;
}

async function finishSome(ctx: LibraryContext): Promise<number> {
  const rows = await ctx.data.unfinishedRemovals(batchSize);
  const isOfFiles = ({ detail }: RemovalRow) => detail === null;
  let finished = 0;
  for (const row of rows.filter(isOfFiles)) finished += Number(await tryToFinish(ctx, row));
  const hasAllFiles = rows.length < batchSize && finished === rows.filter(isOfFiles).length;
  const erased: RemovalRow[] = [];
  // A project is gone when its files are.
  for (const row of rows.filter((one) => !isOfFiles(one) && (one.kind !== "project" || hasAllFiles)))
    erased.push(isErasing(row) ? await eraseRest(ctx, row) : row);
  return finished + (await purge(ctx, erased));
}

/** Removes copies of texts from the files of the database. @returns how many of these removals it finished */
export async function purge(ctx: LibraryContext, rows: readonly RemovalRow[]): Promise<number> {
  if (rows.length === 0) return 0;
  const isPurged = await ctx.data.purge().catch((error) => {
    ctx.log("warn", "cannot remove copies of redacted texts yet", { error: String(error) });
    return false;
  });
  if (!isPurged) return 0;
  await ctx.data.atomically(async (writes) => {
    for (const row of rows) await writes.finishRemoval(row, ctx.now());
  });
  return rows.length;
}

/** Whether its files are gone. If the store fails, a server tries again. */
export const tryToFinish = (ctx: LibraryContext, row: RemovalRow): Promise<boolean> =>
  deleteFilesOf(ctx, row).catch((error) => {
    const { kind, subject } = row;
    ctx.log("warn", "cannot delete removed files yet", { kind, subject, error: String(error) });
    return false;
  });

async function deleteFilesOf(ctx: LibraryContext, { kind, subject, project }: RemovalRow): Promise<boolean> {
  const store = kind === "publication" ? ctx.publicStore : ctx.store;
  if (!store || project === null) return false;
  if (kind === "publication") await deletePublicCopy(ctx, store, { project, id: subject });
  else await deleteAssetFiles(store, project, subject);
  await ctx.data.atomically((writes) => writes.finishRemoval({ kind, subject }, ctx.now()));
  return true;
}
