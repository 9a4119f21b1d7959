/** Ends the access of someone who leaves, and hands over what others need, in one transaction. */
import { actionOf } from "../../core/audit/action.ts";
import type { Action } from "../../core/audit/port.ts";
import { actorOf } from "../../core/auth/actor.ts";
import { callerOfToken } from "../../core/auth/authentication.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { fromMicros } from "../../core/lib/time.ts";
import { badRequest, notFound } from "../../core/problem.ts";
import type { TokenRow } from "../../core/rows.ts";
import type { ListedReviewRequest } from "../../library/rows.ts";
import type { ShareRow } from "../../library/shares/rows.ts";
import type { IntegrationsContext } from "../context.ts";
import type { IntegrationsReads, IntegrationsWrites } from "../port.ts";
import type { DigestRow, WebhookRow } from "../rows.ts";
import { nextSecret } from "../webhooks/webhooks.ts";
import type { Offboarding, OffboardingInput } from "./schema.ts";

/** Rows of one read; there are more pages while one is full. */
const pageRows = 500;
const requestsMax = 10_000;

interface Belongings {
  tokens: TokenRow[];
  webhooks: WebhookRow[];
  digests: DigestRow[];
  shares: ShareRow[];
  requests: ListedReviewRequest[];
  shown: Offboarding;
}

/** What would end or be handed over. @throws 404 if no person and no token has this name */
export const previewOffboarding = async (
  { data, now }: Pick<IntegrationsContext, "data" | "now">,
  { name, to }: OffboardingInput,
): Promise<Offboarding> => (await loadBelongings(data, name, to ?? null, now())).shown;

/** @throws 404 if no person and no token has this name, 400 unless `to` is a valid token that stays */
export async function offboard(
  { data, now }: Pick<IntegrationsContext, "data" | "now">,
  { name, to }: OffboardingInput,
  caller: Caller,
): Promise<Offboarding> {
  const by = actorOf(caller, undefined);
  const { shown } = await data.atomically(async (writes) => {
    const at = now();
    const found = await loadBelongings(writes, name, to ?? null, at);
    if (to !== undefined && !callerOfToken(await writes.tokenNamed(to), at))
      throw badRequest(`No active token "${to}" to hand over to. See svc token list.`);
    if (to !== undefined && found.tokens.some((token) => token.name === to))
      throw badRequest(`The token "${to}" belongs to "${name}", and ends too.`);
    await endAccess(writes, name, found, at);
    const act = actionOf(caller, "rotateWebhookSecret");
    const rotated = await handOver(writes, found, { name, to: to ?? null, by, act, at });
    return { token_name: name, shown: { ...found.shown, rotated } };
  });
  return shown;
}

async function endAccess(
  writes: IntegrationsWrites,
  name: string,
  { tokens, digests }: Belongings,
  at: number,
): Promise<void> {
  for (const token of tokens) await writes.revokeToken(token.name, at);
  const access = accessOf(name, tokens);
  await writes.endSessions(access);
  await writes.removeClaimsOf(access.tokens, access.actor);
  for (const { id } of digests) await writes.removeDigest(id);
  const person = await writes.person(name);
  if (person?.removed_at !== null) return;
  const { identities, ...row } = person;
  await writes.unlinkIdentities(name, identities);
  await writes.savePerson({ ...row, removed_at: at });
}

async function handOver(
  writes: IntegrationsWrites,
  { tokens, webhooks, shares, requests }: Belongings,
  { name, to, by, act, at }: { name: string; to: string | null; by: string; act: Action; at: number },
): Promise<Offboarding["rotated"]> {
  const rotated: Offboarding["rotated"] = [];
  const ended = { status: "paused", paused_at: at, paused_reason: `${name} was offboarded.` } as const;
  for (const webhook of webhooks) {
    const { id } = webhook;
    if (to === null || webhook.format !== "json") {
      await writes.changeWebhook(id, to === null ? ended : { owner: to });
      continue;
    }
    const next = nextSecret(webhook, at);
    await writes.changeWebhook(id, { owner: to, ...next });
    // A restore reads from the audit log which secrets were rotated.
    await writes.addAudit({ ...act, target: id, at, status: 200 });
    const previous_until = fromMicros(next.previous_secret_until);
    rotated.push({ id, name: labelOf(webhook), secret: next.secret, previous_until });
  }
  for (const { id } of shares)
    if (to === null) await writes.revokeShare(id, at, by);
    else await writes.changeShare(id, { creator: to });
  const names = namesOf(name, tokens);
  for (const { title: _, version: __, set: ___, ...request } of requests) {
    const others = request.reviewers.filter((reviewer) => !names.includes(reviewer) && reviewer !== to);
    await writes.saveReviewRequest({ ...request, reviewers: to === null ? others : [...others, to] });
  }
  return rotated;
}

const labelOf = ({ name, url }: WebhookRow): string => name ?? new URL(url).host;

const namesOf = (name: string, tokens: readonly TokenRow[]): string[] => [
  ...new Set([name, ...tokens.map((token) => token.name)]),
];

const accessOf = (name: string, tokens: readonly TokenRow[]) => ({
  actor: `human:${name}`,
  tokens: namesOf(name, tokens),
  hashes: tokens.flatMap(({ hash, previous_hash }) => (previous_hash ? [hash, previous_hash] : [hash])),
});

async function loadBelongings(
  reads: IntegrationsReads,
  name: string,
  to: string | null,
  at: number,
): Promise<Belongings> {
  const own = (await reads.tokens()).filter((token) => token.name === name || token.owner === name);
  const names = namesOf(name, own);
  // Who signs in with an identity provider owns things as an actor, without a token.
  const owners: readonly (string | null)[] = [...names, `human:${name}`];
  const isOwn = (owner: string | null) => owners.includes(owner);
  const tokens = own.filter(({ revoked_at }) => revoked_at === null);
  const [person, identity, access, webhooks, digests, requests, shares] = await Promise.all([
    reads.person(name),
    reads.identityNamed(`human:${name}`),
    reads.countSessions(accessOf(name, own), at),
    reads.webhooks(),
    reads.emailDigests(),
    reads.reviewRequests(null, { of: names, limit: requestsMax }),
    loadShares(
      reads,
      ({ creator, created_by, revoked_at, expires_at }) =>
        isOwn(creator ?? created_by) && revoked_at === null && expires_at > at,
    ),
  ]);
  if (own.length === 0 && !person && !identity)
    throw notFound(`No person and no token "${name}". See svc token list and svc person list.`);
  const found = {
    tokens,
    webhooks: webhooks.filter(({ owner }) => isOwn(owner)),
    digests: digests.filter(({ owner }) => isOwn(owner)),
    shares,
    requests: requests.filter(({ reviewers }) => reviewers.some((one) => names.includes(one))),
  };
  const shown: Offboarding = {
    name,
    to,
    is_person: person?.removed_at === null,
    has_identity: identity !== null,
    tokens: tokens.map((token) => token.name),
    ...access,
    email_digests: found.digests.map(({ id, address }) => ({ id, name: address })),
    shares: found.shares.map(({ id, recipient }) => ({ id, name: recipient })),
    webhooks: found.webhooks.map((webhook) => ({ id: webhook.id, name: labelOf(webhook) })),
    rotated: [],
    review_requests: found.requests.map(({ asset, title }) => ({ id: asset, name: title })),
  };
  return { ...found, shown };
}

async function loadShares(
  reads: IntegrationsReads,
  isWanted: (share: ShareRow) => boolean,
): Promise<ShareRow[]> {
  const wanted: ShareRow[] = [];
  for (let after: ShareRow | undefined; ; ) {
    const page = await reads.shares(null, { limit: pageRows, after });
    wanted.push(...page.filter(isWanted));
    if (page.length < pageRows) return wanted;
    after = page.at(-1);
  }
}
