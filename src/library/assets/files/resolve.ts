/** Resolves signed URLs to private files, and public URLs to published files. */

import { mimeOfName } from "../../../core/lib/mime-of-name.ts";
import { normalizeUnicode } from "../../../core/lib/strings/nfc.ts";
import { gone, notFound, type Problem } from "../../../core/problem.ts";
import { isBundle } from "../../../files/probe/kind.ts";
import {
  annotatedFormat,
  storedFormat,
  thumbnailFormats,
} from "../../../files/probe/thumbnails/thumbnail-format.ts";
import { isKey } from "../../../files/stores/keys.ts";
import type { Store } from "../../../files/stores/store.ts";
import type { LibraryContext } from "../../context.ts";
import type { BundleAsset } from "../../rows.ts";
import { requireSharedFile } from "../../shares/access.ts";
import { bundleKey, bundlePrefix, findManifestFile, loadManifest } from "../bundles/manifest.ts";
import { publishFile, requireIntact } from "../bundles/restore.ts";
import { storeAnnotatedImage } from "./annotated-images.ts";
import { fileNameOf } from "./response-headers.ts";
import { invalidLink, isValidSignature, type Purpose, shareOfSigned } from "./signed-urls.ts";
import { storeThumbnail, thumbnailFormatOf } from "./thumbnails.ts";

/** A file that the request may read, with what its response headers need. */
export interface ServableFile {
  store: Store;
  key: string;
  type: string;
  etag: string;
  /** In bytes, if the row has it; otherwise the store is asked. */
  size?: number;
  filename: string;
  /** An HTML page, which may run scripts in its own origin. */
  isPage: boolean;
  /** Sent as an attachment, whatever its type. */
  isDownload?: boolean;
  /** Throws a Problem 503 before anything is sent that is not what was reviewed. */
  verify?(): Promise<void>;
}

/**
 * The file that a signed URL names.
 * @throws 403 for an invalid or expired signature, 404 for a deleted file
 */
export async function findPrivateFile(
  ctx: LibraryContext,
  purpose: Exclude<Purpose, "upload">,
  id: string,
  signedExpiry: string,
  path: string,
): Promise<ServableFile> {
  if (!isValidSignature(ctx, purpose, id, signedExpiry)) throw invalidLink();
  const share = shareOfSigned(signedExpiry);
  if (share !== undefined) await requireSharedFile(ctx, share, id, purpose);
  const asset = await ctx.data.assetFile(id);
  if (!asset?.key || !ctx.store) throw notFound("This file has been deleted.");
  const { key } = asset;
  const nameInUrl = key.split("/").at(-1);
  const file = {
    store: ctx.store,
    key,
    type: asset.mime,
    etag: asset.sha256,
    filename: fileNameOf({ ...asset, key }),
    isPage: false,
  };
  const original = { ...file, size: asset.size };
  if (purpose === "view" || purpose === "download") {
    if (path !== nameInUrl) throw invalidLink();
    return { ...original, isDownload: purpose === "download" };
  }
  if (purpose === "thumb") {
    const [format, stored] = [thumbnailFormatOf(path), storedFormat(asset)];
    if (!stored || (format !== stored && format !== "png")) throw invalidLink();
    const { mime: type, filename } = thumbnailFormats[format];
    const key = await storeThumbnail(ctx, ctx.store, id, stored, format);
    return { ...file, key, type, etag: `${asset.sha256}-${filename}`, filename };
  }
  if (purpose === "annotated") {
    const row = await ctx.data.asset(null, id);
    if (!row) throw invalidLink();
    const key = await storeAnnotatedImage(ctx, ctx.store, row, path);
    return {
      ...file,
      key,
      type: thumbnailFormats[annotatedFormat].mime,
      etag: path.replace(".", "-"),
      filename: path,
    };
  }
  if (asset.bundle_index === null) throw invalidLink();
  if (!isBundle(asset)) {
    if (path !== nameInUrl) throw notFound("File not found in this page.");
    return { ...original, isPage: true };
  }
  const { store } = ctx;
  const bundle = { ...asset, id };
  const found = isBundlePath(id, path) ? await findManifestFile(ctx, bundle, normalizeUnicode(path)) : null;
  if (!found) throw notFound("File not found in this bundle.");
  return {
    ...file,
    key: bundleKey(id, found.path),
    type: mimeOfName(path),
    etag: bundleEtag(asset, path),
    size: found.size,
    filename: path.split("/").at(-1) as string,
    isPage: true,
    verify: () => requireIntact(ctx, store, bundle, found),
  };
}

/** Returns a published file of the local public store: permanent, and readable without a signature. */
export async function findPublishedFile(ctx: LibraryContext, requested: string): Promise<ServableFile> {
  const key = normalizeUnicode(requested);
  const [project, id = "", ...path] = key.split("/");
  if (!isKey(key) || !ctx.publicStore) throw missingPublished();
  const asset = await ctx.data.assetFile(id);
  if (!asset?.public_url) throw await whyNotPublished(ctx, id);
  if (asset.project !== project) throw missingPublished();
  const file = {
    store: ctx.publicStore,
    key,
    filename: isBundle(asset) ? (path.at(-1) as string) : fileNameOf({ ...asset, key }),
    isPage: asset.kind === "html",
  };
  if (!isBundle(asset)) return { ...file, type: asset.mime, etag: asset.sha256, size: asset.size };
  const name = path.join("/");
  return {
    ...file,
    type: mimeOfName(name),
    etag: bundleEtag(asset, name),
    ...(await publishedBundleFile(ctx, ctx.publicStore, { ...asset, id }, name)),
  };
}

/** Of a bundle whose zip was deleted before it had a manifest, nothing is known of its files. */
async function publishedBundleFile(
  ctx: LibraryContext,
  publicStore: Store,
  bundle: BundleAsset,
  path: string,
): Promise<Pick<ServableFile, "size" | "verify">> {
  const { store } = ctx;
  const found = await findManifestFile(ctx, bundle, path);
  if (!found && (await loadManifest(ctx, bundle))) throw missingPublished();
  if (!found || !store) return {};
  return { size: found.size, verify: () => publishFile(ctx, { store, publicStore }, bundle, found) };
}

async function whyNotPublished({ data }: LibraryContext, id: string): Promise<Problem> {
  const isRemoved = (await data.removals([id])).some(({ kind }) => kind === "publication");
  return isRemoved
    ? gone("This file was unpublished. It is no longer available at this URL.")
    : missingPublished();
}

const missingPublished = () => notFound("No published file at this URL.");

const isBundlePath = (id: string, path: string): boolean => isKey(bundlePrefix(id) + normalizeUnicode(path));

/** Each file of a bundle has its own. */
const bundleEtag = ({ sha256 }: Pick<BundleAsset, "sha256">, path: string): string =>
  `${sha256}-${Bun.hash(path).toString(36)}`;
