/** An asset on the wire: what its row determines, and the URLs of its files. */
import type { Config } from "../../core/config.ts";
import { Cache, perObject, textBytes } from "../../core/lib/cache.ts";
import { fromMicros } from "../../core/lib/time.ts";
import { issueOnly } from "../../core/task-key.ts";
import { storedFormat, thumbnailFormats } from "../../files/probe/thumbnails/thumbnail-format.ts";
import type { LibraryContext } from "../context.ts";
import type { AssetRow, UrlColumns } from "../rows.ts";
import { signedUrl, viewExpiry } from "./files/signed-urls.ts";
import { type Asset, mediaPath } from "./schema.ts";

/** Returns an asset without its signed URLs, which expire and are signed again. */
export function assetFields({
  root_id: _,
  key: __,
  has_thumb: ___,
  thumb_format: ____,
  bundle_index: _____,
  uploader: ______,
  filename: _______,
  ...fields
}: AssetRow) {
  const toTime = (at: number | null) => (at === null ? null : fromMicros(at));
  return {
    ...fields,
    issue: issueOnly(fields.issue),
    created_at: fromMicros(fields.created_at),
    reviewed_at: toTime(fields.reviewed_at),
    expires_at: toTime(fields.expires_at),
  };
}

/** Renders an asset as JSON without its signed URLs; the text is stored with the row. */
export const renderAsset = (row: AssetRow): string => JSON.stringify(assetFields(row));

/** Returns the base of the public URLs, which replaces `mediaPath` in stored ones. */
export const mediaUrl = ({ config, publicStore }: Pick<LibraryContext, "config" | "publicStore">): string =>
  config.publicBaseUrl || publicStore?.baseUrl || config.contentUrl + mediaPath;

/** Returns the absolute public URL for the URL or path stored in a row. */
export const publicUrlOf = (ctx: LibraryContext, storedUrl: string | null): string | null =>
  storedUrl?.startsWith(`${mediaPath}/`) ? mediaUrl(ctx) + storedUrl.slice(mediaPath.length) : storedUrl;

/** The stored URL inside an asset's JSON. Unambiguous: quotes in a title are escaped. */
const storedUrlJson = `"public_url":"${mediaPath}/`;

export const withPublicUrl = (ctx: LibraryContext, json: string): string =>
  json.includes(storedUrlJson) ? json.replace(storedUrlJson, () => `"public_url":"${mediaUrl(ctx)}/`) : json;

type AssetUrls = Pick<Asset, "url" | "thumb_url" | "bundle_url">;

/** The columns that the URLs depend on. */
export type UrlInputs = Pick<AssetRow, "id"> & UrlColumns;

interface CachedUrls {
  row: UrlInputs;
  urls: AssetUrls;
  /** `urls` as JSON. */
  json: string;
}

/** Half of it holds the 25,000 assets of the random pages of `bun run bench assets`. */
const cachedUrlsMax = 65_536;

/** The URLs by asset id. All of them expire together, so the expiry is the edition of the cache. */
const cacheOf = perObject(
  (config: Config, now: LibraryContext["now"]) =>
    new Cache<string, CachedUrls>({
      max: cachedUrlsMax,
      bytesMax: 128 * 2 ** 20,
      bytesOf: ({ json }) => 2 * textBytes(json),
      edition: () => viewExpiry(config, now()),
    }),
);

/** The signed URLs of an asset, cached until they are renewed; null where it has no such file. */
export function assetUrls(
  { config, secret, now }: LibraryContext,
  { id, key, has_thumb, thumb_format, bundle_index }: UrlInputs,
): CachedUrls {
  const cache = cacheOf(config, now);
  const cached = cache.get(id);
  if (
    cached &&
    cached.row.key === key &&
    cached.row.has_thumb === has_thumb &&
    cached.row.bundle_index === bundle_index
  )
    return cached;
  const expires = viewExpiry(config, now());
  const sign = (purpose: "view" | "thumb" | "bundle", name: string) =>
    signedUrl({ config, secret }, purpose, id, name, expires);
  const format = storedFormat({ has_thumb, thumb_format });
  const urls: AssetUrls = {
    url: key && sign("view", key.split("/").at(-1) as string),
    thumb_url: key && format && sign("thumb", thumbnailFormats[format].filename),
    bundle_url: key && bundle_index ? sign("bundle", bundle_index) : null,
  };
  const entry = { row: { id, key, has_thumb, thumb_format, bundle_index }, urls, json: JSON.stringify(urls) };
  cache.set(id, entry);
  return entry;
}
