/** Webhooks: creating, listing, pausing and removing them, and renewing their secrets. */
import { ulid } from "ulid";
import { actorOf, eventActor } from "../../core/auth/actor.ts";
import { actorName } from "../../core/auth/actor-name.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { ownerOf, visibleTo } from "../../core/auth/ownership.ts";
import { dayMicros, fromMicros, type Micros } from "../../core/lib/time.ts";
import { badRequest, conflict, noWebhook } from "../../core/problem.ts";
import { requireLane } from "../../feed/feed.ts";
import type { IntegrationsContext, IntegrationsRule } from "../context.ts";
import { type Owner, openOwners } from "../owners.ts";
import type { WebhookChange, WebhookRow } from "../rows.ts";
import { webhookPagePath } from "./delivery/source.ts";
import { checkDestination, DestinationRefused } from "./destination/destination.ts";
import { generateSecret } from "./destination/sign.ts";
import { formats } from "./formats/formats.ts";
import { toWebhook } from "./rendered-webhook.ts";
import type {
  CreatedWebhook,
  FormatName,
  NewWebhook,
  RemovedWebhook,
  RotatedSecret,
  Webhook,
  WebhookFilters,
  WebhookList,
  WebhookPath,
} from "./schema.ts";

/** More of one owner are a mistake: each matching event is sent once for every webhook. */
const webhooksPerOwnerMax = 1_000;
/** How long requests are signed with the old secret too, after a rotation. */
const rotationMicros = dayMicros;

/**
 * Creates a webhook for the events that come from now on. Its scope is enough to receive
 * them.
 * @throws {Problem} 400 for a URL or a filter that is not valid
 */
export const createWebhook: IntegrationsRule<NewWebhook, CreatedWebhook> = async (
  ctx,
  { url, name, format = "json", filters = {} },
  caller,
) => {
  await requireFilters(ctx, filters, caller);
  const { href } = await requireUrl(ctx, url, format);
  const owner = ownerOf(caller);
  if ((await ctx.data.webhooks({ owner })).length >= webhooksPerOwnerMax)
    throw badRequest(`You have ${webhooksPerOwnerMax} webhooks. Remove one that you no longer need.`);
  const row = {
    id: ulid(ctx.now() / 1_000),
    name: name ?? null,
    url: href,
    format,
    filters,
    owner,
    secret: generateSecret(),
    created_at: ctx.now(),
  };
  await ctx.data.atomically(async (writes) => {
    await writes.addWebhook(row);
    return { id: row.id };
  });
  return { ...(await loadWebhook(ctx, row, caller)), secret: row.secret };
};

async function requireUrl({ config }: IntegrationsContext, text: string, format: FormatName): Promise<URL> {
  try {
    const url = await checkDestination(text, config.webhookAllow);
    const problem = formats[format]?.checkUrl(url) ?? null;
    if (problem !== null) throw badRequest(`url: ${problem}`);
    return url;
  } catch (error) {
    throw error instanceof DestinationRefused ? badRequest(`url: ${error.message}`) : error;
  }
}

/** @throws {Problem} 400 for an unknown lane, and for a project that the caller cannot read */
async function requireFilters(
  ctx: IntegrationsContext,
  filters: WebhookFilters,
  caller: Caller,
): Promise<void> {
  for (const lane of filters.lane ?? []) requireLane(ctx.config, lane, "filters.lane");
  for (const slug of filters.project ?? [])
    if (!(await ctx.data.project(caller.projects, slug)))
      throw badRequest(`filters.project has '${slug}', which is no project that you can read.`);
}

export async function listWebhooks({ data }: IntegrationsContext, caller: Caller): Promise<WebhookList> {
  const rows = await data.webhooks(visibleTo(caller));
  const last = await data.lastDeliveries(rows.map(({ id }) => id));
  return { webhooks: rows.map((row) => toWebhook(row, last.get(row.id))), count: rows.length };
}

/** @throws {Problem} 404 */
export const loadWebhook: IntegrationsRule<WebhookPath, Webhook> = async (ctx, { id }, caller) => {
  const row = await requireWebhook(ctx, id, caller);
  return toWebhook(row, (await ctx.data.lastDeliveries([id])).get(id));
};

/** Stops the deliveries of a webhook; those that it misses are sent when it is resumed. */
export const pauseWebhook: IntegrationsRule<WebhookPath, Webhook> = async (ctx, { id }, caller) => {
  const row = await requireWebhook(ctx, id, caller);
  const actor = eventActor(actorOf(caller, undefined));
  const paused_reason = row.status === "paused" ? row.paused_reason : `Paused by ${actorName(actor)}.`;
  await changeWebhook(ctx, row, {
    status: "paused",
    paused_at: row.paused_at ?? ctx.now(),
    paused_reason,
  });
  return loadWebhook(ctx, { id }, caller);
};

/**
 * Resumes a webhook where it stopped.
 * @throws {Problem} 409 if its owner may not read anything any more, for which it would be paused again
 */
export const resumeWebhook: IntegrationsRule<WebhookPath, Webhook> = async (ctx, { id }, caller) => {
  const row = await requireWebhook(ctx, id, caller);
  const owner = (await openOwners(ctx))(row.owner);
  if ("ended" in owner) throw conflict(refusalOf(row, owner));
  await changeWebhook(ctx, row, { status: "active", paused_at: null, paused_reason: null });
  return loadWebhook(ctx, { id }, caller);
};

/** Why a webhook cannot be active, as its owner may not read anything any more. */
export function refusalOf({ owner }: WebhookRow, { ended }: Extract<Owner, { ended: string }>): string {
  if (ended === "unknown")
    return (
      `Its token ${owner} does not exist. Create it, then resume the webhook, or create a new one with a ` +
      "valid token."
    );
  const why = ended === "revoked" ? "was revoked" : "has expired";
  return `Its token ${owner} ${why}. Create a new webhook with a valid token.`;
}

/** Pauses an active webhook, and says so in the feed. @param reason a sentence that says what to do */
export async function pauseForReason(
  { config, data, log, now }: Pick<IntegrationsContext, "config" | "data" | "log" | "now">,
  { id, name, filters }: WebhookRow,
  reason: string,
): Promise<void> {
  const [project, ...others] = filters.project ?? [];
  await data.atomically(async (writes) => {
    const row = await writes.webhook(id);
    if (row?.status !== "active") return;
    await writes.changeWebhook(id, { status: "paused", paused_at: now(), paused_reason: reason });
    await writes.append([
      {
        kind: "webhook.paused",
        actor: "bot:svc",
        summary: `Paused webhook ${name ?? id}: ${reason}`,
        url: `${config.siteUrl}${webhookPagePath(id)}`,
        ...(project !== undefined && others.length === 0 && { project }),
      },
    ]);
  });
  log("warn", "webhook paused", { webhook: id, reason });
}

/** Replaces the secret. For a day, requests are signed with both, so that no delivery is refused. */
export const rotateSecret: IntegrationsRule<WebhookPath, RotatedSecret> = async (ctx, { id }, caller) => {
  const row = await requireWebhook(ctx, id, caller);
  const next = nextSecret(row, ctx.now());
  await changeWebhook(ctx, row, next);
  return { id, secret: next.secret, previous_until: fromMicros(next.previous_secret_until) };
};

/** A new secret, beside which the one so far signs for a day. */
export const nextSecret = ({ secret }: WebhookRow, at: Micros) => ({
  secret: generateSecret(),
  previous_secret: secret,
  previous_secret_until: at + rotationMicros,
});

export const removeWebhook: IntegrationsRule<WebhookPath, RemovedWebhook> = async (ctx, { id }, caller) => {
  await requireWebhook(ctx, id, caller);
  await ctx.data.atomically(async (writes) => {
    if (!(await writes.removeWebhook(id))) throw noWebhook(id);
  });
  return { id, removed: true };
};

/** @throws {Problem} 404 if it was removed since it was read */
async function changeWebhook(
  { data }: IntegrationsContext,
  { id }: WebhookRow,
  change: WebhookChange,
): Promise<void> {
  await data.atomically(async (writes) => {
    if (!(await writes.changeWebhook(id, change))) throw noWebhook(id);
  });
}

/** @throws {Problem} 404 for an unknown webhook, and for one that the caller does not see */
export async function requireWebhook(
  { data }: Pick<IntegrationsContext, "data">,
  id: string,
  caller: Caller,
): Promise<WebhookRow> {
  const row = await data.webhook(id);
  const visible = visibleTo(caller);
  if (!row || (visible && row.owner !== visible.owner)) throw noWebhook(id);
  return row;
}
