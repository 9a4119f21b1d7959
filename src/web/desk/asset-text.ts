/** Reads the text of an asset through its signed URL, the only authorized access to private files. */

import type { Context } from "../../api/context.ts";
import { decodeText, guessText } from "../../files/probe/text-encoding.ts";
import { findPrivateFile } from "../../library/assets/files/resolve.ts";
import { signedFilePath } from "../../library/assets/files/signed-urls.ts";
import type { Asset } from "../../library/assets/schema.ts";
import { textToShow } from "../annotations/text/text-view.tsx";
import type { View } from "../view.ts";
import { showsSource } from "./source-tabs.tsx";
import { isText } from "./viewer.tsx";

/** Larger texts are not compared line by line. */
export const textBytesMax = 512 * 1024;

/** @returns null if the text is too large to compare, or if the file is no text */
export async function loadText(ctx: Context, asset: Asset): Promise<string | null> {
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
  const stored = await store.get(key, { start: 0, end: textBytesMax });
  if (!stored) return null;
  if (stored.size > textBytesMax) {
    await stored.body.cancel();
    return null;
  }
  const bytes = await new Response(stored.body).bytes();
  return (decodeText(bytes, true) ?? (await guessText(bytes, true)))?.text ?? null;
}

/** The text to show line by line; null for other files. The URL says whether HTML is shown as a text. */
export async function loadLines(
  { ctx, url }: Pick<View, "ctx" | "url">,
  asset: Asset,
): Promise<string | null> {
  const isShown = asset.kind === "file" ? isText(asset) : showsSource(url, asset);
  return isShown ? textToShow(await loadText(ctx, asset)) : null;
}
