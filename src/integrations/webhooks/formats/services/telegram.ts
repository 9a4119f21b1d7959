/**
 * Messages for Telegram's `sendMessage`, as HTML (https://core.telegram.org/bots/api#html-style). The chat is
 * in the query of the webhook's URL. An image is a link preview: with `sendPhoto`, an image that Telegram
 * cannot load would cost the message.
 */
import { type Digest, headlineOf, moreText, type Notice } from "../notices/notice.ts";
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

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
const escapeText = (text: string): string => escapeHtml(withoutMentions(text));

const anchor = (url: string, label: string): string => `<a href="${escapeHtml(url)}">${label}</a>`;

function noticeText(notice: Notice, isOnly: boolean): string {
  const { emoji, title, facts, quote } = partsOf(notice, isOnly, escapeText);
  return [
    `${emoji} <b>${notice.link ? anchor(notice.link.url, title) : title}</b>`,
    ...(facts ? [facts] : []),
    ...(quote.length > 0 ? [`<blockquote>${quote.join("\n")}</blockquote>`] : []),
  ].join("\n");
}

export function telegramMessage(digest: Digest) {
  const { notices, moreCount, project, feedUrl, urgency } = digest;
  const headline = headlineOf(digest);
  const image = notices.find((notice) => notice.image)?.image;
  const more = moreCount > 0 ? [anchor(feedUrl, moreText(moreCount))] : [];
  return {
    text: [
      ...(headline ? [`<b>${escapeText(headline)}</b>`] : []),
      ...notices.map((notice) => noticeText(notice, headline === null)),
      ...(headline === null && project !== null ? [`<i>${escapeText(project)}</i>`] : []),
      ...more,
    ].join("\n\n"),
    parse_mode: "HTML" as const,
    link_preview_options: image
      ? { url: image.url, prefer_large_media: true, show_above_text: false }
      : { is_disabled: true },
    ...(urgency === "quiet" && { disable_notification: true }),
  };
}

export const telegram: ChatService = {
  label: "Telegram",
  layout: (digest) => jsonMessage(telegramMessage(digest)),
  hosts: /^api\.telegram\.org$/,
  path: /^\/bot\d+:[\w-]+\/sendMessage$/,
  shape: "https://api.telegram.org/bot<token>/sendMessage?chat_id=<chat>",
  urlRule: ({ searchParams }) =>
    searchParams.get("chat_id")
      ? null
      : "Format telegram needs the chat in the URL: add ?chat_id= and the id of the chat or @channel.",
  /**
   * A bot that was blocked, a deleted chat, or a revoked token. `migrate_to_chat_id` is the new id of a
   * group: the URL of the webhook has to change.
   */
  outcome: (answer) => {
    const { ok, error_code, description, parameters } = parseObject(answer.body);
    const more = typeof parameters === "object" && parameters !== null ? { ...parameters } : {};
    const { retry_after, migrate_to_chat_id }: { retry_after?: unknown; migrate_to_chat_id?: unknown } = more;
    const isGone =
      error_code === 401 ||
      error_code === 403 ||
      error_code === 404 ||
      migrate_to_chat_id !== undefined ||
      (typeof description === "string" && /chat not found/i.test(description));
    return outcomeOf(isSuccess(answer) && ok === true, isGone, retryAfter(retry_after));
  },
};
