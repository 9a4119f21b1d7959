/** Files that an asset no longer has: deleted by retention, or lost by the store. */
import type { LibraryContext } from "../../context.ts";
import type { Asset } from "../schema.ts";

export interface FileState {
  /** Absent while the file is stored. */
  missing?: "deleted" | "lost";
}

/** The asset, without URLs if its file is missing. A store that does not answer has it. */
export async function withFileState<A extends Asset>(
  { data, store }: LibraryContext,
  asset: A,
): Promise<A & FileState> {
  if (store === null) return asset;
  const key = (await data.assetFile(asset.id))?.key ?? null;
  if (key !== null && (await store.stat(key).catch(() => true))) return asset;
  const none = { url: null, thumb_url: null, bundle_url: null };
  return { ...asset, ...none, missing: key === null ? "deleted" : "lost" };
}
