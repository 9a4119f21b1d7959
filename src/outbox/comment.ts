/** What a rejection says at the source host. */
import type { AssetRow } from "../rows.ts";

/** Text of others must neither ping people nor close the comment that marks ours. */
const tame = (text: string): string => text.replaceAll("@", "@\u200b").replaceAll("<!--", "<\u200b!--");

export function rejectionComment(siteUrl: string, asset: AssetRow, note: string): string {
  const quoted = tame(note)
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${line}`)
    .join("\n");
  return `**${tame(asset.title)}**, version ${asset.version}, was rejected by ${tame(asset.reviewed_by ?? "")}:\n\n${quoted}\n\n[Asset](${siteUrl}/assets/${asset.id})`;
}
