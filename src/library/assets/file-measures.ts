/** What checks measure in a file. Only projects with such a check ask, so it is read when they do, and cached. */
import { Cache, perObject } from "../../core/lib/cache.ts";
import type { FileMeasures } from "../../files/probe/measures/schema.ts";
import type { LibraryContext } from "../context.ts";
import type { AssetRow } from "../rows.ts";
import { storedFile } from "./files/stored-file.ts";

type Measured = { measures: FileMeasures | null };

/** Bytes of one, at most. */
const measuredBytes = 1_000;

const cacheOf = perObject(
  (_data: LibraryContext["data"]) =>
    new Cache<string, Measured>({ max: 2_000, bytesOf: () => measuredBytes }),
);

/** By the contents of the file; null once it is deleted, and of a type of which nothing is known. */
export async function fileMeasures(
  ctx: LibraryContext,
  { key, size, mime, sha256, uploader }: Pick<AssetRow, "key" | "size" | "mime" | "sha256" | "uploader">,
): Promise<FileMeasures | null> {
  const { store } = ctx;
  if (!store || key === null) return null;
  const cache = cacheOf(ctx.data);
  const cached = cache.get(sha256);
  if (cached) return cached.measures;
  const source = storedFile(store, { key, size, owner: uploader ?? undefined });
  const measures = await ctx.probe.measures(source, mime).catch(() => null);
  cache.set(sha256, { measures }, cache.generation);
  return measures;
}
