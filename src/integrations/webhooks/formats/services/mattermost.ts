/**
 * Messages for Mattermost's incoming webhooks, one attachment for each notice
 * (https://developers.mattermost.com/integrate/reference/message-attachments).
 */
import { type Digest, headlineOf, moreText, type Notice, toneStyles } from "../notices/notice.ts";
import type { ChatService } from "./chat-service.ts";
import { isSuccess, jsonMessage, outcomeOf, parseObject, partsOf, withoutMentions } from "./message-parts.ts";

/** Mattermost mentions people and channels from any text, also in attachments. */
const escapeText = (text: string): string => withoutMentions(text).replace(/[\\`*_~|<>#\-+![\]()]/g, "\\$&");

function attachmentOf(notice: Notice, isOnly: boolean) {
  const { emoji, facts, quote } = partsOf(notice, isOnly, escapeText);
  const { title } = partsOf(notice, isOnly, withoutMentions);
  const text = [...(facts ? [facts, ""] : []), ...quote.map((line) => `> ${line}`)].join("\n").trimEnd();
  return {
    /** For notifications. */
    fallback: title,
    color: toneStyles[notice.tone].color,
    /** Not read as Markdown. */
    title: `${emoji} ${title}`,
    ...(notice.link && { title_link: notice.link.url }),
    ...(text && { text }),
    ...(notice.image && { image_url: notice.image.url }),
  };
}

export function mattermostMessage(digest: Digest) {
  const { notices, moreCount, project, feedUrl } = digest;
  const headline = headlineOf(digest);
  const more = moreCount > 0 ? ` · [${moreText(moreCount)}](${feedUrl})` : "";
  const attachments = notices.map((notice) => attachmentOf(notice, headline === null));
  return {
    ...(headline && { text: `**${escapeText(headline)}**${more}` }),
    attachments: attachments.map((one, at) =>
      at === attachments.length - 1 && project !== null ? { ...one, footer: project } : one,
    ),
  };
}

export const mattermost: ChatService = {
  label: "Mattermost",
  layout: (digest) => jsonMessage(mattermostMessage(digest)),
  path: /\/hooks\/[a-z0-9]+$/,
  shape: "https://mattermost.example.com/hooks/abcdef",
  /** Success is 200 with the text `ok`. */
  outcome: (answer) => {
    const { id } = parseObject(answer.body);
    return outcomeOf(
      isSuccess(answer) && answer.body.trim() === "ok",
      id === "web.incoming_webhook.invalid.app_error",
    );
  },
};
