/**
 * Asks the provider again about a person who is signed in, so that what changed there acts here within a
 * minute: a group, a lock, or a sign-out everywhere.
 */
import type { CoreContext } from "../../context.ts";
import { SharedWork } from "../../lib/shared-work.ts";
import { minuteMicros, secondMicros } from "../../lib/time.ts";
import { identityOf } from "../../people/schema.ts";
import type { SessionRow } from "../../rows.ts";
import type { Caller } from "../caller.ts";
import { emailOf, groupsOf } from "./claims.ts";
import type { OidcConfig } from "./config.ts";
import { callerOfIdentity, type Identity, openIdentity, sealIdentity } from "./identity.ts";
import { describeFailure, isRefusal, loadClient, openProvider } from "./provider.ts";
import { readTokens, readUserInfo } from "./tokens.ts";

type Needs = Pick<CoreContext, "config" | "data" | "secret" | "now" | "log">;

/** A request after this time asks the provider while it is answered by what was told before. */
const askAfter = 25 * secondMicros;
/** A request after this time waits for the answer. */
const waitAfter = 55 * secondMicros;
/** How long a provider that does not answer may keep from seeing changes: then its people are signed out. */
const silenceMax = 15 * minuteMicros;

/** By session: a page has several requests. They wait for the provider's own timeout at most. */
const asking = new SharedWork<Identity | null>(12_000);

/** The caller of a session that the provider opened; null once they have no access. */
export async function identityCaller(ctx: Needs, row: SessionRow, sealed: string): Promise<Caller | null> {
  const { oidc } = ctx.config;
  const identity = oidc && (await currentIdentity(ctx, oidc, row, sealed));
  if (!identity) return null;
  const email = identity.email && identityOf("email", identity.email);
  const owners = email ? await ctx.data.personsOf([email]) : null;
  return callerOfIdentity(ctx, row, identity, email ? owners?.get(email) : undefined);
}

/** The identity of a session, as the provider tells it; null if it is signed out there. */
async function currentIdentity(
  ctx: Needs,
  oidc: OidcConfig,
  row: SessionRow,
  sealed: string,
): Promise<Identity | null> {
  const identity = openIdentity(ctx, sealed);
  if (!identity) return null;
  const age = ctx.now() - (row.checked_at ?? 0);
  if (age < askAfter) return isFresh(ctx, identity);
  const answer = asking.run(row.hash, () => ask(ctx, oidc, row, identity));
  if (age < waitAfter) {
    answer.catch(() => {}); // logged
    return isFresh(ctx, identity);
  }
  const identityNow = await answer;
  return identityNow === "running" ? isFresh(ctx, identity) : identityNow;
}

/** A provider that was silent for too long is no longer believed. */
const isFresh = ({ now }: Needs, identity: Identity): Identity | null =>
  now() - identity.answeredAt < silenceMax ? identity : null;

/** One process asks about a session; the others go on with what is known. */
async function ask(ctx: Needs, oidc: OidcConfig, row: SessionRow, known: Identity): Promise<Identity | null> {
  const checked_at = ctx.now();
  const isOurs = await ctx.data.atomically((writes) =>
    writes.claimCheck(row.hash, row.checked_at, checked_at),
  );
  if (!isOurs) return isFresh(ctx, known);
  try {
    const identity = await tell(ctx, oidc, known);
    const sealed = sealIdentity(ctx, identity);
    await ctx.data.atomically((writes) => writes.setIdentity(row.hash, sealed));
    return identity;
  } catch (error) {
    ctx.log("warn", "cannot check a session with the identity provider", { error: describeFailure(error) });
    if (!isRefusal(error)) return isFresh(ctx, known);
    await ctx.data.atomically((writes) => writes.removeSession(row.hash));
    return null;
  }
}

/** By the endpoint that told the groups at sign-in, and with new tokens where the old ones are over. */
async function tell(ctx: Needs, oidc: OidcConfig, known: Identity): Promise<Identity> {
  const provider = await openProvider(oidc);
  const isOver = known.accessUntil !== null && known.accessUntil <= ctx.now() + 5 * secondMicros;
  const { refreshToken } = known;
  if (refreshToken !== null && (isOver || known.groupsFrom === "id_token")) {
    const client = await loadClient();
    const tokens = await client.refreshTokenGrant(provider, refreshToken);
    return (await readTokens(ctx, oidc, provider, tokens, known)).identity;
  }
  const claims = await readUserInfo(provider, known);
  const groups = groupsOf(claims, oidc.groupsClaim);
  return {
    ...known,
    email: emailOf(claims, known.email),
    groups: known.groupsFrom === "userinfo" ? (groups ?? []) : known.groups,
    answeredAt: ctx.now(),
  };
}
