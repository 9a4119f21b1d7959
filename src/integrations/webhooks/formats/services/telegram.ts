/**
 * Messages for Telegram's `sendMessage`, as HTML (https://core.telegram.org/bots/api#html-style). The chat is
 * in the query of the webhook's URL. An image is a link preview: with `sendPhoto`, an image that Telegram
 * cannot load would cost the message.
 */
import type { Message } from "../format.ts";
import { type Digest, headlineOf, moreText, type Notice } from "../notices/notice.ts";
import { partsOf } from "./parts.ts";
import { withoutMentions } from "./text.ts";

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

export const layoutTelegram = (digest: Digest): Message => ({
  body: JSON.stringify(telegramMessage(digest)),
  contentType: "application/json",
});
