/** The comment for a rejected asset. */
import type { AssetRow } from "../rows.ts";

/** Breaks @mentions, and `<!--` and `]:`, which could forge the marker that identifies our comments. */
const escapeMarkup = (text: string): string =>
  text.replaceAll("@", "@\u200b").replaceAll("<!--", "<\u200b!--").replaceAll("]:", "]\u200b:");

/** Renders the Markdown comment: the title, the version, the reviewer, the note as a quote, and a link. */
export function rejectionComment(siteUrl: string, asset: AssetRow, note: string): string {
  const quoted = escapeMarkup(note)
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${line}`)
    .join("\n");
  return (
    `**${escapeMarkup(asset.title)}** (version ${asset.version}) was rejected by ` +
    `${escapeMarkup(asset.reviewed_by ?? "")}:\n\n${quoted}\n\n` +
    `[View the asset](${siteUrl}/assets/${asset.id})`
  );
}
