/** Preview images of assets. */
import type { Caller } from "../../../core/auth/caller.ts";
import { thumbnailFormat } from "../../../files/probe/thumbnails/thumbnail-format.ts";
import { variantKey } from "../../../files/stores/keys.ts";
import type { LibraryContext } from "../../context.ts";
import { requireAsset } from "../library.ts";

export interface Preview {
  mime: string;
  bytes: Uint8Array;
}

/** Larger images are previewed by their thumbnail. */
const previewBytesMax = 256 * 2 ** 10;
const previewTypes = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);

/** Returns the image itself if it is small, else the thumbnail; null if there is neither. */
export async function loadPreview(ctx: LibraryContext, id: string, caller: Caller): Promise<Preview | null> {
  const { key, mime, size, has_thumb } = await requireAsset(ctx, id, caller);
  if (key === null || !ctx.store) return null;
  const isSmall = previewTypes.has(mime) && size <= previewBytesMax;
  if (!isSmall && !has_thumb) return null;
  const stored = await ctx.store.get(isSmall ? key : variantKey(id, thumbnailFormat.filename));
  return (
    stored && { mime: isSmall ? mime : thumbnailFormat.mime, bytes: await new Response(stored.body).bytes() }
  );
}
