/** Webhooks of forges and hosting services: the sender proves itself, then its delivery becomes events. */
import { Type } from "@sinclair/typebox";
import { type SenderName, secretVariable, senderNames } from "../../../core/forges/schema.ts";
import { mediaTypeOf, parseJson, readBytes } from "../../../core/lib/http/request-body.ts";
import { decodeUrlEncoded } from "../../../core/lib/http/url-encoding.ts";
import type { JsonSchema } from "../../../core/lib/json-schema.ts";
import { secondMicros } from "../../../core/lib/time.ts";
import { badRequest, notImplemented, Problem, unsupportedMediaType } from "../../../core/problem.ts";
import {
  describeSetup,
  ignoredWebhookReporter,
  receiveDelivery,
} from "../../../integrations/incoming-webhooks/receive.ts";
import { DeliveryResult, WebhookSetup } from "../../../integrations/incoming-webhooks/schema.ts";
import type { Delivery, Sender, SignedRequest } from "../../../integrations/incoming-webhooks/sender.ts";
import { senders, webhookPath } from "../../../integrations/incoming-webhooks/senders.ts";
import { piecesOf } from "../../../integrations/incoming-webhooks/signatures.ts";
import type { Context } from "../../context.ts";
import { clientAddress } from "../../http/api-middleware.ts";
import { jsonContent, type RawHandler, type RawOperation, type RawParameter } from "./raw-operation.ts";

const headerOf = (description: string, example: string): RawParameter => ({
  in: "header",
  required: true,
  description,
  schema: Type.String({ minLength: 1, maxLength: 128 }),
  example,
});

/** How a sender proves a delivery. GitLab has two headers; the document names the first. */
function securityOf(name: SenderName): JsonSchema {
  const { label, proof } = senders[name];
  const description = `Proves that the delivery is from ${label}. The key is ${secretVariable(name)}.`;
  return { type: "apiKey", in: "header", name: proof.split(" or ")[0], description };
}

const accepted = {
  description: "Accepted.",
  content: jsonContent(DeliveryResult, { accepted: 1, duplicates: 0 }),
};

const payloadOf = (label: string) =>
  Type.Unsafe<object>({ type: "object", description: `${label}'s payload.` });

function webhookOf(name: SenderName): RawOperation {
  const { label, headers, eventExample = "" } = senders[name];
  return {
    id: `receive${name[0]?.toUpperCase()}${name.slice(1)}Delivery`,
    tag: "feed",
    method: "POST",
    path: webhookPath(name),
    server: { of: "siteUrl", description: "The site root: webhooks are not part of the versioned API." },
    summary: `Receive a ${label} webhook delivery`,
    description:
      `A delivery of ${label}. What svc does not use, and what belongs to no linked repository, is ` +
      "accepted and ignored; the response says why. A redelivery adds nothing.",
    security: { [`${name}Delivery`]: securityOf(name) },
    parameters: {
      ...(headers.event && { [headers.event]: headerOf("Event name.", eventExample) }),
      project: {
        in: "query",
        required: false,
        description: "Project of a delivery that names no linked repository.",
        schema: Type.String(),
        example: "atlas",
      },
    },
    body: {
      content: jsonContent(payloadOf(label), {}),
    },
    responses: { 202: accepted },
    errors: [400, 401, 405, 413, 415, 500, 501, 503],
    handler: (ctx) => receiverOf(ctx, name),
  };
}

const github: Partial<RawOperation> = {
  id: "receiveDelivery",
  description:
    "The webhook of a linked repository, as JSON or in GitHub's default form encoding. Issues, " +
    "pull requests, reviews, finished workflows and deployments become events. Other deliveries, " +
    "and those of repositories that are not linked, are accepted and ignored; the response says " +
    "why. A project follows its repository when it is renamed or transferred. A redelivery adds " +
    "nothing. Webhooks from Gitea, Forgejo and Gogs are rejected: those of Gitea and Forgejo have " +
    "their own path.",
  security: {
    delivery: {
      type: "apiKey",
      in: "header",
      name: "X-Hub-Signature-256",
      description:
        "`sha256=` followed by the HMAC-SHA256 of the raw body in hex. The key is the deployment's " +
        "SVC_GITHUB_WEBHOOK_SECRET.",
    },
  },
  parameters: {
    "X-GitHub-Event": headerOf("Event name.", "issues"),
    "X-GitHub-Delivery": headerOf("Delivery id.", "72d3162e-cc78-11e3-81ab-4c9367dc0958"),
  },
  body: {
    content: jsonContent(payloadOf("GitHub"), {
      action: "opened",
      issue: { number: 12, title: "The map is too dark" },
      repository: { full_name: "acme/atlas" },
    }),
  },
  responses: {
    200: {
      description: "Response to `ping`: the state of the setup.",
      content: jsonContent(WebhookSetup, {
        accepted: 0,
        duplicates: 0,
        repository: "acme/atlas",
        project: "atlas",
        events: ["issues", "pull_request"],
        missing: ["pull_request_review", "workflow_run", "deployment_status", "repository"],
      }),
    },
    202: accepted,
  },
};

export const webhooks: readonly RawOperation[] = senderNames.map((name) => ({
  ...webhookOf(name),
  ...(name === "github" && github),
}));

/** GitHub caps payloads at 25 MB, which is the most of all senders. */
const payloadBytesMax = 25 * 2 ** 20;

/** The handler of one sender's webhooks: 202 for an event, 200 for a ping. */
function receiverOf(ctx: Context, name: SenderName): RawHandler {
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
    const json = () => (isForm ? jsonOfForm(bytes) : piecesOf(bytes));
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
function jsonOfForm(bytes: Uint8Array): Iterable<Uint8Array> {
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
function headersOf(
  name: SenderName,
  { headers, headerOf = (given, name) => given.get(name) }: Sender,
  given: Headers,
): Pick<Delivery, "name" | "id"> {
  const event = headers.event ? headerOf(given, headers.event) : "";
  const id = headers.id ? headerOf(given, headers.id) : null;
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
