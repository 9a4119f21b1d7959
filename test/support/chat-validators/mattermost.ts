/**
 * Mattermost's incoming webhooks, by https://developers.mattermost.com/integrate/webhooks/incoming (16383
 * characters) and /integrate/reference/message-attachments. Servers before 5.0 took 7900 characters of
 * attachments (https://gitlab.com/gitlab-org/gitlab-foss/-/issues/37555); so does this one.
 */
import {
  list,
  object,
  onlyKeys,
  Refusal,
  readJson,
  type Taken,
  text,
  type Validator,
  webUrl,
} from "./validator.ts";

const refuse = (reason: string) =>
  new Refusal(
    Response.json(
      { id: "web.incoming_webhook.parse.app_error", message: reason, status_code: 400 },
      { status: 400 },
    ),
    reason,
  );

const attachmentsMax = 7900;
const keys = [
  "fallback",
  "color",
  "pretext",
  "text",
  "title",
  "title_link",
  "image_url",
  "thumb_url",
  "footer",
];

/** `@all`, `@channel`, `@here` and names of people notify, in attachments too. */
const mentionsIn = (value: string): string[] => value.match(/(?<![\w`])@[a-z][\w.-]*/gi) ?? [];

const shown = (markdown: string): string =>
  markdown.replace(/\\([!-/:-@[-`{-~])/g, "$1").replaceAll("\u200b", "");

export const mattermost: Validator = {
  check(request) {
    const body = readJson(request, refuse);
    onlyKeys(body, ["text", "attachments", "username", "icon_url", "props", "priority"], refuse);
    const taken: Taken = { text: "", urls: [], mentions: [] };
    if (body.text === undefined && body.attachments === undefined) throw refuse("empty message");
    const texts = body.text === undefined ? [] : [text(body.text, 16_383, refuse)];
    const attachments = body.attachments === undefined ? [] : list(body.attachments, 0, 100, refuse);
    if (JSON.stringify(attachments).length > attachmentsMax) throw refuse("attachments are too long");
    for (const attachment of attachments) {
      const one = object(attachment, refuse);
      onlyKeys(one, keys, refuse);
      texts.push(text(one.fallback, 16_383, refuse));
      if (one.color !== undefined && !/^#[0-9a-f]{6}$/i.test(String(one.color))) throw refuse("color");
      for (const part of [one.title, one.pretext, one.text, one.footer])
        if (part !== undefined) texts.push(text(part, 16_383, refuse));
      for (const url of [one.title_link, one.image_url, one.thumb_url])
        if (url !== undefined) taken.urls.push(webUrl(url, 2048, refuse));
    }
    taken.text = texts.map(shown).join("\n");
    taken.mentions = texts.flatMap(mentionsIn);
    return taken;
  },
  accepted: () => new Response("ok"),
};
