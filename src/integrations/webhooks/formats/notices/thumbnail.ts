/** Thumbnails that chat services load. */

import { isIpAddress, isPublicAddress } from "../../../../core/lib/http/ip-address.ts";
import { dayMicros, secondMicros } from "../../../../core/lib/time.ts";
import { thumbnailFormats } from "../../../../files/probe/thumbnails/thumbnail-format.ts";
import { signedUrl } from "../../../../library/assets/files/signed-urls.ts";
import type { AssetRow } from "../../../../library/rows.ts";
import type { IntegrationsContext } from "../../../context.ts";
import type { Image } from "./notice.ts";

/** Some services load the image each time a message is shown; a message is rarely read after a week. */
const lifetimeMicros = 7 * dayMicros;

/** The same URL for a day, so that services can cache it. */
const expiryOf = (now: number): number =>
  (Math.ceil(now / dayMicros) * dayMicros + lifetimeMicros) / secondMicros;

/** Null unless services on the internet can load it: the site has a public https URL. */
export function thumbnailOf(
  { config, secret, now }: Pick<IntegrationsContext, "config" | "secret" | "now">,
  { id, title, key, has_thumb }: Pick<AssetRow, "id" | "title" | "key" | "has_thumb">,
): Image | null {
  if (!key || !has_thumb || !isPublicUrl(config.contentUrl)) return null;
  const url = signedUrl({ config, secret }, "thumb", id, thumbnailFormats.png.filename, expiryOf(now()));
  return { url, alt: title };
}

const privateNames =
  /(^|\.)(localhost|local|internal|intranet|lan|home|home\.arpa|corp|test|example|invalid)$/;

/** Whether a URL looks like one on the internet. A name is judged by its ending, without a lookup. */
export function isPublicUrl(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  const host = hostname.replace(/^\[|\]$/g, "");
  if (protocol !== "https:") return false;
  return isIpAddress(host) ? isPublicAddress(host) : host.includes(".") && !privateNames.test(host);
}
