/**
 * Discord's Execute Webhook, by the tables of https://discord.com/developers/docs/resources/webhook and
 * "Embed Limits" of https://discord.com/developers/docs/resources/message.
 */
import {
  type Json,
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
    Response.json({ message: "Invalid Form Body", code: 50035, errors: reason }, { status: 400 }),
    reason,
  );

/** Shows text as Discord does: a backslash before ASCII punctuation is not shown. */
const shown = (markdown: string): string =>
  markdown.replace(/\\([!-/:-@[-`{-~])/g, "$1").replaceAll("\u200b", "");

const embedTextMax = 6000;

function readEmbed(value: unknown, taken: Taken): number {
  const embed = object(value, refuse);
  onlyKeys(
    embed,
    ["title", "description", "url", "color", "image", "thumbnail", "footer", "timestamp"],
    refuse,
  );
  const texts: string[] = [];
  if (embed.title !== undefined) texts.push(text(embed.title, 256, refuse));
  if (embed.description !== undefined) texts.push(text(embed.description, 4096, refuse));
  if (embed.footer !== undefined) texts.push(text(object(embed.footer, refuse).text, 2048, refuse));
  if (texts.length === 0) throw refuse("empty embed");
  const { color } = embed;
  if (color !== undefined && !(Number.isInteger(color) && Number(color) >= 0 && Number(color) <= 0xffffff))
    throw refuse("color");
  for (const url of [embed.url, (embed.image as Json)?.url, (embed.thumbnail as Json)?.url])
    if (url !== undefined) taken.urls.push(webUrl(url, 2048, refuse));
  taken.text += `${texts.map(shown).join("\n")}\n`;
  return texts.reduce((sum, one) => sum + one.trim().length, 0);
}

/** Which mentions in the content notify: those that `allowed_mentions` names; all without it. */
function mentionsIn(content: string, allowed: unknown): string[] {
  const parse = allowed === undefined ? ["everyone", "users", "roles"] : object(allowed, refuse).parse;
  const kinds = list(parse ?? [], 0, 3, refuse);
  const found = content.match(/@(everyone|here)|<@[!&]?\d+>/g) ?? [];
  return kinds.length === 0 ? [] : found;
}

export const discord: Validator = {
  check(request) {
    const body = readJson(request, refuse);
    onlyKeys(body, ["content", "embeds", "allowed_mentions", "flags", "username", "avatar_url"], refuse);
    const taken: Taken = { text: "", urls: [], mentions: [] };
    if (body.content === undefined && body.embeds === undefined) throw refuse("empty message");
    if (body.content !== undefined) {
      const content = text(body.content, 2000, refuse);
      taken.text += `${shown(content)}\n`;
      taken.mentions.push(...mentionsIn(content, body.allowed_mentions));
    }
    const embeds = body.embeds === undefined ? [] : list(body.embeds, 0, 10, refuse);
    const total = embeds.reduce<number>((sum, embed) => sum + readEmbed(embed, taken), 0);
    if (total > embedTextMax) throw refuse(`${total} characters in embeds`);
    // SUPPRESS_EMBEDS and SUPPRESS_NOTIFICATIONS
    if (body.flags !== undefined && (Number(body.flags) & ~((1 << 2) | (1 << 12))) !== 0)
      throw refuse("flags");
    return taken;
  },
  accepted: () => new Response(null, { status: 204 }),
};
