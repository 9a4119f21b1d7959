/**
 * Messages for Discord's webhooks, one embed for each notice
 * (https://discord.com/developers/docs/resources/webhook#execute-webhook).
 */
import { type Digest, headlineOf, moreText, type Notice, toneStyles } from "../notices/notice.ts";
import type { ChatService } from "./chat-service.ts";
import {
  isSuccess,
  jsonMessage,
  outcomeOf,
  parseObject,
  partsOf,
  retryAfter,
  withoutMentions,
} from "./message-parts.ts";

export const discordHosts = /(^|\.)discord(app)?\.com$/;

/** Discord shows any ASCII punctuation after a backslash as it is. */
const escapeText = (text: string): string => withoutMentions(text).replace(/[\\`*_~|<>#\-+[\]()]/g, "\\$&");

/** Delivers without a sound or a push (message flag SUPPRESS_NOTIFICATIONS). */
const silentFlag = 1 << 12;

const colorOf = ({ tone }: Notice): number => Number.parseInt(toneStyles[tone].color.slice(1), 16);

function embedOf(notice: Notice, isOnly: boolean, isFirstWithUrl: boolean) {
  const { emoji, title, facts, quote } = partsOf(notice, isOnly, escapeText);
  const description = [...(facts ? [facts] : []), ...quote.map((line) => `> ${line}`)].join("\n");
  return {
    title: `${emoji} ${title}`,
    ...(description && { description }),
    // Discord shows only the first of several embeds with the same URL.
    ...(notice.link && isFirstWithUrl && { url: notice.link.url }),
    color: colorOf(notice),
    ...(notice.image && { image: { url: notice.image.url } }),
  };
}

export function discordMessage(digest: Digest) {
  const { notices, moreCount, project, feedUrl, urgency } = digest;
  const urls = notices.map(({ link }) => link?.url);
  const headline = headlineOf(digest);
  const embeds = notices.map((notice, at) =>
    embedOf(notice, headline === null, urls.indexOf(notice.link?.url) === at),
  );
  const more = moreCount > 0 ? ` · [${moreText(moreCount)}](<${feedUrl}>)` : "";
  return {
    ...(headline && { content: `**${escapeText(headline)}**${more}` }),
    embeds: embeds.map((embed, at) =>
      at === embeds.length - 1 && project !== null ? { ...embed, footer: { text: project } } : embed,
    ),
    allowed_mentions: { parse: [] as [] },
    ...(urgency === "quiet" && { flags: silentFlag }),
  };
}

export const discord: ChatService = {
  label: "Discord",
  layout: (digest) => jsonMessage(discordMessage(digest)),
  hosts: discordHosts,
  path: /^\/api\/(v\d+\/)?webhooks\/\d+\/[\w-]+$/,
  shape: "https://discord.com/api/webhooks/123456/abcdef",
  /** 10015: unknown webhook; 50027: invalid webhook token. */
  outcome: (answer) => {
    const { code, retry_after } = parseObject(answer.body);
    return outcomeOf(isSuccess(answer), code === 10015 || code === 50027, retryAfter(retry_after));
  },
};
