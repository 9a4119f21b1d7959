/** Notices about assets: waiting for review, reviewed, published. */

import { isIpAddress, isPublicAddress } from "../../../../core/lib/http/ip-address.ts";
import { dayMicros, secondMicros } from "../../../../core/lib/time.ts";
import type { Event } from "../../../../feed/schema.ts";
import type { ThumbnailColumns } from "../../../../files/probe/port.ts";
import {
  chatFormat,
  storedFormat,
  thumbnailFormats,
} from "../../../../files/probe/thumbnails/thumbnail-format.ts";
import { signedUrl } from "../../../../library/assets/files/signed-urls.ts";
import { assetIdOf, assetPageUrl } from "../../../../library/assets/page-url.ts";
import type { AssetRow } from "../../../../library/rows.ts";
import { decisionOf } from "../../../../library/verdicts/text.ts";
import type { IntegrationsContext } from "../../../context.ts";
import { cleanActor, cleanQuote, cleanTitle, type Image, type Notice } from "./notice.ts";

/** The asset of an event; null for events from before they named it. */
export async function assetOf(
  { data }: Pick<IntegrationsContext, "data">,
  event: Event,
): Promise<AssetRow | null> {
  const id = assetIdOf(event.url);
  return id === null ? null : data.asset(event.project === null ? null : [event.project], id);
}

export const taskOf = ({ issue, task, pr }: Pick<Event, "issue" | "task" | "pr">): string[] =>
  task != null ? [task] : issue !== null ? [`issue #${issue}`] : pr !== null ? [`pull request #${pr}`] : [];

const nameOf = ({ title, version }: AssetRow): string =>
  cleanTitle(version > 1 ? `${title}, version ${version}` : title);

/** What every notice about an asset has. */
export function assetNotice(
  ctx: IntegrationsContext,
  asset: AssetRow,
  verb: string,
): Pick<Notice, "title" | "link" | "image"> {
  return {
    title: `${verb}: ${nameOf(asset)}`,
    link: { label: "Open the review desk", url: assetPageUrl(ctx.config, asset.id) },
    image: thumbnailOf(ctx, { ...asset, title: cleanTitle(asset.title) }),
  };
}

const by = (ctx: Pick<IntegrationsContext, "config">, actor: string): string =>
  `By ${cleanActor(ctx, actor)}`;

/** A new asset or version; null once it is reviewed or replaced. */
export async function uploadNotice(ctx: IntegrationsContext, event: Event): Promise<Notice | null> {
  const asset = await assetOf(ctx, event);
  if (!asset) return summaryNotice(ctx, event, { tone: "waiting" });
  if (asset.status !== "pending") return null;
  return {
    tone: "waiting",
    ...assetNotice(ctx, asset, "Ready for review"),
    facts: [by(ctx, asset.created_by), ...taskOf(asset)],
    quote: null,
  };
}

export const isRejection = (event: Event): boolean => decisionOf(event) === "rejected";

/** A review, with its note if no later one has replaced it. */
export async function reviewNotice(ctx: IntegrationsContext, event: Event): Promise<Notice | null> {
  const tone = isRejection(event) ? "bad" : "good";
  const asset = await assetOf(ctx, event);
  if (!asset) return summaryNotice(ctx, event, { tone });
  const isCurrent = isRejection(event) === (asset.status === "rejected");
  return {
    tone,
    ...assetNotice(ctx, asset, isRejection(event) ? "Rejected" : "Approved"),
    facts: [by(ctx, event.actor), ...taskOf(asset)],
    quote: isCurrent ? cleanQuote(asset.review_note) : null,
  };
}

export async function publishNotice(ctx: IntegrationsContext, event: Event): Promise<Notice | null> {
  const asset = await assetOf(ctx, event);
  if (!asset) return summaryNotice(ctx, event, { tone: "good" });
  return {
    tone: "good",
    ...assetNotice(ctx, asset, "Published"),
    facts: [by(ctx, event.actor), ...taskOf(asset)],
    quote: null,
  };
}

/** A notice of what the event alone says. */
export const summaryNotice = (
  ctx: Pick<IntegrationsContext, "config">,
  event: Event,
  style: Partial<Notice> = {},
): Notice => ({
  tone: "neutral",
  quote: null,
  image: null,
  title: cleanTitle(event.summary),
  facts: [by(ctx, event.actor), ...taskOf(event)],
  link:
    event.project === null ? null : { label: "Open the project", url: projectUrl(ctx.config, event.project) },
  ...style,
});

const projectUrl = ({ siteUrl }: Pick<IntegrationsContext["config"], "siteUrl">, project: string): string =>
  `${siteUrl}/projects/${project}`;

/** The page with everything about a project, or about all. */
export const feedUrl = (
  config: Pick<IntegrationsContext["config"], "siteUrl">,
  project: string | null,
): string => (project === null ? `${config.siteUrl}/feed` : projectUrl(config, project));

/** Some services load the image each time a message is shown; a message is rarely read after a week. */
const lifetimeMicros = 7 * dayMicros;

/** The same URL for a day, so that services can cache it. */
const expiryOf = (now: number): number =>
  (Math.ceil(now / dayMicros) * dayMicros + lifetimeMicros) / secondMicros;

/** Null unless services on the internet can load it: the site has a public https URL. */
function thumbnailOf(
  { config, secret, now }: Pick<IntegrationsContext, "config" | "secret" | "now">,
  { id, title, key, ...columns }: Pick<AssetRow, "id" | "title" | "key"> & ThumbnailColumns,
): Image | null {
  const stored = storedFormat(columns);
  if (!key || !stored || !isPublicUrl(config.contentUrl)) return null;
  const { filename } = thumbnailFormats[chatFormat(stored)];
  const url = signedUrl({ config, secret }, "thumb", id, filename, expiryOf(now()));
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
