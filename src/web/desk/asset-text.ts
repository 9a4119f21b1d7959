/** Reads the text of an asset through its signed URL, the only authorized access to private files. */

import type { Context } from "../../api/context.ts";
import { decodeText, guessText } from "../../files/probe/text-encoding.ts";
import type { Annotation } from "../../library/annotations/schema.ts";
import { findPrivateFile } from "../../library/assets/files/resolve.ts";
import { signedFilePath } from "../../library/assets/files/signed-urls.ts";
import type { Asset } from "../../library/assets/schema.ts";
import type { View } from "../view.ts";
import { showsSource } from "./source-tabs.tsx";
import { type ReadText, type ShownText, toShownText } from "./text/shown-text.ts";
import { isText } from "./viewer.tsx";

/** Larger texts are not compared line by line. */
export const textBytesMax = 512 * 1024;

/** @returns null if the text is too large to compare, or if the file is no text */
export async function loadText(ctx: Context, asset: Asset): Promise<string | null> {
  const read = await readText(ctx, asset);
  return read && !read.isCut ? read.text : null;
}

/** The beginning of a text. @returns null if the file is no text, or gone */
export async function readText(
  ctx: Context,
  asset: Asset,
  bytesMax = textBytesMax,
): Promise<ReadText | null> {
  const [purpose, address] = asset.bundle_url
    ? (["bundle", asset.bundle_url] as const)
    : (["view", asset.url] as const);
  if (!address) return null;
  const [, id = "", sealed = "", ...path] = new URL(address).pathname
    .slice(signedFilePath.length + 1)
    .split("/");
  const file = await findPrivateFile(ctx, purpose, id, sealed, decodeURIComponent(path.join("/")));
  await file.verify?.();
  const { store, key } = file;
  const stored = await store.get(key, { start: 0, end: bytesMax });
  if (!stored) return null;
  const isCut = stored.size > bytesMax;
  const bytes = await new Response(stored.body).bytes();
  const text = (decodeText(bytes, !isCut) ?? (await guessText(bytes, !isCut)))?.text;
  return text === undefined ? null : { text, isCut };
}

/** The text to show; null for other files. The URL says whether HTML is shown as a text. */
export async function loadShownText(
  { ctx, url }: Pick<View, "ctx" | "url">,
  asset: Asset,
  annotations: readonly Annotation[],
): Promise<ShownText | null> {
  const isShown = asset.kind === "file" ? isText(asset) : showsSource(url, asset);
  const read = isShown ? await readText(ctx, asset) : null;
  const isMarked = annotations.some(({ target }) => target?.quote || target?.lines);
  return read && toShownText(url, asset, read, isMarked);
}
