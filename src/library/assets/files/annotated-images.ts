/**
 * Images of a version with its open annotations drawn on them, for agents that see. Each is made when it is
 * first requested; its name is a hash of what is drawn, so a change of the annotations is another image.
 */

import { notFound, unavailable } from "../../../core/problem.ts";
import type { Mark, Moment } from "../../../files/probe/port.ts";
import { annotatedFormat, thumbnailFormats } from "../../../files/probe/thumbnails/thumbnail-format.ts";
import { variantKey } from "../../../files/stores/keys.ts";
import type { Store } from "../../../files/stores/store.ts";
import { openAnnotations } from "../../annotations/open.ts";
import type { AnnotationRow } from "../../annotations/rows.ts";
import type { LibraryContext } from "../../context.ts";
import type { AssetRow } from "../../rows.ts";
import type { AnnotatedImage } from "../schema.ts";
import { signedUrl, viewExpiry } from "./signed-urls.ts";
import { storedFile } from "./stored-file.ts";
import { inOneChunk } from "./thumbnails.ts";

const imagesMax = 8;
const folder = "annotated/";
/** Part of the hash: change it with how images are drawn. */
const drawing = 2;

/** What one image shows, and its file name. */
interface Plan extends Moment {
  marks: Mark[];
  name: string;
}

/** Only files that can have a thumbnail can be drawn on. @param open the annotations, sorted by rank */
function plansOf(asset: AssetRow, open: readonly AnnotationRow[]): Plan[] {
  const { id, kind, key, has_thumb, duration_ms } = asset;
  if (key === null || !has_thumb) return [];
  const drawn = open.filter(({ asset_id, target }) => asset_id === id && target?.shape !== undefined);
  const momentOf = ({ target }: AnnotationRow): Moment => ({
    // What is marked after the end is shown on the last frame.
    t_ms: kind === "video" ? Math.min(target?.t_ms ?? 0, duration_ms ?? Number.MAX_SAFE_INTEGER) : null,
    page: kind === "pdf" ? (target?.page ?? 1) : null,
  });
  return [...Map.groupBy(drawn, (row) => JSON.stringify(momentOf(row))).values()]
    .slice(0, imagesMax)
    .map((rows) => {
      const plan = { ...momentOf(rows[0] as AnnotationRow), marks: rows.map(toMark) };
      return { ...plan, name: `${hashOf(plan)}.${annotatedFormat}` };
    });
}

const toMark = ({ n, weight, target }: AnnotationRow): Mark => {
  const { shape, x, y, w, h, points } = target ?? {};
  const defined = Object.entries({ shape, x, y, w, h, points }).filter(([, value]) => value !== undefined);
  return { n, weight, ...Object.fromEntries(defined) };
};

const hashOf = (plan: Omit<Plan, "name">): string =>
  new Bun.CryptoHasher("sha256")
    .update(JSON.stringify([drawing, plan]))
    .digest("base64url")
    .slice(0, 22);

/** The images of a version, as responses. @param open its chain's open annotations, sorted by rank */
export function annotatedImages(
  { config, secret, now, store }: LibraryContext,
  asset: AssetRow,
  open: readonly AnnotationRow[],
): AnnotatedImage[] {
  if (store === null) return [];
  const expires = viewExpiry(config, now());
  return plansOf(asset, open).map(({ marks, name, t_ms, page }) => ({
    url: signedUrl({ config, secret }, "annotated", asset.id, name, expires),
    n: marks.map(({ n }) => n),
    t_ms,
    page,
  }));
}

/**
 * Stores an annotated image, unless it is stored already, and deletes those that show what no longer is.
 * @returns its key
 * @throws {Problem} 404 for an image that the annotations no longer make, 503 if it cannot be made
 */
export async function storeAnnotatedImage(
  ctx: LibraryContext,
  store: Store,
  asset: AssetRow,
  name: string,
): Promise<string> {
  const keyOf = (file: string) => variantKey(asset.id, folder + file);
  const plans = plansOf(asset, await openAnnotations(ctx, asset.root_id));
  const plan = plans.find((one) => one.name === name);
  if (!plan)
    throw notFound("The annotations have changed since. Get the asset again for the URL of a new image.");
  const key = keyOf(name);
  if (await store.stat(key)) return key;
  const { marks, name: _, ...moment } = plan;
  const { kind, mime, width, height, duration_ms } = asset;
  const inspection = { kind, mime, width, height, duration_ms };
  // safe because: a file without a key has no plans
  const file = { key: asset.key as string, size: asset.size, owner: asset.uploader ?? undefined };
  const source = storedFile(store, file);
  const image = await ctx.probe.annotatedImage(source, inspection, moment, marks);
  if (!image)
    throw unavailable("This image cannot be made. If the file has this page or frame, try again later.");
  await store.put(key, inOneChunk(image), {
    type: thumbnailFormats[annotatedFormat].mime,
    maxBytes: image.length,
  });
  const current = new Set(plans.map((one) => keyOf(one.name)));
  for await (const found of store.list(`_variants/${asset.id}/${folder}`))
    if (!current.has(found.key)) await store.delete(found.key).catch(() => {}); // another server may own it
  return key;
}
