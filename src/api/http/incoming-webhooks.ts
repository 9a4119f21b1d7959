/** Receives webhooks: verifies that the sender is who it claims to be, then appends events. */

import type { SenderName } from "../../core/incoming-webhooks/schema.ts";
import { mediaTypeOf, parseJson, readBytes } from "../../core/lib/http/request-body.ts";
import { decodeUrlEncoded } from "../../core/lib/http/url-encoding.ts";
import { secondMicros } from "../../core/lib/time.ts";
import { badRequest, notImplemented, Problem, unsupportedMediaType } from "../../core/problem.ts";
import { ignoredWebhookReporter } from "../../integrations/incoming-webhooks/ignored.ts";
import { describeSetup, receiveDelivery } from "../../integrations/incoming-webhooks/receive.ts";
import type { Delivery, Sender, SignedRequest } from "../../integrations/incoming-webhooks/sender.ts";
import { secretVariable, senders } from "../../integrations/incoming-webhooks/senders.ts";
import { piecesOf } from "../../integrations/incoming-webhooks/signatures.ts";
import type { Context } from "../context.ts";
import { clientAddress } from "./api-middleware.ts";
import type { RouteHandler } from "./plain-route.ts";

/** GitHub caps payloads at 25 MB, which is the most of all senders. */
const payloadBytesMax = 25 * 2 ** 20;

/** The handler of one sender's webhooks: 202 for an event, 200 for a ping. */
export function webhook(ctx: Context, name: SenderName): RouteHandler {
  const sender = senders[name];
  const reportIgnored = ignoredWebhookReporter(ctx, name, sender.label);
  return async (request, connection) => {
    const { config, now } = ctx;
    if (config.mock) throw notImplemented("This deployment is a read-only demo.");
    const secrets = config.webhookSecrets[name];
    if (secrets.length === 0)
      throw notImplemented(
        `${sender.label} webhooks are not configured. Set ${secretVariable(name)} to receive them.`,
      );
    const { headers } = request;
    const misdirected = sender.misdirected?.(headers);
    if (misdirected) throw badRequest(misdirected);
    const media = sender.media.find((type) => type === mediaTypeOf(request));
    if (!media) throw unsupportedMediaType(`Send the body as Content-Type: ${sender.media.join(" or ")}.`);
    const bytes = await readBytes(request, payloadBytesMax, clientAddress(ctx, request, connection));
    const isForm = media !== "application/json";
    const json = () => (isForm ? payloadOf(bytes) : piecesOf(bytes));
    await requireAuthentic(name, { headers, bytes, json, seconds: now() / secondMicros }, secrets);
    const whole = isForm ? Buffer.concat(Array.from(json(), (piece) => piece.slice())) : bytes;
    const delivery = { ...headersOf(name, sender, headers), bytes, body: objectIn(whole) };
    const meaning = sender.parse(delivery);
    const isSetup = "setup" in meaning;
    const projectOfUrl = new URL(request.url).searchParams.get("project");
    const { because, ...result } = isSetup
      ? await describeSetup(ctx, meaning.setup)
      : await receiveDelivery(ctx, { sender: name, delivery, meaning, projectOfUrl });
    if (because) reportIgnored(because, result.ignored as string);
    return Response.json(result, { status: isSetup ? 200 : 202 });
  };
}

const ampersand = 0x26;
const payloadField = Buffer.from("payload=");

/**
 * The JSON in the `payload` field of a form-encoded webhook, GitHub's default encoding. Gitea signs the JSON,
 * so this runs for anyone: a form of millions of fields is refused before it is parsed.
 */
function payloadOf(bytes: Uint8Array): Iterable<Uint8Array> {
  const start = payloadField.length;
  if (!payloadField.equals(bytes.subarray(0, start)) || bytes.includes(ampersand))
    throw badRequest("A form-encoded webhook must have exactly one field: payload.");
  return decodeUrlEncoded(bytes.subarray(start));
}

function objectIn(bytes: Uint8Array): object {
  const body = parseJson(bytes);
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw badRequest("The webhook body must be a JSON object.");
  return body;
}

/** The event's name and the delivery's id; the ids of senders other than GitHub carry their name. */
function headersOf(name: SenderName, { headers }: Sender, given: Headers): Pick<Delivery, "name" | "id"> {
  const event = headers.event ? given.get(headers.event) : "";
  const id = headers.id ? given.get(headers.id) : null;
  const required = Object.values(headers);
  if (event === null || (headers.event && (!event || !id)) || (id !== null && id.length > 128))
    throw badRequest(`The ${required.join(" and ")} headers are required.`);
  return { name: event, id: id === null || name === "github" ? id : `${name}:${id}` };
}

async function requireAuthentic(
  name: SenderName,
  request: SignedRequest,
  secrets: readonly string[],
): Promise<void> {
  const { label, proof, isAuthentic } = senders[name];
  // Every secret is tried, so the time does not tell which one is right.
  let isValid = false;
  for (const secret of secrets) if (await isAuthentic(request, secret)) isValid = true;
  if (!isValid)
    throw new Problem(
      401,
      `${proof} does not match. Is ${secretVariable(name)} the secret set in ${label}?`,
      { "www-authenticate": 'Signature realm="svc"' },
    );
}
