/**
 * Deletes the files of what was taken back. The removal is committed first: from then on no page, API or
 * signed URL leads to a file, and a crash or an unavailable store only delays its deletion.
 */

import { deleteAssetFiles } from "../assets/files/derivatives.ts";
import { deletePublicCopy } from "../assets/publish.ts";
import type { LibraryContext } from "../context.ts";
import type { RemovalRow } from "./rows.ts";

const batchSize = 100;

/** Deletes the files of unfinished removals. @returns how many removals it finished */
export async function finishRemovals(ctx: LibraryContext): Promise<number> {
  const rows = await ctx.data.unfinishedRemovals(batchSize);
  let finished = 0;
  for (const row of rows) finished += Number(await tryToFinish(ctx, row));
  return finished;
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
