/**
 * Signed addresses of assets. Pages of the library show the same ones again and again, so they are made once
 * for as long as they hold.
 */
import type { Context } from "../context.ts";
import type { AssetRow } from "../rows.ts";
import { thumbName } from "./derivatives.ts";
import { type Asset, mediaPath } from "./schema.ts";
import { signedUrl, viewExpiry } from "./signed-urls.ts";

/** Base of the URLs that rows keep as a path, in place of `mediaPath`. */
const mediaUrl = ({ config, publicStore }: Pick<Context, "config" | "publicStore">): string =>
  config.publicBaseUrl || publicStore?.address || config.contentUrl + mediaPath;

/** The URL of a published asset, of the one that its row keeps. */
export const absolute = (ctx: Context, kept: string | null): string | null =>
  kept?.startsWith(`${mediaPath}/`) ? mediaUrl(ctx) + kept.slice(mediaPath.length) : kept;

/** The same in the text of an asset. In JSON a title cannot hold these quotes. */
const keptPath = `"public_url":"${mediaPath}/`;
export const withPublicUrl = (ctx: Context, wire: string): string =>
  wire.includes(keptPath) ? wire.replace(keptPath, () => `"public_url":"${mediaUrl(ctx)}/`) : wire;

type Addresses = Pick<Asset, "url" | "thumb_url" | "bundle_url">;
/** What they depend on. */
type Addressed = Pick<AssetRow, "id" | "key" | "has_thumb" | "bundle_index">;

interface Made {
  row: Addressed;
  addresses: Addresses;
  /** The same as JSON. */
  wire: string;
}

const madeMax = 32_768;

/** Of one server, until a later expiry. */
let made = { secret: "", site: "", expires: 0, of: new Map<string, Made>() };

export function addressesOf(
  { config, secret, now }: Context,
  { id, key, has_thumb, bundle_index }: Addressed,
): Made {
  const expires = viewExpiry(config, now());
  if (
    made.expires !== expires ||
    made.secret !== secret ||
    made.site !== config.contentUrl ||
    made.of.size >= madeMax
  )
    made = { secret, site: config.contentUrl, expires, of: new Map() };
  const known = made.of.get(id);
  if (
    known &&
    known.row.key === key &&
    known.row.has_thumb === has_thumb &&
    known.row.bundle_index === bundle_index
  )
    return known;
  const signed = (purpose: "view" | "thumb" | "bundle", name: string) =>
    signedUrl({ config, secret }, purpose, id, name, expires);
  const addresses: Addresses = {
    url: key && signed("view", key.split("/").at(-1) as string),
    thumb_url: key && has_thumb ? signed("thumb", thumbName) : null,
    bundle_url: key && bundle_index ? signed("bundle", bundle_index) : null,
  };
  const one = { row: { id, key, has_thumb, bundle_index }, addresses, wire: JSON.stringify(addresses) };
  made.of.set(id, one);
  return one;
}
