/** The comment for a rejected asset. */

import { assetPageUrl } from "../assets/page-url.ts";
import type { AssetRow } from "../rows.ts";

/** Breaks @mentions, and `<!--` and `]:`, which could forge the marker that identifies our comments. */
const escapeMarkup = (text: string): string =>
  text.replaceAll("@", "@\u200b").replaceAll("<!--", "<\u200b!--").replaceAll("]:", "]\u200b:");

/** Renders the Markdown comment: the title, the version, the reviewer, the note as a quote, and a link. */
export const rejectionComment = (siteUrl: string, asset: AssetRow, note: string): string =>
  `**${escapeMarkup(asset.title)}** (version ${asset.version}) was rejected by ` +
  `${escapeMarkup(asset.reviewed_by ?? "")}:\n\n${quoted(note)}\n\n` +
  `[View the asset](${assetPageUrl({ siteUrl }, asset.id)})`;

/** The same for a variant set. @param url of its page */
export const setComment = (set: string, by: string, text: string, url: string): string =>
  `Variants of **${escapeMarkup(set)}** were reviewed by ${escapeMarkup(by)}:\n\n${quoted(text)}\n\n` +
  `[View the set](${url})`;

const quoted = (text: string): string =>
  escapeMarkup(text)
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${line}`)
    .join("\n");
