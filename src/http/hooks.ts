/** Deliveries of the source host: checked over the raw bytes, then ordinary events. */
import { actOf, recorded } from "../audit/act.ts";
import { anonymous } from "../auth/caller.ts";
import { constantTimeEqual } from "../auth/constant-time.ts";
import { parseJson, readBytes, requireJson } from "../body.ts";
import type { Context } from "../context.ts";
import { eventOfDelivery } from "../ingest/delivery.ts";
import { badRequest, notImplemented, Problem } from "../problem.ts";
import { addressOf, type Connection } from "./door.ts";

const deliveryBytesMax = 25 * 2 ** 20;

export async function takeDelivery(ctx: Context, request: Request, connection: Connection | null): Promise<Response> {
  const { config, data } = ctx;
  if (config.mock) throw notImplemented("This deployment shows demo data and takes no writes.");
  if (!config.webhookSecret) throw notImplemented("No SVC_GITHUB_WEBHOOK_SECRET is set, so deliveries cannot be checked.");
  requireJson(request);
  const bytes = await readBytes(request, deliveryBytesMax, addressOf(ctx, request, connection));
  requireSignature(config.webhookSecret, bytes, request.headers.get("x-hub-signature-256"));
  const name = request.headers.get("x-github-event");
  const id = request.headers.get("x-github-delivery");
  if (!name || !id || id.length > 128) throw badRequest("X-GitHub-Event and X-GitHub-Delivery are required.");
  const event = eventOfDelivery({ name, id, bytes, body: parseJson(bytes) });
  const repo = event?.repo?.toLowerCase();
  const project = repo ? (await data.projectsOfRepos([repo])).get(repo) : undefined;
  if (!event || !project) return accepted(0, 0);
  const act = actOf({ ...anonymous, name: "github", came: { via: "webhook", request: id } }, "webhook");
  const { added, duplicates } = await recorded(ctx, { ...act, project }).data.append([{ ...event, project }]);
  return accepted(added.length, duplicates);
}

const accepted = (count: number, duplicates: number) => Response.json({ accepted: count, duplicates }, { status: 202 });

/** `X-Hub-Signature-256: sha256=<hex HMAC of the body>`, compared in constant time. */
function requireSignature(secret: string, bytes: Uint8Array, header: string | null): void {
  const expected = `sha256=${new Bun.CryptoHasher("sha256", secret).update(bytes).digest("hex")}`;
  if (!constantTimeEqual(expected, header ?? ""))
    throw new Problem(401, "X-Hub-Signature-256 does not fit the body.", { "www-authenticate": 'Signature realm="svc"' });
}
