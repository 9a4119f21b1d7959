/** GitHub webhooks: verifies the signature over the raw body, then appends events. */

import type { Context } from "../context.ts";
import { ignoredWebhookReporter } from "../ingest/ignored-webhooks.ts";
import { describeSetup, receiveDelivery } from "../ingest/receive-webhook.ts";
import { constantTimeEqual } from "../lib/constant-time.ts";
import { mediaTypeOf, parseJson, readBytes } from "../lib/http/request-body.ts";
import { badRequest, notImplemented, Problem, unsupportedMediaType } from "../problem.ts";
import { clientAddress } from "./api-middleware.ts";
import type { RouteHandler } from "./plain-route.ts";

/** GitHub caps payloads at 25 MB. */
const payloadBytesMax = 25 * 2 ** 20;

/** Gitea, Forgejo and Gogs also send GitHub's headers, but with other bodies. */
const foreignHeaders = ["x-gitea-event", "x-forgejo-event", "x-gogs-event"];

export const webhookMedia = ["application/json", "application/x-www-form-urlencoded"] as const;

/** The handler of GitHub webhooks: 202 for an event, 200 for a ping. */
export function webhook(ctx: Context): RouteHandler {
  const reportIgnored = ignoredWebhookReporter(ctx);
  return async (request, connection) => {
    const { config } = ctx;
    if (config.mock) throw notImplemented("This deployment is a read-only demo.");
    if (!config.webhookSecret)
      throw notImplemented(
        "GitHub webhooks are not configured. Set SVC_GITHUB_WEBHOOK_SECRET to receive them.",
      );
    if (foreignHeaders.some((name) => request.headers.has(name)))
      throw badRequest(
        "This webhook comes from Gitea, Forgejo or Gogs. Only GitHub's webhooks are supported.",
      );
    const media = webhookMedia.find((type) => type === mediaTypeOf(request));
    if (!media) throw unsupportedMediaType(`Send the body as Content-Type: ${webhookMedia.join(" or ")}.`);
    const bytes = await readBytes(request, payloadBytesMax, clientAddress(ctx, request, connection));
    requireSignature(config.webhookSecret, bytes, request.headers.get("x-hub-signature-256"));
    const name = request.headers.get("x-github-event");
    const id = request.headers.get("x-github-delivery");
    if (!name || !id || id.length > 128)
      throw badRequest("The X-GitHub-Event and X-GitHub-Delivery headers are required.");
    const body = parseJson(media === "application/json" ? bytes : payloadOf(bytes));
    const isPing = name === "ping";
    const { because, ...result } = isPing
      ? await describeSetup(ctx, body)
      : await receiveDelivery(ctx, { name, id, bytes, body });
    if (because) reportIgnored(because, result.ignored as string);
    return Response.json(result, { status: isPing ? 200 : 202 });
  };
}

/** The JSON in the `payload` field of a form-encoded webhook, GitHub's default encoding. */
function payloadOf(bytes: Uint8Array): Uint8Array {
  const payloads = new URLSearchParams(new TextDecoder().decode(bytes)).getAll("payload");
  if (payloads.length !== 1) throw badRequest("A form-encoded webhook must have exactly one field: payload.");
  return new TextEncoder().encode(payloads[0]);
}

/** `X-Hub-Signature-256: sha256=<hex HMAC of the body>`, compared in constant time. */
function requireSignature(secret: string, bytes: Uint8Array, header: string | null): void {
  const expected = `sha256=${new Bun.CryptoHasher("sha256", secret).update(bytes).digest("hex")}`;
  if (!constantTimeEqual(expected, header ?? ""))
    throw new Problem(
      401,
      "X-Hub-Signature-256 does not match the body. Is SVC_GITHUB_WEBHOOK_SECRET the secret set in GitHub?",
      {
        "www-authenticate": 'Signature realm="svc"',
      },
    );
}
