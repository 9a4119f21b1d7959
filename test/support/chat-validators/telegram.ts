/**
 * Telegram's sendMessage, by https://core.telegram.org/bots/api#sendmessage and #html-style; how it reads HTML
 * is that of `parse_html` in tdlib.
 */
import {
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
    Response.json({ ok: false, error_code: 400, description: `Bad Request: ${reason}` }, { status: 400 }),
    reason,
  );

const textMax = 4096;
const entitiesMax = 100;
const tags = /^(a|b|strong|i|em|u|ins|s|strike|del|code|pre|blockquote|tg-spoiler)$/;
const named: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"' };

const decode = (source: string): string =>
  source.replace(/&(#x[0-9a-f]+|#\d+|[a-z]+);?/gi, (all, name: string) => {
    if (name.startsWith("#x")) return String.fromCodePoint(Number.parseInt(name.slice(2), 16));
    if (name.startsWith("#")) return String.fromCodePoint(Number(name.slice(1)));
    return named[name] ?? all;
  });

/** Every `<` starts a tag; tags are known, closed, and nested. */
function readHtml(source: string, taken: Taken): void {
  const open: string[] = [];
  let entities = 0;
  for (const [part] of source.matchAll(/<[^>]*>?|[^<]+/g)) {
    if (!part.startsWith("<")) {
      taken.text += decode(part);
      continue;
    }
    if (!part.endsWith(">")) throw refuse("can't parse entities: unclosed start tag");
    const [, slash, name = "", rest = ""] = /^<(\/?)([^\s>]*)([^>]*)>$/.exec(part) ?? [];
    if (slash) {
      if (open.pop() !== name) throw refuse(`can't parse entities: unexpected end tag ${name}`);
      continue;
    }
    if (!tags.test(name)) throw refuse(`can't parse entities: unsupported start tag ${name}`);
    const [, href] = /^ href="([^"]*)"$/.exec(rest) ?? [];
    if (rest !== "" && href === undefined) throw refuse("can't parse entities: attribute");
    if (href !== undefined) taken.urls.push(webUrl(decode(href), 2048, refuse));
    open.push(name);
    entities++;
  }
  if (open.length > 0) throw refuse(`can't parse entities: can't find end tag for ${open.at(-1)}`);
  if (entities > entitiesMax) throw refuse("too many entities");
}

export const telegram: Validator = {
  check(request) {
    const body = readJson(request, refuse);
    onlyKeys(body, ["chat_id", "text", "parse_mode", "link_preview_options", "disable_notification"], refuse);
    if (!request.url.searchParams.get("chat_id") && body.chat_id === undefined)
      throw refuse("chat_id is empty");
    if (body.parse_mode !== "HTML") throw refuse("parse mode");
    const taken: Taken = { text: "", urls: [], mentions: [] };
    readHtml(text(body.text, 65_536, refuse), taken);
    if (taken.text.trim() === "") throw refuse("message text is empty");
    if (taken.text.length > textMax) throw refuse("message is too long");
    const preview = object(body.link_preview_options ?? {}, refuse);
    onlyKeys(preview, ["is_disabled", "url", "prefer_large_media", "show_above_text"], refuse);
    if (preview.url !== undefined) taken.urls.push(webUrl(preview.url, 2048, refuse));
    taken.mentions = taken.text.match(/(?<![\w])@[a-z]\w{3,}/gi) ?? [];
    taken.text = taken.text.replaceAll("\u200b", "");
    return taken;
  },
  accepted: () => Response.json({ ok: true, result: { message_id: 1 } }),
};
