/** Deletes stored files that no row references, left by a crash or a rejected request. */

import { type Micros, secondMicros } from "../../../core/lib/time.ts";
import type { IsInUse, Store } from "../../../files/stores/store.ts";
import type { LibraryContext } from "../../context.ts";
import { deletePublicCopy } from "../publish.ts";

interface ListedFile {
  key: string;
  project: string;
  id: string;
}

/** Modification times, in microseconds. */
interface TimeRange {
  after: Micros;
  before: Micros;
}

const batchSize = 100;

/** Folders of files that no asset references. */
const uploadFolders: ReadonlySet<string> = new Set(["_pending", "_segments"]);

/**
 * Deletes orphaned files that are older than `before` and newer than the database. Older files belong to
 * another database: starting on a wrong or new one must not delete a library.
 * @returns how many
 */
export async function deleteOrphans(
  ctx: LibraryContext,
  { store, publicStore }: Pick<LibraryContext, "store" | "publicStore">,
  before: Micros,
): Promise<number> {
  const createdAt = await ctx.data.createdAt();
  // S3 gives times in whole seconds: of a file of the same second, one that is earlier.
  const range = { after: createdAt - (createdAt % secondMicros), before };
  let count = 0;
  if (store) count += await deletePrivateOrphans(ctx, store, range);
  if (publicStore) count += await deletePublicOrphans(ctx, publicStore, range);
  return count;
}

async function deletePrivateOrphans(ctx: LibraryContext, store: Store, range: TimeRange): Promise<number> {
  let count = 0;
  for await (const files of listBatches(store, range)) {
    const referenced = await referencedKeys(files);
    for (const file of files.filter(({ key }) => !referenced.has(key))) {
      if (await ctx.data.upload(file.id)) continue;
      // Check the asset after the upload: a finalize in between turns one into the other.
      if ((await referencedKeys([file])).size > 0) continue;
      await store.delete(file.key);
      count++;
    }
  }
  return count + (await store.deleteLeftovers(new Date(range.before / 1000), isContinued(ctx)));

  /** Returns the keys of assets that still have their file. Pending uploads belong to none. */
  async function referencedKeys(files: ListedFile[]): Promise<Set<string>> {
    const assets = await ctx.data.assetsWithFile(idsOf(files), "key");
    return new Set(
      files.filter(({ project, id }) => assets.has(id) && !uploadFolders.has(project)).map(({ key }) => key),
    );
  }
}

/** Whether an unfinished upload in parts belongs to a reservation, which cleanup deletes when it expires. */
export const isContinued =
  ({ data }: Pick<LibraryContext, "data">): IsInUse =>
  async ({ key, uploadId }) =>
    (await data.upload(key.split("/")[1] ?? ""))?.multipart_id === uploadId;

/** Publishing copies before it commits, so an unreferenced copy is in progress or left behind. */
async function deletePublicOrphans(
  ctx: LibraryContext,
  publicStore: Store,
  range: TimeRange,
): Promise<number> {
  let count = 0;
  for await (const files of listBatches(publicStore, range)) {
    const published = await ctx.data.assetsWithFile(idsOf(files), "public_url");
    const orphans = files.filter(({ id }) => !published.has(id));
    for (const asset of new Map(orphans.map((one) => [one.id, one])).values())
      await deletePublicCopy(ctx, publicStore, asset);
    count += orphans.length;
  }
  return count + (await publicStore.deleteLeftovers(new Date(range.before / 1000)));
}

const idsOf = (files: ListedFile[]): string[] => [...new Set(files.map(({ id }) => id))];

async function* listBatches(store: Store, { after, before }: TimeRange): AsyncGenerator<ListedFile[]> {
  let files: ListedFile[] = [];
  for await (const { key, modifiedAt } of store.list("")) {
    const [project, id] = key.split("/");
    const modifiedMicros = modifiedAt.getTime() * 1000;
    if (project === undefined || id === undefined || modifiedMicros < after || modifiedMicros > before)
      continue;
    files.push({ key, project, id });
    if (files.length < batchSize) continue;
    yield files;
    files = [];
  }
  if (files.length > 0) yield files;
}
