/**
 * Messages for Slack's incoming webhooks, as Block Kit (https://docs.slack.dev/reference/block-kit).
 *
 * An image is in an attachment, not in an image block: Slack refuses a whole message when it cannot load the
 * image of a block.
 */
import { type Digest, headlineOf, moreText, type Notice, toneStyles } from "../notices/notice.ts";
import type { ChatService } from "./chat-service.ts";
import { discordHosts } from "./discord.ts";
import { anyPath, fit, isSuccess, jsonMessage, outcomeOf, partsOf } from "./message-parts.ts";

/** This also keeps `<!channel>` and `<@U123>` from mentioning anyone. */
const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const link = (url: string, label: string): string => `<${escapeText(url).replaceAll("|", "%7C")}|${label}>`;

/** With `verbatim`, Slack makes no links and mentions from plain text. */
const markdown = (text: string) => ({ type: "mrkdwn" as const, text, verbatim: true });
const section = (text: string) => ({ type: "section" as const, text: markdown(text) });

function noticeText(notice: Notice, isOnly: boolean): string {
  const { emoji, title, facts, quote } = partsOf(notice, isOnly, escapeText);
  return [
    `${emoji} *${notice.link ? link(notice.link.url, title) : title}*`,
    ...(facts ? [facts] : []),
    ...quote.map((line) => `>${line}`),
  ].join("\n");
}

export function slackMessage(digest: Digest) {
  const { notices, moreCount, project, feedUrl } = digest;
  const headline = headlineOf(digest);
  const where = [...(project === null ? [] : [escapeText(project)]), link(feedUrl, moreText(moreCount))];
  const titles = notices.map(({ title }) => title).join("; ");
  return {
    /** For notifications, and clients that show no blocks. */
    text: fit(headline ? `${headline}: ${titles}` : titles, { max: 1000, escapeText }),
    blocks: [
      ...(headline ? [section(`*${escapeText(headline)}*`)] : []),
      ...notices.map((notice) => section(noticeText(notice, headline === null))),
      { type: "context" as const, elements: [markdown(where.join(" · "))] },
    ],
    attachments: notices.flatMap(({ image, tone }) =>
      image
        ? [
            {
              fallback: fit(image.alt, { max: 250, escapeText }),
              image_url: image.url,
              color: toneStyles[tone].color,
            },
          ]
        : [],
    ),
  };
}

/** Errors of https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks that a retry meets again. */
const slackGone =
  /^(no_service|no_service_id|no_team|no_active_hooks|invalid_token|channel_not_found|channel_is_archived|team_disabled)$/;

export const slack: ChatService = {
  label: "Slack",
  layout: (digest) => jsonMessage(slackMessage(digest)),
  hosts: /^hooks\.slack(-gov)?\.com$/,
  path: anyPath,
  shape: "https://hooks.slack.com/services/T0123/B0123/abcdef",
  /** Discord (https://discord.com/developers/docs/resources/webhook). */
  alsoAt: ({ hostname, pathname }) =>
    discordHosts.test(hostname) && /^\/api\/webhooks\/\d+\/[^/]+\/slack$/.test(pathname),
  urlRule: ({ hostname, pathname }) =>
    hostname.startsWith("hooks.slack") && !/^\/services\/T\w+\/B\w+\/\w+$/.test(pathname)
      ? "Slack needs the URL of an incoming webhook: https://hooks.slack.com/services/T0123/B0123/abcdef."
      : null,
  /** Success is 200 with the text `ok`. */
  outcome: (answer) => {
    const text = answer.body.trim();
    return outcomeOf(isSuccess(answer) && text === "ok", slackGone.test(text));
  },
};
