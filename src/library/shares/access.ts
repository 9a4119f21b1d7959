/**
 * Whether a share link works now, by the link and the token of its creator. And the signed URLs of its files,
 * which name the share.
 */

import { callerOfToken } from "../../core/auth/authentication.ts";
import { adminCaller, type Caller } from "../../core/auth/caller.ts";
import { isAdmin } from "../../core/auth/permissions.ts";
import { grants, type Scope } from "../../core/auth/scopes.ts";
import { secondMicros } from "../../core/lib/time.ts";
import type { ThumbnailColumns } from "../../files/probe/port.ts";
import { storedFormat, thumbnailFormats } from "../../files/probe/thumbnails/thumbnail-format.ts";
import { isShownInline } from "../assets/files/response-headers.ts";
import { invalidLink, type Purpose, signedUrl, viewExpiry } from "../assets/files/signed-urls.ts";
import type { Asset } from "../assets/schema.ts";
import type { LibraryContext } from "../context.ts";
import type { AssetRow } from "../rows.ts";
import { reviewRoleOf } from "../verdicts/verdict.ts";
import type { ShareRow } from "./rows.ts";
import type { ShareState } from "./schema.ts";
import { sharedAsset } from "./subject.ts";

type Needs = Pick<LibraryContext, "config" | "data" | "now">;

/** What a share needs of its creator. It grants reading too: the answer to a review has the URL of the file. */
const creatorScope: Scope = "assets:review";

/** Whether a caller may give verdicts of this role: its own, or any for an admin, who can create tokens. */
export const mayActAs = (caller: Caller, role: string): boolean =>
  isAdmin(caller) || reviewRoleOf(caller) === role;

/**
 * The name of the token behind a caller, under which it is found again after a rotation; null for an admin
 * without one, on the command line of the server or after a sign-in link.
 */
export function tokenNameOf(
  { config }: Pick<LibraryContext, "config">,
  { name, hash }: Caller,
): string | null {
  if (hash !== undefined) return name;
  const isConfigured = [...config.tokens.values()].some((token) => token.name === name);
  return isConfigured && name !== adminCaller.name ? name : null;
}

/** Whether the token of the creator is still valid, and still allows what the share does. */
async function creatorAllows(
  { config, data, now }: Needs,
  { creator, project, role }: Pick<ShareRow, "creator" | "project" | "role">,
): Promise<boolean> {
  if (creator === null) return true;
  const configured = config.tokens.values().find(({ name }) => name === creator);
  const token = configured ?? callerOfToken(await data.tokenNamed(creator), now());
  return (
    token !== null &&
    grants(token.scopes, creatorScope) &&
    (token.projects?.includes(project) ?? true) &&
    (role === null || mayActAs(token, role))
  );
}

export async function shareState(ctx: Needs, share: ShareRow): Promise<ShareState> {
  if (share.revoked_at !== null) return "revoked";
  if (share.expires_at <= ctx.now()) return "expired";
  return (await creatorAllows(ctx, share)) ? "active" : "suspended";
}

/** A share that works, with the asset of it that is shown. */
export interface LiveShare {
  share: ShareRow;
  asset: AssetRow;
}

/** The share if it works; null for every reason why one does not. */
export const activeShare = async (ctx: Needs, share: ShareRow | null): Promise<ShareRow | null> =>
  share && (await shareState(ctx, share)) === "active" ? share : null;

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
  ctx: Needs,
  shareId: string,
  assetId: string,
  purpose: FilePurpose,
): Promise<void> {
  const share = await activeShare(ctx, await ctx.data.share(shareId));
  const asset = share && (await sharedAsset(ctx, share, assetId));
  if (!asset || !mayServe({ share, asset }, purpose)) throw invalidLink();
}

export type SharedUrls = Pick<Asset, "url" | "thumb_url" | "bundle_url">;

const nameOf = ({ key }: Pick<AssetRow, "key">): string => (key ?? "").split("/").at(-1) as string;

/** The URLs of the files of a share. They expire with it, if that is earlier than other URLs do. */
export function sharedUrls(ctx: LibraryContext, live: LiveShare): SharedUrls {
  const { key, bundle_index } = live.asset;
  if (key === null || ctx.store === null) return { url: null, thumb_url: null, bundle_url: null };
  const sign = (purpose: FilePurpose, name: string) =>
    mayServe(live, purpose) ? signShared(ctx, live, purpose, name) : null;
  return {
    url: sign("view", nameOf(live.asset)),
    thumb_url: thumbUrl(ctx, live.share, live.asset),
    bundle_url: bundle_index === null ? null : sign("bundle", bundle_index),
  };
}

/** The URL of the thumbnail of an asset of a share; null if it has none. */
export const thumbUrl = (
  ctx: LibraryContext,
  share: ShareRow,
  { id, key, ...columns }: Pick<AssetRow, "id" | "key"> & ThumbnailColumns,
): string | null => {
  const format = storedFormat(columns);
  return format && key !== null && ctx.store !== null
    ? signShared(ctx, { share, asset: { id } }, "thumb", thumbnailFormats[format].filename)
    : null;
};

/** The URL that downloads the file; null if the share does not allow it, or the file is deleted. */
export const downloadUrl = (ctx: LibraryContext, live: LiveShare): string | null =>
  live.share.allow_download && live.asset.key !== null && ctx.store !== null
    ? signShared(ctx, live, "download", nameOf(live.asset))
    : null;

const signShared = (
  { config, secret, now }: LibraryContext,
  { share, asset }: { share: ShareRow; asset: Pick<AssetRow, "id"> },
  purpose: FilePurpose,
  name: string,
): string => {
  const expires = Math.min(viewExpiry(config, now()), Math.floor(share.expires_at / secondMicros));
  return signedUrl({ config, secret }, purpose, asset.id, name, expires, share.id);
};
