/** The files of a share: signed URLs that name it, and what each of them may return. */

import { secondMicros } from "../../core/lib/time.ts";
import { thumbnailFormat } from "../../files/probe/thumbnails/thumbnail-format.ts";
import { isShownInline } from "../assets/files/response-headers.ts";
import { invalidLink, type Purpose, signedUrl, viewExpiry } from "../assets/files/signed-urls.ts";
import type { Asset } from "../assets/schema.ts";
import type { LibraryContext } from "../context.ts";
import type { AssetRow } from "../rows.ts";
import { type LiveShare, liveShare } from "./access.ts";

type FilePurpose = Exclude<Purpose, "upload">;

/**
 * Whether a share gives out the file this way. To view a type that browsers do not show is to download it;
 * images with annotations show those of the whole team.
 */
function mayServe({ share, asset }: LiveShare, purpose: FilePurpose): boolean {
  if (purpose === "view") return isShownInline(asset.mime);
  return purpose === "download" ? share.allow_download : purpose !== "annotated";
}

/**
 * Checks a signed URL of a share on every request for bytes, so that a revoked share ends at once.
 * @throws {Problem} 403 unless the share works, shows this asset, and gives it out this way
 */
export async function requireSharedFile(
  ctx: Pick<LibraryContext, "config" | "data" | "now">,
  shareId: string,
  assetId: string,
  purpose: FilePurpose,
): Promise<void> {
  const live = await liveShare(ctx, await ctx.data.share(shareId));
  if (live?.asset.id !== assetId || !mayServe(live, purpose)) throw invalidLink();
}

type SharedUrls = Pick<Asset, "url" | "thumb_url" | "bundle_url">;

const nameOf = ({ key }: Pick<AssetRow, "key">): string => (key ?? "").split("/").at(-1) as string;

/** The URLs of the files of a share. They expire with it, if that is earlier than other URLs do. */
export function sharedUrls(ctx: LibraryContext, live: LiveShare): SharedUrls {
  const { key, has_thumb, bundle_index } = live.asset;
  if (key === null || ctx.store === null) return { url: null, thumb_url: null, bundle_url: null };
  const sign = (purpose: FilePurpose, name: string) =>
    mayServe(live, purpose) ? signShared(ctx, live, purpose, name) : null;
  return {
    url: sign("view", nameOf(live.asset)),
    thumb_url: has_thumb ? sign("thumb", thumbnailFormat.filename) : null,
    bundle_url: bundle_index === null ? null : sign("bundle", bundle_index),
  };
}

/** The URL that downloads the file; null if the share does not allow it, or the file is deleted. */
export const downloadUrl = (ctx: LibraryContext, live: LiveShare): string | null =>
  live.share.allow_download && live.asset.key !== null && ctx.store !== null
    ? signShared(ctx, live, "download", nameOf(live.asset))
    : null;

const signShared = (
  { config, secret, now }: LibraryContext,
  { share, asset }: LiveShare,
  purpose: FilePurpose,
  name: string,
): string => {
  const expires = Math.min(viewExpiry(config, now()), Math.floor(share.expires_at / secondMicros));
  return signedUrl({ config, secret }, purpose, asset.id, name, expires, share.id);
};
