/**
 * Workflows of Microsoft Teams, by
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook (28 KB)
 * and Microsoft's own parser of Adaptive Cards, at the version that the card names.
 */
import * as cards from "adaptivecards";
import {
  list,
  object,
  onlyKeys,
  Refusal,
  readJson,
  type Taken,
  type Validator,
  webUrl,
} from "./validator.ts";

const refusal = (status: number) => (reason: string) =>
  new Refusal(
    Response.json({ error: { code: "TriggerInputSchemaMismatch", message: reason } }, { status }),
    reason,
  );
const refuse = refusal(400);

const bytesMax = 28 * 1024;
const contentType = "application/vnd.microsoft.card.adaptive";

/** Parses with the library of Microsoft; anything that it warns of is refused. */
function parseCard(content: unknown): void {
  const card = object(content, refuse);
  const version = cards.Version.parse(String(card.version), new cards.SerializationContext());
  if (!version || version.compareTo(cards.Versions.v1_5) > 0) throw refuse(`version ${card.version}`);
  const context = new cards.SerializationContext(version);
  const parsed = new cards.AdaptiveCard();
  parsed.parse(card, context);
  if (context.eventCount > 0) throw refuse(context.getEventAt(0).message);
  const [failure] = parsed.validateProperties().validationEvents;
  if (failure) throw refuse(failure.message);
}

/** Collects texts and URLs. Only text runs show what people wrote: text blocks read it as Markdown. */
function readElements(value: unknown, taken: Taken): void {
  if (Array.isArray(value)) for (const one of value) readElements(one, taken);
  if (typeof value !== "object" || value === null) return;
  const element: Record<string, unknown> = { ...value };
  if (element.type === "TextBlock") throw refuse("a text block, which would read text as Markdown");
  if (element.type === "TextRun") taken.text += `${element.text}\n`;
  if (typeof element.url === "string") taken.urls.push(webUrl(element.url, 4096, refuse));
  if (element.msteams !== undefined) taken.mentions.push("msteams");
  for (const child of Object.values(element)) readElements(child, taken);
}

export const teams: Validator = {
  check(request) {
    const body = readJson(request, refuse);
    // Teams stores text as UTF-16.
    const size = Math.max(request.body.byteLength, new TextDecoder().decode(request.body).length * 2);
    if (size > bytesMax) throw refusal(413)(`${size} bytes`);
    onlyKeys(body, ["type", "attachments", "summary"], refuse);
    if (body.type !== "message") throw refuse("type");
    const taken: Taken = { text: "", urls: [], mentions: [] };
    for (const attachment of list(body.attachments, 1, 10, refuse)) {
      const one = object(attachment, refuse);
      onlyKeys(one, ["contentType", "contentUrl", "content"], refuse);
      if (one.contentType !== contentType) throw refuse("content type of the attachment");
      readElements(one.content, taken);
      parseCard(one.content);
    }
    return taken;
  },
  accepted: () => new Response(null, { status: 202 }),
};
