/** Which bytes a signed address means: the one authorised way to private bytes. */
import type { Context } from "../context.ts";
import { mimeOfName } from "../probe/bundle/extension.ts";
import { isBundle } from "../probe/kind.ts";
import { notFound, Problem } from "../problem.ts";
import { isKey, variantKey } from "../stores/keys.ts";
import type { Store } from "../stores/store.ts";
import { bundleFolder, thumbName } from "./derivatives.ts";
import { holds, type Purpose } from "./signed-urls.ts";

/** Bytes that may go out, and what is known of them. */
export interface Sendable {
  store: Store;
  key: string;
  type: string;
  etag: string;
  /** Of the bytes, where a row says it; else the store does. */
  size?: number;
  filename: string;
  /** A page, allowed to run its scripts in an origin of its own. */
  page: boolean;
}

const refused = () => new Problem(403, "This link is invalid or has expired.");

export async function privateBytes(
  ctx: Context,
  purpose: Exclude<Purpose, "upload">,
  id: string,
  sealed: string,
  path: string,
): Promise<Sendable> {
  if (!holds(ctx.secret, purpose, id, sealed, ctx.now())) throw refused();
  const asset = await ctx.data.asset(null, id);
  if (!asset?.key || !ctx.store) throw notFound("This file has been deleted.");
  const filename = asset.key.split("/").at(-1) as string;
  const file = {
    store: ctx.store,
    key: asset.key,
    type: asset.mime,
    etag: asset.sha256,
    filename,
    page: false,
  };
  const whole = { ...file, size: asset.size };
  if (purpose === "view") {
    if (path !== filename) throw refused();
    return whole;
  }
  if (purpose === "thumb") {
    if (path !== thumbName || !asset.has_thumb) throw refused();
    return {
      ...file,
      key: variantKey(id, thumbName),
      type: "image/webp",
      etag: `${asset.sha256}-thumb`,
      filename: thumbName,
    };
  }
  if (asset.bundle_index === null) throw refused();
  if (!isBundle(asset)) {
    if (path !== filename) throw notFound("File not found in this page.");
    return { ...whole, page: true };
  }
  const key = `_variants/${id}/${bundleFolder}${path.normalize("NFC")}`;
  if (!isKey(key)) throw notFound("File not found in this bundle.");
  return {
    ...file,
    key,
    type: mimeOfName(path),
    etag: `${asset.sha256}-${Bun.hash(path).toString(36)}`,
    filename: path.split("/").at(-1) as string,
    page: true,
  };
}

/** What was published to the local public store: permanent, without a signature. */
export async function publicBytes(ctx: Context, key: string): Promise<Sendable> {
  const [project, id = "", ...path] = key.split("/");
  const missing = () => notFound("No published file at this URL.");
  if (!isKey(key) || !ctx.publicStore) throw missing();
  const asset = await ctx.data.asset(null, id);
  if (!asset?.public_url || asset.project !== project) throw missing();
  const bundle = isBundle(asset);
  const name = path.join("/");
  return {
    ...{ store: ctx.publicStore, key, filename: path.at(-1) as string, page: asset.kind === "html" },
    type: bundle ? mimeOfName(name) : asset.mime,
    ...(bundle
      ? { etag: `${asset.sha256}-${Bun.hash(name).toString(36)}` }
      : { etag: asset.sha256, size: asset.size }),
  };
}
