/**
 * Slack's incoming webhooks, by https://docs.slack.dev/reference/block-kit/blocks (section, context, header,
 * image), /reference/block-kit/composition-objects/text-object, /messaging/formatting-message-text and the
 * error texts of https://api.slack.com/changelog/2016-05-17-changes-to-errors-for-incoming-webhooks.
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

const refusal = (error: string) => (reason: string) =>
  new Refusal(new Response(error, { status: 400 }), `${error}: ${reason}`);
const invalidPayload = refusal("invalid_payload");
const invalidBlocks = refusal("invalid_blocks");

/** Reads mrkdwn: `<…>` is a link or a mention, and `&` starts one of three entities. */
function readMarkdown(source: string, taken: Taken): void {
  const plain = source.replace(/<([^<>]*)>/g, (_all, inner: string) => {
    const [target = "", label] = inner.split("|", 2);
    if (/^[!@#]/.test(target)) taken.mentions.push(target);
    else taken.urls.push(webUrl(target.replaceAll("&amp;", "&"), 3000, invalidBlocks));
    return label ?? target;
  });
  taken.text += `${plain.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")}\n`;
}

function readText(value: unknown, types: string[], max: number, taken: Taken): void {
  const one = object(value, invalidBlocks);
  onlyKeys(one, ["type", "text", "emoji", "verbatim"], invalidBlocks);
  if (!types.includes(one.type as string)) throw invalidBlocks(`text of type ${one.type}`);
  if ("verbatim" in one && one.type !== "mrkdwn") throw invalidBlocks("verbatim without mrkdwn");
  const content = text(one.text, max, invalidBlocks);
  if (one.type === "mrkdwn") {
    readMarkdown(content, taken);
    // Without `verbatim`, names of channels and people become mentions.
    if (one.verbatim !== true && /(^|\s)[@#]\w/.test(content)) taken.mentions.push("not verbatim");
  } else taken.text += `${content}\n`;
}

/** Slack shows PNG, JPEG and GIF. */
const isImageUrl = (url: string): boolean => /\.(png|jpe?g|gif)$/.test(new URL(url).pathname);

/** Slack loads the image before it takes the message, so the URL of an image in a block must work. */
function readImage(value: Json, keys: string[], taken: Taken): void {
  onlyKeys(value, ["type", "image_url", "alt_text", ...keys], invalidBlocks);
  taken.text += text(value.alt_text, 2000, invalidBlocks);
  const url = webUrl(value.image_url, 3000, invalidBlocks);
  if (!isImageUrl(url)) throw invalidBlocks("downloading image failed");
  taken.urls.push(url);
}

const readers: Record<string, (block: Json, taken: Taken) => void> = {
  section(block, taken) {
    onlyKeys(block, ["type", "block_id", "text", "fields", "accessory", "expand"], invalidBlocks);
    if (block.text === undefined && block.fields === undefined) throw invalidBlocks("empty section");
    if (block.text !== undefined) readText(block.text, ["plain_text", "mrkdwn"], 3000, taken);
    for (const field of block.fields === undefined ? [] : list(block.fields, 1, 10, invalidBlocks))
      readText(field, ["plain_text", "mrkdwn"], 2000, taken);
    if (block.accessory !== undefined) readImage(object(block.accessory, invalidBlocks), [], taken);
  },
  header(block, taken) {
    onlyKeys(block, ["type", "block_id", "text"], invalidBlocks);
    readText(block.text, ["plain_text"], 150, taken);
  },
  context(block, taken) {
    onlyKeys(block, ["type", "block_id", "elements"], invalidBlocks);
    for (const element of list(block.elements, 1, 10, invalidBlocks)) {
      const one = object(element, invalidBlocks);
      if (one.type === "image") readImage(one, [], taken);
      else readText(one, ["plain_text", "mrkdwn"], 3000, taken);
    }
  },
  divider: (block) => onlyKeys(block, ["type", "block_id"], invalidBlocks),
  image: (block, taken) => readImage(block, ["title", "block_id"], taken),
};

function readAttachment(value: unknown, taken: Taken): void {
  const one = object(value, invalidPayload);
  onlyKeys(
    one,
    ["fallback", "color", "title", "title_link", "text", "image_url", "thumb_url"],
    invalidPayload,
  );
  if (one.fallback !== undefined) readMarkdown(text(one.fallback, 3000, invalidPayload), taken);
  if (one.color !== undefined && !/^(good|warning|danger|#[0-9a-f]{6})$/i.test(String(one.color)))
    throw invalidPayload("color");
  for (const url of [one.title_link, one.image_url, one.thumb_url])
    if (url !== undefined) taken.urls.push(webUrl(url, 3000, invalidPayload));
  if (one.image_url !== undefined && !isImageUrl(String(one.image_url))) throw invalidPayload("image format");
}

export const slack: Validator = {
  check(request) {
    const body = readJson(request, invalidPayload);
    onlyKeys(body, ["text", "blocks", "attachments", "unfurl_links", "unfurl_media"], invalidPayload);
    const taken: Taken = { text: "", urls: [], mentions: [] };
    if (body.text === undefined && body.blocks === undefined) throw refusal("no_text")("empty");
    if (body.text !== undefined) readMarkdown(text(body.text, 40_000, invalidPayload), taken);
    for (const block of body.blocks === undefined ? [] : list(body.blocks, 1, 50, invalidBlocks)) {
      const one = object(block, invalidBlocks);
      const reader = readers[String(one.type)];
      if (!reader) throw invalidBlocks(`block of type ${one.type}`);
      reader(one, taken);
    }
    for (const attachment of body.attachments === undefined
      ? []
      : list(body.attachments, 0, 20, invalidPayload))
      readAttachment(attachment, taken);
    return taken;
  },
  accepted: () => new Response("ok"),
};
