/**
 * Messages for workflows of Microsoft Teams ("When a Teams webhook request is received"), as Adaptive Cards
 * (https://adaptivecards.io/explorer). Text is in text runs, which Teams shows as it is: text blocks would
 * read it as Markdown.
 */
import { type Digest, headlineOf, moreText, type Notice } from "../notices/notice.ts";
import type { ChatService } from "./chat-service.ts";
import { anyPath, fit, isSuccess, jsonMessage, outcomeOf, parseObject, partsOf } from "./message-parts.ts";

const openUrl = (title: string, url: string) => ({ type: "Action.OpenUrl" as const, title, url });

const run = (text: string, style: object = {}) => ({ type: "TextRun" as const, text, ...style });
const paragraph = (inline: ReturnType<typeof run>, style: object = {}) => ({
  type: "RichTextBlock" as const,
  inlines: [inline],
  ...style,
});

function noticeItems(notice: Notice, isOnly: boolean) {
  const { link, image } = notice;
  const { emoji, title, facts, quote } = partsOf(notice, isOnly);
  return [
    paragraph(
      run(`${emoji} ${title}`, {
        weight: "Bolder",
        ...(link && { selectAction: openUrl(link.label, link.url) }),
      }),
    ),
    ...(facts ? [paragraph(run(facts, { isSubtle: true }), { spacing: "Small" })] : []),
    ...(quote.length > 0
      ? [
          {
            type: "Container" as const,
            style: "emphasis",
            items: quote.map((line) => paragraph(run(line), { spacing: "None" })),
          },
        ]
      : []),
    ...(image ? [{ type: "Image" as const, url: image.url, altText: fit(image.alt, { max: 250 }) }] : []),
  ];
}

export function teamsCard(digest: Digest) {
  const { notices, moreCount, project, feedUrl } = digest;
  const [only, ...others] = notices;
  const headline = headlineOf(digest);
  const link = others.length === 0 ? only.link : null;
  return {
    type: "AdaptiveCard" as const,
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    version: "1.2",
    fallbackText: headline ?? fit(only.title, { max: 250 }),
    body: [
      ...(headline ? [paragraph(run(headline, { weight: "Bolder", size: "Medium" }))] : []),
      ...notices.map((notice, at) => ({
        type: "Container" as const,
        ...(at > 0 && { separator: true }),
        items: noticeItems(notice, headline === null),
      })),
      ...(project === null ? [] : [paragraph(run(project, { isSubtle: true, size: "Small" }))]),
    ],
    actions: [link ? openUrl(link.label, link.url) : openUrl(moreText(moreCount), feedUrl)],
  };
}

export const teams: ChatService = {
  label: "Microsoft Teams",
  layout: (digest) =>
    jsonMessage({
      type: "message",
      attachments: [
        {
          contentType: "application/vnd.microsoft.card.adaptive",
          contentUrl: null,
          content: teamsCard(digest),
        },
      ],
    }),
  hosts: /\.(logic\.azure\.com|api\.powerplatform\.com)$/,
  path: anyPath,
  shape: "https://prod-01.westeurope.logic.azure.com/workflows/…",
  urlRule: ({ hostname }) =>
    /(^|\.)(webhook\.office|outlook\.office|outlook\.office365)\.com$/.test(hostname)
      ? "Microsoft has retired Office 365 connectors. Create a workflow in Teams and use its URL."
      : null,
  /** Error codes of Logic Apps, which workflows run on. */
  outcome: (answer) => {
    const { error } = parseObject(answer.body);
    const code = typeof error === "object" && error !== null && "code" in error ? error.code : null;
    return outcomeOf(isSuccess(answer), code === "WorkflowNotFound");
  },
};
