/** The comments for rejected assets: their text, whether a forge takes them, and their queue. */

import type { Config } from "../../core/config.ts";
import type { RepositoryPlace } from "../../core/forges/schema.ts";
import type { Micros } from "../../core/lib/time.ts";
import { issueOnly } from "../../core/task-key.ts";
import { isConfiguredHost } from "../../feed/forges/task-url.ts";
import { assetPageUrl } from "../assets/page-url.ts";
import type { LibraryWrites } from "../port.ts";
import type { AssetRow } from "../rows.ts";

/** Breaks @mentions, and `<!--` and `]:`, which could forge the marker that identifies our comments. */
const escapeMarkup = (text: string): string =>
  text.replaceAll("@", "@\u200b").replaceAll("<!--", "<\u200b!--").replaceAll("]:", "]\u200b:");

/** The Markdown comment: the title, the version, the reviewer, the note as a quote, and a link. */
export const rejectionComment = (config: CommentConfig, asset: AssetRow, note: string): string =>
  `**${escapeMarkup(asset.title)}** (version ${asset.version}) was rejected` +
  `${by(config, asset.reviewed_by)}:\n\n${quoted(note)}\n\n` +
  `[View the asset](${assetPageUrl(config, asset.id)})`;

/** The same for a variant set. @param url of its page */
export const setComment = (
  config: CommentConfig,
  { set, reviewer, text, url }: { set: string; reviewer: string; text: string; url: string },
): string =>
  `Variants of **${escapeMarkup(set)}** were reviewed${by(config, reviewer)}:\n\n${quoted(text)}\n\n` +
  `[View the set](${url})`;

type CommentConfig = Pick<Config, "siteUrl" | "hidePersons">;

/** On a forge, everyone would read who it was. */
const by = ({ hidePersons }: CommentConfig, reviewer: string | null): string =>
  hidePersons ? "" : ` by ${escapeMarkup(reviewer ?? "")}`;

const quoted = (text: string): string =>
  escapeMarkup(text)
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${line}`)
    .join("\n");

/** Whether rejections of the project's assets are posted to its forge. */
export const takesComments = (
  config: Pick<Config, "forgeApis">,
  place: Pick<RepositoryPlace, "forge" | "host">,
): boolean => config.forgeApis[place.forge].token !== "" && isConfiguredHost(config, place);

/** Queues a comment for the task of an asset, if its forge takes comments. */
export async function queueComment(
  config: Pick<Config, "forgeApis">,
  writes: LibraryWrites,
  { project: slug, issue, pr }: Pick<AssetRow, "project" | "issue" | "pr">,
  { marker, body, at }: { marker: string; body: string; at: Micros },
): Promise<void> {
  const number = pr ?? issueOnly(issue);
  if (number === null) return;
  const project = await writes.project(null, slug);
  if (!project || !takesComments(config, project)) return;
  await writes.addOutbox({
    marker,
    body,
    number,
    is_pull: pr !== null,
    forge: project.forge,
    host: project.host,
    repo: project.repo,
    due_at: at,
    created_at: at,
  });
}
