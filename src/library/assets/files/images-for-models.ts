/** The images that an answer to a model shows of an asset, when it asks for them. */

import type { Caller } from "../../../core/auth/caller.ts";
import { Problem } from "../../../core/problem.ts";
import type { CaptionedImage } from "../../../core/wire.ts";
import { bytesSource } from "../../../files/probe/source.ts";
import { missingThumbnailReason } from "../../../files/probe/thumbnails/missing-thumbnail.ts";
import {
  annotatedFormat,
  storedFormat,
  thumbnailFormats,
} from "../../../files/probe/thumbnails/thumbnail-format.ts";
import { variantKey } from "../../../files/stores/keys.ts";
import { placeText } from "../../annotations/text.ts";
import type { LibraryContext, LibraryRule } from "../../context.ts";
import { requireAsset } from "../library.ts";
import type { AnnotatedImage, AssetDetail } from "../schema.ts";
import { storeAnnotatedImage } from "./annotated-images.ts";

/** More would crowd out the text; each has at most 200 KB. */
const imagesMax = 3;

/** The open annotations drawn on the file; without any, the file itself as far as it is an image. */
export const imagesForModels: LibraryRule<AssetDetail, CaptionedImage[]> = async (ctx, asset, caller) => {
  const { id, annotated_images } = asset;
  if (annotated_images.length > 0)
    return Promise.all(
      annotated_images.slice(0, imagesMax).map((image) => loadAnnotated(ctx, id, image, caller)),
    );
  const preview = await loadPreview(ctx, id, caller);
  return [preview ? { caption: "The file.", ...preview } : { caption: missingThumbnailReason(asset) }];
};

async function loadAnnotated(
  ctx: LibraryContext,
  id: string,
  { url, n, t_ms, page }: AnnotatedImage,
  caller: Caller,
): Promise<CaptionedImage> {
  const moment = t_ms === null ? page !== null && { page } : { t_ms };
  const caption = `With annotations ${n.join(", ")}${moment ? `: ${placeText(moment)}` : ""}.`;
  try {
    const asset = await requireAsset(ctx, id, caller);
    // safe because: an asset with annotated images has a store
    const store = ctx.store as NonNullable<LibraryContext["store"]>;
    const key = await storeAnnotatedImage(ctx, store, asset, url.slice(url.lastIndexOf("/") + 1));
    const stored = await store.get(key);
    if (!stored) return { caption: `${caption} The image is gone. Try again.` };
    return {
      caption,
      mime: thumbnailFormats[annotatedFormat].mime,
      bytes: await new Response(stored.body).bytes(),
    };
  } catch (error) {
    if (error instanceof Problem) return { caption: `${caption} ${error.detail}` };
    throw error;
  }
}

/** Preview images of assets. */
export interface Preview {
  mime: string;
  bytes: Uint8Array;
}

/** Larger images are previewed by their thumbnail. */
const previewBytesMax = 256 * 2 ** 10;

const previewTypes = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);

/** Exif in a JPEG or PNG may turn it, which models do not see. */
const mayBeTurned = (image: Uint8Array): boolean =>
  ["Exif\0\0", "eXIf"].some((signature) => Buffer.from(image).includes(signature));

/** Returns the image as it is shown, if it is small, else the thumbnail; null if there is neither. */
export async function loadPreview(ctx: LibraryContext, id: string, caller: Caller): Promise<Preview | null> {
  const asset = await requireAsset(ctx, id, caller);
  const { key, mime, kind, width, height, duration_ms, size } = asset;
  if (key === null || !ctx.store) return null;
  const load = async (from: string) => {
    const stored = await ctx.store?.get(from);
    return stored ? new Response(stored.body).bytes() : null;
  };
  const small = previewTypes.has(mime) && size <= previewBytesMax ? await load(key) : null;
  if (small && !mayBeTurned(small)) return { mime, bytes: small };
  const upright =
    small &&
    (await ctx.probe.annotatedImage(
      bytesSource(small),
      { mime, kind, width, height, duration_ms },
      { t_ms: null, page: null },
      [],
    ));
  if (upright) return { mime: thumbnailFormats[annotatedFormat].mime, bytes: upright };
  const format = storedFormat(asset);
  if (!format) return null;
  const { mime: type, filename } = thumbnailFormats[format];
  const bytes = await load(variantKey(id, filename));
  return bytes && { mime: type, bytes };
}
