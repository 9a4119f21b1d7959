/** The text of an asset, read where its signed address leads: by the one authorised way to private bytes. */
import { findPrivateFile } from "../../assets/files.ts";
import type { Asset } from "../../assets/schema.ts";
import { signedFilePath } from "../../assets/signed-urls.ts";
import type { Context } from "../../context.ts";

/** More than that nobody compares line by line. */
export const textBytesMax = 512 * 1024;

/** Null: it is longer than what is compared, or no text. */
export async function textOf(ctx: Context, asset: Asset): Promise<string | null> {
  const [purpose, address] = asset.bundle_url
    ? (["bundle", asset.bundle_url] as const)
    : (["view", asset.url] as const);
  if (!address) return null;
  const [, id = "", sealed = "", ...path] = new URL(address).pathname
    .slice(signedFilePath.length + 1)
    .split("/");
  const { store, key } = await findPrivateFile(ctx, purpose, id, sealed, decodeURIComponent(path.join("/")));
  const stored = await store.get(key, { start: 0, end: textBytesMax });
  if (!stored) return null;
  if (stored.size > textBytesMax) {
    await stored.body.cancel();
    return null;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await new Response(stored.body).arrayBuffer());
  } catch {
    return null;
  }
}
