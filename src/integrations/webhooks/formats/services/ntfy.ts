/**
 * Messages for topics of ntfy (https://docs.ntfy.sh/publish): the text is the body, the rest is in headers,
 * because publishing as JSON goes to another URL than that of the topic.
 */
import { type Digest, headlineOf, type Notice, toneStyles, type Urgency } from "../notices/notice.ts";
import type { ChatService, Message } from "./chat-service.ts";
import { fit, isSuccess, outcomeOf, utf8Bytes } from "./message-parts.ts";

/** From 1 (min) to 5 (max). */
const priorities: Record<Urgency, string> = { urgent: "4", normal: "3", quiet: "2" };

/**
 * In bytes. The limit of the body is 4096, but phones get a message whole only if all of it, with title and
 * links, is below about 4 KB.
 */
const limits = { title: 200, line: 250, body: 2000 };

/** RFC 2047: header values are ASCII. Without a length limit, because ntfy decodes it with none. */
const encodedWord = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) && !text.includes("=?")
    ? text
    : `=?UTF-8?B?${Buffer.from(text).toString("base64")}?=`;

const cut = (text: string, max: number): string => fit(text, { max, measure: utf8Bytes });

/** Facts and quote; in a message with several notices, also the title. */
function noticeLines({ title, facts, quote }: Notice, isOnly: boolean): string[] {
  if (!isOnly) return [`• ${cut(title, limits.line)}`];
  return [...(facts.length > 0 ? [facts.join(" · ")] : []), ...(quote ? [quote] : [])];
}

function layout(digest: Digest): Message {
  const { notices, moreCount, project, feedUrl, urgency } = digest;
  const [first] = notices;
  const headline = headlineOf(digest);
  const lines = [
    ...notices.flatMap((notice) => noticeLines(notice, headline === null)),
    ...(moreCount > 0 ? [`and ${moreCount} more`] : []),
  ];
  const text = lines.join("\n") || (project ?? "svc");
  return {
    body: cut(text, limits.body),
    contentType: "text/plain; charset=utf-8",
    headers: {
      title: encodedWord(cut(headline ?? first.title, limits.title)),
      priority: priorities[urgency],
      tags: toneStyles[first.tone].tag,
      click: (headline === null ? first.link?.url : null) ?? feedUrl,
      ...(first.image && { attach: first.image.url }),
    },
  };
}

export const ntfy: ChatService = {
  label: "ntfy",
  layout,
  /** The pattern is that of the server (`topicPathRegex`). */
  hosts: /^ntfy\.sh$/,
  path: /^\/[\w-]{1,64}$/,
  shape: "https://ntfy.sh/<topic>",
  outcome: (answer) => outcomeOf(isSuccess(answer), false),
};
